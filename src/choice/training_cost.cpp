#include "choice/training_cost.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "hwgcn/weights/learn_weights.hpp"

#include "models/method_table.hpp"
#include "models/network_training.hpp"
#include "training/fit_options.hpp"
#include "weights/estimate.hpp"
#include "weights/ring_graph.hpp"

namespace hwgcn {
namespace {

// Entries that a learned order adds per node, about.
constexpr double entries_per_ring = 8;
// Iterations of label propagation, about.
constexpr double usual_iterations = 50;
// Matrices of the size of an activation that a training holds for each of its layers: the result, what
// dropout, activation and normalisation make of it, and the gradients of all of them.
constexpr double copies_of_activations = 7;
// Multiplications that take as long as one with a sparse matrix, with what is done number by number to their
// results: of large dense matrices, of narrow ones.
constexpr double dense_speed = 3;
constexpr double narrow_speed = 2;
constexpr double walk_speed = 10;
constexpr double tree_speed = 6;  // of a number that is added to a histogram, the other way round
constexpr Index wide = 64;

double operator_entries(const PreparedGraph& graph, const MethodSettings& settings) {
    const double nodes = graph.graph.nodes();
    return nodes + 2.0 * static_cast<double>(graph.graph.edges()) +
           (order_of(settings) - 1) * nodes * entries_per_ring;
}

// The share of the nodes that can be reached from `from` in so many steps.
double reached_share(const Graph& graph, const std::vector<Index>& from, int steps) {
    std::vector<char> reached(static_cast<std::size_t>(graph.nodes()), 0);
    std::vector<Index> queue = from;
    for (const Index node : from)
        reached[node] = 1;
    std::size_t first = 0;
    for (int step = 0; step < steps; ++step) {
        const std::size_t end = queue.size();
        for (; first < end; ++first) {
            for (const Index next : graph.neighbors(queue[first])) {
                if (reached[next] != 0) continue;
                reached[next] = 1;
                queue.push_back(next);
            }
        }
    }
    return static_cast<double>(queue.size()) / std::max<Index>(graph.nodes(), 1);
}

// A pass over all nodes: multiplications, and columns of the activations that it leaves.
struct PassCost {
    double work = 0;
    double columns = 0;
};

PassCost pass_cost(const PreparedGraph& graph, const MethodSettings& settings, const Network& network,
                   std::span<const TrainableMatrix> parameters) {
    const double nodes = graph.graph.nodes();
    const auto entries = static_cast<double>(graph.features.scaled->entries());
    PassCost cost;
    const Index blocks = operator_blocks(graph, settings);
    Index widest = graph.dataset.classes();
    bool first = true;
    for (const TrainableMatrix& matrix : parameters) {
        const Index rows = matrix.value.rows();
        const Index columns = matrix.value.columns();
        if (rows == 1) continue;  // biases and scales cost next to nothing
        cost.columns += static_cast<double>(row_stride(columns));
        // The features come first, a matrix for each operator or one for all.
        if (std::exchange(first, false)) {
            cost.work += entries * columns;
            widest = std::max(widest, columns / blocks);
        } else {
            const double speed = rows >= wide && columns >= wide ? dense_speed : narrow_speed;
            cost.work += nodes * rows * columns / speed;
            widest = std::max(widest, columns);
        }
    }
    const Index propagated = network.propagates_scores() ? graph.dataset.classes() : widest;
    cost.work += network.steps() * operator_entries(graph, settings) * propagated;
    cost.columns += network.steps() * static_cast<double>(row_stride(propagated)) * blocks;
    return cost;
}

double taught_nodes(const PreparedGraph& graph, const FitOptions& fit) {
    return std::min<double>(graph.graph.nodes(),
                            static_cast<double>(fit.self_training) * graph.dataset.classes());
}

// Multiplications for each number of the propagated features that a pass reads: half of the groups are added
// up, with X the sum, X Theta and the gradient of Theta are computed, and that of X where it is normalised.
double wide_products(std::span<const TrainableMatrix> parameters, const PropagatedInput& input) {
    const double products = input.normalized ? 3 : 2;
    return 0.5 * input.groups + products * parameters.front().value.columns() / narrow_speed;
}

TrainingCost network_cost(const PreparedGraph& graph, const MethodSettings& settings, const Split& split) {
    const auto network = network_for(graph, settings);
    const FitOptions& fit = settings.fit();
    const bool consistency = fit.scheme == Scheme::consistency;
    const bool everywhere = consistency || network->needs_all_nodes() || order_of(settings) > 1;
    const auto share_of = [&](const std::vector<Index>& nodes) {
        return everywhere ? 1.0 : reached_share(graph.graph, nodes, network->steps());
    };
    const std::vector<TrainableMatrix> parameters = network->initial_parameters(0);
    const PassCost pass = pass_cost(graph, settings, *network, parameters);
    const double passes = consistency ? fit.passes : 1;
    const double trained = share_of(split.train);
    const double judged = split.validation.empty() ? 0 : share_of(split.validation);
    TrainingCost cost;
    cost.epochs = fit.epochs * (fit.self_training > 0 ? 2 : 1);
    // Each product has one in the forward pass and two for the gradients.
    cost.work_per_epoch = pass.work * (3 * passes * trained + judged);
    double columns = pass.columns;
    double rows = std::max(trained, judged) * graph.graph.nodes();
    if (const std::optional<PropagatedInput> input = network->propagated_input()) {
        const auto sampled = static_cast<double>(network->sampled_nodes());
        const double labelled = static_cast<double>(split.train.size()) + taught_nodes(graph, fit);
        if (consistency && sampled > 0) rows = std::min(rows, sampled + labelled);
        const double numbers = rows * graph.features.scaled->columns;
        cost.work_per_epoch = passes * numbers * wide_products(parameters, *input) + pass.work * judged;
        cost.preparation = operator_entries(graph, settings) * graph.features.scaled->columns *
                           input->groups * input->powers.steps;
        cost.shared_bytes = 4.0 * graph.graph.nodes() * graph.features.scaled->columns * input->groups;
        columns += graph.features.scaled->columns;
    }
    double numbers = 0;
    for (const TrainableMatrix& matrix : parameters)
        numbers += static_cast<double>(matrix.value.view().size());
    cost.kept_bytes = 4 * 5 * numbers;  // now, best, alternative, and Adam's two averages
    cost.bytes = cost.kept_bytes + 4 * copies_of_activations * columns * passes * rows;
    return cost;
}

// Logistic regressions, solved to their optimum: what each evaluation reads of the training nodes, as often
// as L-BFGS and the choice of a penalty evaluate, about. Where many nodes train, this is the work.
struct Regression {
    double numbers;  // of all training nodes
    double evaluations;
    double copies;  // of the numbers that it holds
};

std::optional<Regression> regression_of(const PreparedGraph& graph, const MethodSettings& settings,
                                        const Split& split) {
    const double nodes = std::max<double>(graph.graph.nodes(), 1);
    const double columns = graph.features.scaled->columns;
    const double entries = static_cast<double>(graph.features.scaled->entries()) / nodes;
    const double degree = 2.0 * static_cast<double>(graph.graph.edges()) / nodes;
    const auto labels = static_cast<double>(split.train.size());
    // An entry of a sparse row takes four times as long as one of a dense row, and its column as much room.
    if (settings.method() == "linear") return Regression{4 * labels * entries, 300, 2};
    if (settings.method() == "linear-neighbors")
        return Regression{labels * std::min(entries * (1 + degree), 2 * columns), 200, 6};
    if (settings.method() == "diffusion") return Regression{labels * columns, 100, 4.5};
    return std::nullopt;
}

}  // namespace

TrainingCost training_cost(const PreparedGraph& graph, const MethodSettings& settings, const Split& split) {
    if (method_info(settings.method()).kind == MethodKind::network)
        return network_cost(graph, settings, split);
    const double nodes = graph.graph.nodes();
    const double classes = graph.dataset.classes();
    TrainingCost cost;
    cost.work_per_epoch = usual_iterations * operator_entries(graph, settings) * classes;
    cost.bytes = 8 * 4 * nodes * classes;
    const auto method = make_classic_method(settings);
    if (const std::optional<Regression> regression = regression_of(graph, settings, split)) {
        cost.work_per_epoch += 2 * regression->evaluations * regression->numbers * classes;
        cost.bytes += 4 * regression->copies * regression->numbers;
        return cost;
    }
    const double trees = method->tree_work(shape_of(graph, settings), operator_blocks(graph, settings) - 1,
                                           static_cast<Index>(split.train.size()),
                                           static_cast<Index>(split.validation.size()));
    if (trees > 0) cost.work_per_epoch = trees * tree_speed;
    const WalkCost walks = method->walk_cost(graph.graph.nodes());
    if (walks.work == 0) return cost;
    cost.work_per_epoch = walks.work / walk_speed;
    cost.bytes = 4 * 4 * nodes * walks.dimensions;
    return cost;
}

double learning_entries(const PreparedGraph& graph, const WeightOptions& options, int order,
                        const ExecutionControl& control) {
    constexpr Index sampled_nodes = 64;
    const ExecutionControl silent{control.threads, nullptr, control.stop};
    const RingGraph heavy(graph.graph, options);
    const RingSummary rings =
        summarize_rings(heavy.graph(), {order, options.neighborhood, sampled_nodes}, silent).back();
    return learning_work(graph.graph, *graph.features.scaled, rings, options);
}

double weights_work(const PreparedGraph& graph, const MethodSettings& settings,
                    const ExecutionControl& control) {
    constexpr double work_per_entry = 100;  // a visit takes as long as so many multiplications of a training
    double entries = 0;
    for (int order = 2; order <= order_of(settings); ++order)
        entries += learning_entries(graph, settings.weights(), order, control);
    return work_per_entry * entries;
}

double shared_bytes(const PreparedGraph& graph) {
    const double edges = 2.0 * static_cast<double>(graph.graph.edges());
    const auto entries = static_cast<double>(graph.features.scaled->entries());
    return 8 * entries + 16 * edges + 64.0 * graph.graph.nodes();
}

double seconds_on_two_cores(double work) {
    constexpr double per_second = 8e9;
    return work / per_second;
}

}  // namespace hwgcn
