#include "hwgcn/explanation/explain.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/metrics/decision.hpp"
#include "hwgcn/support/error.hpp"

#include "linalg/elementary.hpp"
#include "linalg/rows.hpp"
#include "linalg/transfer.hpp"
#include "methods/method_table.hpp"

namespace hwgcn {
namespace {

// Class probabilities from scores, as in training: softmax, then calibration.
DenseMatrix probabilities_of(const std::vector<double>& scores, const Decision& decision,
                             double temperature) {
    const double largest = *std::ranges::max_element(scores);
    DenseMatrix row(1, static_cast<Index>(scores.size()));
    double sum = 0;
    for (const double score : scores)
        sum += exponential(score - largest);
    for (std::size_t c = 0; c < scores.size(); ++c)
        row.at(0, static_cast<Index>(c)) = static_cast<float>(exponential(scores[c] - largest) / sum);
    calibrate(row, decision, temperature);
    return row;
}

// The largest and the second largest number, the first of equals; the same where there is only one.
std::pair<Index, Index> first_two(const std::vector<double>& scores) {
    std::vector<Index> order(scores.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::stable_sort(order, std::greater(), [&](Index c) { return scores[c]; });
    return {order[0], order[std::min<std::size_t>(1, order.size() - 1)]};
}

std::vector<DistanceShare> sum_by_distance(const std::vector<NeighborTerm>& neighbors) {
    std::vector<DistanceShare> sums;
    for (const NeighborTerm& neighbor : neighbors) {
        const auto distance = static_cast<std::size_t>(neighbor.distance);
        while (sums.size() <= distance)
            sums.push_back({static_cast<int>(sums.size()), 0, 0, 0});
        ++sums[distance].nodes;
        sums[distance].contribution += neighbor.contribution;
        sums[distance].share += neighbor.share;
    }
    std::erase_if(sums, [](const DistanceShare& sum) { return sum.nodes == 0; });
    return sums;
}

}  // namespace

std::optional<NodeTerms> find_terms(const PreparedGraph& graph, const Propagation& propagation,
                                    const MethodSettings& settings,
                                    std::span<const TrainableMatrix> parameters,
                                    const ExecutionControl& control) {
    if (method_info(settings.method()).kind != MethodKind::network) return std::nullopt;
    const auto network =
        make_network(settings, {graph.features->columns, graph.dataset.classes(), graph.graph.nodes(),
                                operator_blocks(graph, settings)});
    const ReceptiveField field = whole_field(propagation, graph.features, network->steps());
    Workspace workspace;
    Tape tape(workspace, control, false);
    std::vector<Variable> variables;
    for (const TrainableMatrix& parameter : parameters)
        variables.push_back(tape.constant(parameter.value));
    Pass pass(tape, field, variables, std::nullopt);
    const std::optional<PropagatedTerms> found = network->propagated_terms(pass);
    if (!found) return std::nullopt;
    const ConstMatrixView value = tape.value(found->terms);
    NodeTerms terms{DenseMatrix(value.rows, value.columns), found->coefficients, {}};
    copy(value, terms.terms);
    terms.offset.assign(static_cast<std::size_t>(value.columns), 0.0);
    if (found->offset) std::ranges::copy(download(tape.value(*found->offset)), terms.offset.begin());
    return terms;
}

NodeTerms expect_terms(const PreparedGraph& graph, const Propagation& propagation,
                       const MethodSettings& settings, std::span<const TrainableMatrix> parameters,
                       const ExecutionControl& control) {
    std::optional<NodeTerms> terms = find_terms(graph, propagation, settings, parameters, control);
    if (terms) return std::move(*terms);
    throw InputError(
        fmt::format("{} has no exact explanation: its scores are no sum of what single nodes add; gcn, "
                    "hwgcn, hwgpr, sgc, appnp and mlp have one",
                    method_info(settings.method()).title));
}

Explainer::Explainer(const PreparedGraph& graph, const Propagation& propagation, NodeTerms terms,
                     double temperature, Decision decision)
    : graph_(&graph),
      propagation_(&propagation),
      temperature_(temperature),
      decision_(std::move(decision)),
      terms_(std::move(terms.terms)),
      coefficients_(std::move(terms.coefficients)),
      offset_(std::move(terms.offset)) {}

// Row `node` of sum over s of c_s P^s: one sparse row times P after the other.
std::vector<double> Explainer::weights_of(Index node) const {
    const CsrMatrix<float>& p = *propagation_->matrix;
    std::vector<double> weights(static_cast<std::size_t>(p.rows), 0.0);
    std::vector<double> power = weights;
    power[node] = 1.0;
    for (std::size_t s = 0; s < coefficients_.size(); ++s) {
        for (Index j = 0; j < p.rows; ++j)
            weights[j] += static_cast<double>(coefficients_[s]) * power[j];
        if (s + 1 == coefficients_.size()) break;
        std::vector<double> next(power.size(), 0.0);
        for (Index i = 0; i < p.rows; ++i) {
            if (power[i] == 0.0) continue;
            const auto row = p.row(i);
            for (std::size_t e = 0; e < row.size(); ++e)
                next[row.indices[e]] += power[i] * static_cast<double>(row.values[e]);
        }
        power = std::move(next);
    }
    return weights;
}

std::vector<double> Explainer::scores_of(const std::vector<double>& weights) const {
    std::vector<double> scores = offset_;
    for (Index j = 0; j < terms_.rows(); ++j) {
        for (Index c = 0; weights[j] != 0.0 && c < terms_.columns(); ++c)
            scores[c] += weights[j] * static_cast<double>(terms_.at(j, c));
    }
    return scores;
}

// One breadth-first search; a node's parent is the first that reached it, neighbours in ascending order.
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
        neighbor.distance = distance[neighbor.node];
        if (k >= paths) continue;
        for (Index at = neighbor.node; at != explanation.node; at = parent[at])
            neighbor.path.push_back(at);
        neighbor.path.push_back(explanation.node);
        std::ranges::reverse(neighbor.path);
    }
}

