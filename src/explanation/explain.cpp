#include "hwgcn/explanation/explain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/metrics/decision.hpp"

#include "explanation/average_explainer.hpp"
#include "explanation/exact_explainer.hpp"
#include "explanation/gradient_explainer.hpp"
#include "explanation/traced_explainer.hpp"
#include "models/method_table.hpp"
#include "operators/propagation.hpp"
#include "tensor/elementary.hpp"

namespace hwgcn {
namespace {

// Class probabilities from scores, as in training: softmax, then calibration.
DenseMatrix probabilities_of(const std::vector<double>& scores, const ShownScores& shown) {
    const double largest = *std::ranges::max_element(scores);
    DenseMatrix row(1, static_cast<Index>(scores.size()));
    double sum = 0;
    for (const double score : scores)
        sum += exponential(score - largest);
    for (std::size_t c = 0; c < scores.size(); ++c)
        row.at(0, static_cast<Index>(c)) = static_cast<float>(exponential(scores[c] - largest) / sum);
    calibrate(row, shown.decision, shown.temperature);
    return row;
}

// Nearest first; nodes that no way leads to come last.
std::vector<DistanceShare> sum_by_distance(const std::vector<NeighborTerm>& neighbors) {
    std::map<int, DistanceShare> sums;
    for (const NeighborTerm& neighbor : neighbors) {
        const int place = neighbor.distance < 0 ? std::numeric_limits<int>::max() : neighbor.distance;
        DistanceShare& sum = sums[place];
        sum.distance = neighbor.distance;
        ++sum.nodes;
        sum.contribution += neighbor.contribution;
        sum.share += neighbor.share;
    }
    std::vector<DistanceShare> result;
    for (const auto& [place, sum] : sums)
        result.push_back(sum);
    return result;
}

// Shares of the sum of the absolute contributions.
void set_shares(std::vector<NeighborTerm>& terms) {
    double total = 0;
    for (const NeighborTerm& term : terms)
        total += std::abs(term.contribution);
    for (NeighborTerm& term : terms)
        term.share = total > 0 ? term.contribution / total : 0.0;
}

}  // namespace

std::string_view name_of(ExplanationKind kind) {
    return kind == ExplanationKind::exact      ? "exact"
           : kind == ExplanationKind::gradient ? "gradient"
           : kind == ExplanationKind::shapley  ? "shapley"
                                               : "average";
}

Explainer::Explainer(const PreparedGraph& graph, ShownScores shown)
    : graph_(&graph), shown_(std::move(shown)) {}

Explainer::Classes Explainer::classes_of(const std::vector<double>& scores,
                                         const std::optional<Classes>& given) const {
    if (given) return *given;
    if (shown_.decision.is_plain()) return first_two(scores);
    const DenseMatrix probabilities = probabilities_of(scores, shown_);
    return {decide(probabilities, 0, shown_.decision), second_choice(probabilities, 0, shown_.decision)};
}

// One breadth-first search; a node's parent is the first that reached it, neighbors in ascending order.
void Explainer::add_paths(Explanation& explanation, std::size_t paths) const {
    const Graph& graph = graph_->graph;
    constexpr Index unreached = -1;
    std::vector<Index> parent(static_cast<std::size_t>(graph.nodes()), unreached);
    std::vector<int> distance(parent.size(), 0);
    std::vector<Index> queue = {explanation.node};
    parent[explanation.node] = explanation.node;
    for (std::size_t k = 0; k < queue.size(); ++k) {
        for (const Index next : graph.neighbors(queue[k])) {
            if (parent[next] != unreached) continue;
            parent[next] = queue[k];
            distance[next] = distance[queue[k]] + 1;
            queue.push_back(next);
        }
    }
    for (std::size_t k = 0; k < explanation.neighbors.size(); ++k) {
        NeighborTerm& neighbor = explanation.neighbors[k];
        const bool reached = parent[neighbor.node] != unreached;
        neighbor.distance = reached ? distance[neighbor.node] : -1;
        if (k >= paths || !reached) continue;
        for (Index at = neighbor.node; at != explanation.node; at = parent[at])
            neighbor.path.push_back(at);
        neighbor.path.push_back(explanation.node);
        std::ranges::reverse(neighbor.path);
    }
}

std::vector<double> Explainer::shares(Index node) const {
    Case decided = case_of(node, {});
    set_shares(decided.terms);
    std::vector<double> shares(static_cast<std::size_t>(graph_->graph.nodes()), 0.0);
    for (const NeighborTerm& term : decided.terms)
        shares[term.node] = term.share;
    return shares;
}

Explanation Explainer::explain(Index node, std::size_t paths) const {
    Case decided = case_of(node, {});
    Explanation result;
    result.kind = kind();
    result.node = node;
    result.predicted = decided.predicted;
    result.runner_up = decided.runner_up;
    const DenseMatrix probabilities = probabilities_of(decided.scores, shown_);
    result.probabilities.assign(probabilities.row(0), probabilities.row(0) + probabilities.columns());
    result.margin =
        decided.margin.value_or(decided.scores[result.predicted] - decided.scores[result.runner_up]);
    result.members = decided.members;
    result.offset = decided.offset;
    result.features = features_of(node, decided);
    result.neighbors = std::move(decided.terms);
    set_shares(result.neighbors);
    if (result.kind == ExplanationKind::gradient || result.kind == ExplanationKind::average) {
        result.rest = result.margin - result.offset;
        for (const NeighborTerm& term : result.neighbors)
            result.rest -= term.contribution;
    }
    std::ranges::stable_sort(result.neighbors, std::greater(),
                             [](const NeighborTerm& term) { return std::abs(term.contribution); });
    add_paths(result, paths);
    result.by_distance = sum_by_distance(result.neighbors);
    return result;
}

std::unique_ptr<Explainer> make_explainer(const PreparedGraph& graph, const Propagation& propagation,
                                          const MethodSettings& settings,
                                          std::span<const TrainableMatrix> parameters, ShownScores shown,
                                          const ExecutionControl& control) {
    if (!settings.options().maker.network)
        return make_traced_explainer(graph, propagation, settings, parameters, std::move(shown), control);
    auto gradient = std::make_unique<InputGradient>(graph, propagation, settings, parameters, control);
    std::optional<NodeTerms> terms = find_terms(graph, propagation, gradient->network(), parameters, control);
    if (!terms) return std::make_unique<GradientExplainer>(graph, std::move(gradient), std::move(shown));
    return std::make_unique<ExactExplainer>(graph, propagation, std::move(*terms), std::move(gradient),
                                            std::move(shown));
}

std::unique_ptr<Explainer> expect_explainer(const PreparedGraph& graph, const Propagation& propagation,
                                            const MethodSettings& settings,
                                            std::span<const TrainableMatrix> parameters, ShownScores shown,
                                            const ExecutionControl& control) {
    auto explainer = make_explainer(graph, propagation, settings, parameters, std::move(shown), control);
    if (explainer) return explainer;
    throw InputError(
        fmt::format("{} has no explanation: it is no network, whose scores could be traced back to nodes "
                    "and features; linear, diffusion, boosted, gcn, hwgcn and all other networks have one",
                    method_info(settings.method()).title));
}

std::unique_ptr<Explainer> make_explainer(const PreparedGraph& graph, const OperatorSource& operators,
                                          std::span<const Member> members, const ShownScores& shown,
                                          const ExecutionControl& control) {
    if (members.size() > 1) return make_average_explainer(graph, operators, members, shown, control);
    const Member& one = members.front();
    return make_explainer(graph, operators(one.settings), one.settings, one.parameters, shown, control);
}

std::unique_ptr<Explainer> expect_explainer(const PreparedGraph& graph, const OperatorSource& operators,
                                            std::span<const Member> members, const ShownScores& shown,
                                            const ExecutionControl& control) {
    auto explainer = make_explainer(graph, operators, members, shown, control);
    if (explainer) return explainer;
    const Member& one = members.front();
    return expect_explainer(graph, operators(one.settings), one.settings, one.parameters, shown, control);
}

}  // namespace hwgcn
