#include "hwgcn/graph/graph.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "io/merged_edges.hpp"

namespace hwgcn {
namespace {

void check_ends(Index nodes, std::span<const Edge> edges) {
    for (const Edge& edge : edges) {
        for (const Index end : {edge.from, edge.to}) {
            if (end < 0 || end >= nodes) {
                throw InputError(
                    fmt::format("edge {}-{}: node {} is outside 0..{}", edge.from, edge.to, end, nodes - 1));
            }
        }
    }
}

}  // namespace

Graph::Graph(Index nodes, std::span<const Edge> edges, std::span<const float> weights, double unit)
    : offsets_(static_cast<std::size_t>(nodes) + 1, 0), loop_(static_cast<std::size_t>(nodes), 0) {
    check_ends(nodes, edges);
    if (weights.empty()) {
        join(nodes, edges);
    } else {
        const std::vector<Triplet<float>> pairs = merged_pairs(edges, weights);
        unit_ = unit > 0 ? unit : mean_weight(pairs);
        join(nodes, std::span(pairs));
        if (weights_differ(pairs)) set_weights(pairs);
    }
    self_loops_ = std::accumulate(loop_.begin(), loop_.end(), std::int64_t{0});
}

Graph Graph::from_rows(const CsrMatrix<float>& matrix, bool weighted, double unit,
                       std::vector<double> degrees) {
    Graph graph(static_cast<std::size_t>(matrix.rows));
    graph.unit_ = unit;
    if (weighted) graph.loop_weights_.assign(graph.loop_.size(), 0.0F);
    graph.neighbors_.reserve(matrix.indices.size());
    if (weighted) graph.weights_.reserve(matrix.indices.size());
    for (Index node = 0; node < matrix.rows; ++node) {
        const SparseRow<float> row = matrix.row(node);
        for (std::size_t e = 0; e < row.size(); ++e) {
            if (row.indices[e] == node) {
                graph.loop_[node] = 1;
                if (weighted) graph.loop_weights_[node] = row.values[e];
            } else {
                graph.neighbors_.push_back(row.indices[e]);
                if (weighted) graph.weights_.push_back(row.values[e]);
            }
        }
        graph.offsets_[node + std::size_t{1}] = static_cast<std::int64_t>(graph.neighbors_.size());
    }
    graph.degrees_ = std::move(degrees);
    if (weighted && graph.degrees_.empty()) graph.add_degrees();
    graph.self_loops_ = std::accumulate(graph.loop_.begin(), graph.loop_.end(), std::int64_t{0});
    return graph;
}

// Counting sort of both directions of every edge by node, then each list is sorted and its duplicates
// collapse.
void Graph::join(Index nodes, std::span<const Edge> edges) {
    for (const Edge& edge : edges) {
        if (edge.from == edge.to) {
            loop_[edge.from] = 1;
        } else {
            ++offsets_[edge.from + std::size_t{1}];
            ++offsets_[edge.to + std::size_t{1}];
        }
    }
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());

    neighbors_.resize(static_cast<std::size_t>(offsets_.back()));
    std::vector<std::int64_t> next(offsets_.begin(), offsets_.end() - 1);
    for (const Edge& edge : edges) {
        if (edge.from == edge.to) continue;
        neighbors_[next[edge.from]++] = edge.to;
        neighbors_[next[edge.to]++] = edge.from;
    }
    std::int64_t written = 0;
    for (Index node = 0; node < nodes; ++node) {
        const auto begin = neighbors_.begin() + (node == 0 ? 0 : next[node - 1]);
        const auto end = neighbors_.begin() + next[node];
        std::sort(begin, end);
        const auto unique_end = std::unique(begin, end);
        offsets_[node] = written;
        std::move(begin, unique_end, neighbors_.begin() + written);
        written += unique_end - begin;
    }
    offsets_[nodes] = written;
    neighbors_.resize(static_cast<std::size_t>(written));
    neighbors_.shrink_to_fit();
}

// The pairs ascend, the lower end first: a node meets its neighbors below it in the pairs of these, and
// those above it in its own: every list ascends without being sorted.
void Graph::join(Index nodes, std::span<const Triplet<float>> pairs) {
    for (const Triplet<float>& pair : pairs) {
        if (is_loop(pair)) {
            loop_[pair.row] = 1;
        } else {
            ++offsets_[pair.row + std::size_t{1}];
            ++offsets_[pair.column + std::size_t{1}];
        }
    }
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
    neighbors_.resize(static_cast<std::size_t>(offsets_[nodes]));
    std::vector<std::int64_t> next(offsets_.begin(), offsets_.end() - 1);
    for (const Triplet<float>& pair : pairs) {
        if (is_loop(pair)) continue;
        neighbors_[next[pair.row]++] = pair.column;
        neighbors_[next[pair.column]++] = pair.row;
    }
}

