#include <algorithm>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/feature_scaling.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "base/parallel_for.hpp"
#include "weights/ring_graph.hpp"
#include "weights/ring_learner.hpp"

namespace hwgcn {
namespace {

// The rows of some nodes, in their order.
struct SolvedRows {
    CsrMatrix<double> matrix;
    std::vector<Index> ring_sizes;
    std::int64_t unfinished = 0;
    double worst_gap = 0;
};

SolvedRows solve_rows(std::vector<RingLearner>& learners, std::span<const Index> nodes, Index columns,
                      int order, const ExecutionControl& control) {
    std::vector<RingWeights> rings(nodes.size());
    parallel_for(static_cast<std::int64_t>(nodes.size()), 1, control, [&](int worker, std::int64_t index) {
        rings[index] = learners[worker].learn(nodes[index], order);
    });
    SolvedRows rows;
    rows.matrix = {static_cast<Index>(nodes.size()), columns, {0}, {}, {}};
    for (const RingWeights& ring : rings) {
        for (const auto& [column, weight] : ring.weights) {
            rows.matrix.indices.push_back(column);
            rows.matrix.values.push_back(weight);
        }
        rows.matrix.offsets.push_back(rows.matrix.entries());
        rows.ring_sizes.push_back(static_cast<Index>(ring.ring_size));
        rows.unfinished += ring.status != SolveStatus::optimal;
        rows.worst_gap = std::max(rows.worst_gap, ring.gap);
    }
    return rows;
}

void append(const SparseRow<double>& row, CsrMatrix<double>& matrix) {
    matrix.indices.insert(matrix.indices.end(), row.indices.begin(), row.indices.end());
    matrix.values.insert(matrix.values.end(), row.values.begin(), row.values.end());
    matrix.offsets.push_back(matrix.entries());
}

// The solved rows in place of those that they stand for, and the others as they were.
OrderWeights merged(const OrderWeights& known, const SolvedRows& solved, std::span<const Index> nodes,
                    Index all) {
    OrderWeights result{{all, all, {0}, {}, {}}, known.ring_sizes, known.summary, false};
    result.ring_sizes.resize(static_cast<std::size_t>(all), 0);
    std::size_t next = 0;
    for (Index node = 0; node < all; ++node) {
        if (next < nodes.size() && nodes[next] == node) {
            append(solved.matrix.row(static_cast<Index>(next)), result.matrix);
            result.ring_sizes[node] = solved.ring_sizes[next++];
        } else {
            append(known.matrix.row(node), result.matrix);
        }
    }
    result.summary.kept = result.matrix.entries();
    result.summary.unfinished += solved.unfinished;
    result.summary.worst_gap = std::max(result.summary.worst_gap, solved.worst_gap);
    return result;
}

}  // namespace

LearnedWeights extend_weights(const LearnedWeights& known, const Graph& graph,
                              const CsrMatrix<float>& features, const WeightOptions& options,
                              std::span<const Index> nodes, const ExecutionControl& control, double longest) {
    LearnedWeights result;
    result.notes = known.notes;
    if (known.orders.empty()) return result;
    const Index old_nodes = known.orders.front().matrix.rows;
    if (!std::ranges::is_sorted(nodes) || std::ranges::count_if(nodes, [&](Index node) {
                                              return node >= old_nodes;
                                          }) != graph.nodes() - old_nodes) {
        throw InputError(
            fmt::format("extending weights: expected each of the {} new nodes among those to solve for",
                        graph.nodes() - old_nodes));
    }
    const RingGraph rings(graph, options);
    FeatureFacts facts = facts_of(features);
    if (longest > 0) facts.largest_norm = longest;
    std::vector<RingLearner> learners =
        make_learners(graph, rings.graph(), features, options, control, &facts);
    for (std::size_t k = 0; k < known.orders.size(); ++k) {
        SolvedRows solved = solve_rows(learners, nodes, graph.nodes(), static_cast<int>(k) + 2, control);
        if (!options.keep.empty())
            solved.matrix = keep_heaviest(solved.matrix, solved.ring_sizes, options.keep[k]);
        result.orders.push_back(merged(known.orders[k], solved, nodes, graph.nodes()));
    }
    return result;
}

}  // namespace hwgcn
