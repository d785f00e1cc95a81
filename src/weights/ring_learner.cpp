#include "weights/ring_learner.hpp"

#include <algorithm>

#include "hwgcn/dataset/feature_scaling.hpp"

namespace hwgcn {

RingLearner::RingLearner(const Graph& graph, RingSearch search, const CsrMatrix<float>& features,
                         RingSolver solver, WeightOptions options)
    : options_(std::move(options)),
      search_(std::move(search)),
      smoother_(graph, features),
      solver_(std::move(solver)) {}

std::vector<RingLearner> make_learners(const Graph& graph, const Graph& rings,
                                       const CsrMatrix<float>& features, const WeightOptions& options,
                                       const ExecutionControl& control, const FeatureFacts* facts,
                                       std::span<const Index> numbers) {
    const RingSolver first = facts == nullptr ? RingSolver(features) : RingSolver(features, *facts);
    std::shared_ptr<const SampleOrder> order;
    if (options.sample_ring > 0) order = std::make_shared<const SampleOrder>(rings, numbers);
    std::vector<RingLearner> learners;
    for (int worker = 0; worker < thread_count(control); ++worker) {
        RingSearch search = order ? RingSearch(rings, order, options.sample_ring) : RingSearch(rings);
        learners.emplace_back(graph, std::move(search), features, first.sibling(), options);
    }
    return learners;
}

const RingWeights& RingLearner::learn(Index node, int order) {
    result_.weights.clear();
    result_ = {.weights = std::move(result_.weights)};
    const std::span<const Index> members = search_.ring(node, order, options_.neighborhood);
    result_.ring_size = members.size();
    result_.sampled = search_.has_cut();
    if (members.empty()) return result_;

    const RingSolver::RingScale scale = solver_.load(members, smoother_.smooth(node));
    if (!(scale.total > 0)) return result_;
    result_.solved = true;
    const auto limit = static_cast<std::size_t>(options_.max_ring);
    if (limit > 0 && members.size() > limit) {
        result_.left_out = members.size() - limit;
        solver_.restrict_to_nearest(limit);
    }

    const RingSolverOptions solver_options{.tolerance = options_.tolerance};
    switch (options_.weighting) {
        case Weighting::learned:
            weigh_by_solution(members, solver_.solve_simplex(solver_options), scale.total);
            break;
        case Weighting::lasso:
            weigh_by_solution(members, solver_.solve_lasso(options_.lambda, solver_options), 1.0);
            break;
        case Weighting::uniform:
            weigh_uniformly(members, scale);
            break;
    }
    std::sort(result_.weights.begin(), result_.weights.end());
    return result_;
}

// Every member gets alpha; where some may carry no weight, the others share the same total.
void RingLearner::weigh_uniformly(std::span<const Index> members, const RingSolver::RingScale& scale) {
    const double weight = scale.total / static_cast<double>(members.size() - result_.left_out);
    for (const Index position : solver_.positions())
        result_.weights.emplace_back(members[position], weight);
}

void RingLearner::weigh_by_solution(std::span<const Index> members, const Solution& solution, double total) {
    for (const Share& share : solution.support) {
        result_.weights.emplace_back(members[share.position], total * share.value);
    }
    result_.status = solution.status;
    result_.iterations = solution.iterations;
    result_.gap = solution.gap;
}

}  // namespace hwgcn