Explainer::Case Explainer::case_of(Index node) const {
    Case decided;
    decided.weights = weights_of(node);
    decided.scores = scores_of(decided.weights);
    std::tie(decided.predicted, decided.runner_up) = first_two(decided.scores);
    if (decision_.is_plain()) return decided;
    const DenseMatrix probabilities = probabilities_of(decided.scores, decision_, temperature_);
    decided.predicted = decide(probabilities, 0, decision_);
    decided.runner_up = second_choice(probabilities, 0, decision_);
    return decided;
}

// To the margin of the predicted class over the runner-up.
double Explainer::contribution(const Case& decided, Index node) const {
    return decided.weights[node] * (static_cast<double>(terms_.at(node, decided.predicted)) -
                                    static_cast<double>(terms_.at(node, decided.runner_up)));
}

std::vector<double> Explainer::shares(Index node) const {
    const Case decided = case_of(node);
    std::vector<double> shares(decided.weights.size(), 0.0);
    double total = 0;
    for (Index j = 0; j < terms_.rows(); ++j) {
        shares[j] = contribution(decided, j);
        total += std::abs(shares[j]);
    }
    for (double& share : shares)
        share = total > 0 ? share / total : 0.0;
    return shares;
}

std::int64_t Explainer::cost() const {
    const auto powers = static_cast<std::int64_t>(coefficients_.size());
    const auto entries = static_cast<std::int64_t>(propagation_->matrix->values.size());
    return powers * terms_.rows() + std::max<std::int64_t>(0, powers - 2) * entries;
}

Explanation Explainer::explain(Index node, std::size_t paths) const {
    const Case decided = case_of(node);
    Explanation result;
    result.node = node;
    result.predicted = decided.predicted;
    result.runner_up = decided.runner_up;
    const DenseMatrix probabilities = probabilities_of(decided.scores, decision_, temperature_);
    result.probabilities.assign(probabilities.row(0), probabilities.row(0) + probabilities.columns());
    result.margin = decided.scores[result.predicted] - decided.scores[result.runner_up];
    result.offset = offset_[result.predicted] - offset_[result.runner_up];
    double total = 0;
    for (Index j = 0; j < terms_.rows(); ++j) {
        if (decided.weights[j] == 0.0) continue;
        NeighborTerm& term = result.neighbors.emplace_back();
        term.node = j;
        term.weight = decided.weights[j];
        term.contribution = contribution(decided, j);
        total += std::abs(term.contribution);
    }
    for (NeighborTerm& term : result.neighbors)
        term.share = total > 0 ? term.contribution / total : 0.0;
    std::ranges::stable_sort(result.neighbors, std::greater(),
                             [](const NeighborTerm& term) { return std::abs(term.contribution); });
    add_paths(result, paths);
    result.by_distance = sum_by_distance(result.neighbors);
    return result;
}

}  // namespace hwgcn