// In the order of the neighbors.
void Graph::set_weights(std::span<const Triplet<float>> pairs) {
    weights_.resize(neighbors_.size());
    loop_weights_.assign(loop_.size(), 0.0F);
    std::vector<std::int64_t> next(offsets_.begin(), offsets_.end() - 1);
    for (const Triplet<float>& pair : pairs) {
        const float weight = in_units(pair.value, unit_);
        if (is_loop(pair)) {
            loop_weights_[pair.row] = weight;
        } else {
            weights_[next[pair.row]++] = weight;
            weights_[next[pair.column]++] = weight;
        }
    }
    add_degrees();
}

void Graph::add_degrees() {
    degrees_.reserve(loop_.size());
    for (std::size_t node = 0; node < loop_.size(); ++node) {
        double sum = 1.0 + static_cast<double>(loop_weights_[node]);
        for (std::int64_t e = offsets_[node]; e < offsets_[node + 1]; ++e)
            sum += static_cast<double>(weights_[e]);
        degrees_.push_back(sum);
    }
}

Graph graph_of(const Dataset& dataset) {
    return {dataset.nodes, dataset.edges, dataset.edge_weights, dataset.weight_unit};
}

CsrMatrix<float> arcs_of(const Dataset& dataset, double weight_unit) {
    check_ends(dataset.nodes, dataset.edges);
    CsrMatrix<float> arcs{dataset.nodes, dataset.nodes, {}, {}, {}};
    arcs.offsets.assign(static_cast<std::size_t>(dataset.nodes) + 1, 0);
    for (const Triplet<float>& arc : merged_arcs(dataset.edges, dataset.edge_weights)) {
        ++arcs.offsets[arc.row + std::size_t{1}];
        arcs.indices.push_back(arc.column);
        arcs.values.push_back(dataset.edge_weights.empty() ? 1.0F : in_units(arc.value, weight_unit));
    }
    std::partial_sum(arcs.offsets.begin(), arcs.offsets.end(), arcs.offsets.begin());
    return arcs;
}

Graph heavy_lists(const Graph& graph, double min_weight) {
    const float bound = in_units(static_cast<float>(min_weight), graph.weight_unit());
    CsrMatrix<float> lists{graph.nodes(), graph.nodes(), {0}, {}, {}};
    for (Index node = 0; node < graph.nodes(); ++node) {
        const std::span<const Index> neighbors = graph.neighbors(node);
        if (graph.has_self_loop(node) && static_cast<float>(graph.loop_weight(node)) >= bound)
            lists.indices.push_back(node);
        for (std::size_t e = 0; e < neighbors.size(); ++e) {
            if (graph.weights(node)[e] >= bound) lists.indices.push_back(neighbors[e]);
        }
        lists.offsets.push_back(lists.entries());
    }
    lists.values.assign(lists.indices.size(), 1.0F);
    return Graph::from_rows(lists, false, 1.0);
}

// The weight of an edge and the bound are rounded in the same way: an edge of just this weight stays.
Graph heavy_edges(const Graph& graph, double min_weight) {
    if (!graph.weighted())
        throw InputError("`min_weight`: the edges of the graph have no weights, or all the same");
    const float bound = in_units(static_cast<float>(min_weight), graph.weight_unit());
    std::vector<Edge> heavy;
    for (Index node = 0; node < graph.nodes(); ++node) {
        if (graph.has_self_loop(node) && static_cast<float>(graph.loop_weight(node)) >= bound)
            heavy.push_back({node, node});
        const std::span<const Index> neighbors = graph.neighbors(node);
        for (std::size_t e = 0; e < neighbors.size(); ++e) {
            if (neighbors[e] > node && graph.weights(node)[e] >= bound) heavy.push_back({node, neighbors[e]});
        }
    }
    if (heavy.empty()) {
        const auto largest = std::ranges::max_element(graph.all_weights());
        throw InputError(fmt::format(
            "`min_weight={}`: no edge weighs as much, the heaviest weighs {:.6g}", min_weight,
            largest == graph.all_weights().end() ? 0.0
                                                 : static_cast<double>(*largest) * graph.weight_unit()));
    }
    return {graph.nodes(), heavy};
}

}  // namespace hwgcn
