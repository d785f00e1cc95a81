#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

/// A validated undirected graph: symmetric adjacency A. Self-loops stay on the diagonal of A but are kept
/// apart from the neighbor lists, because rings ignore them.
///
/// Without weights A is 0/1 and duplicates collapse. With weights, edges that are repeated in one direction
/// add up, and a pair that is given in both directions has the mean of the two sums. All weights are divided
/// by the mean weight of an edge (loops left out), so that they compare with the 1 on the diagonal of A + I.
/// Where all of them come out the same, the graph counts as one without weights.
class Graph {
  public:
    /// `weights` is empty or has a number per edge; edges of weight 0 are left out. Throws InputError where
    /// an edge end is out of range or a weight, or a sum of them, is not a finite number of at least 0. Where
    /// the mean weight of an edge is known, it is `unit`.
    Graph(Index nodes, std::span<const Edge> edges, std::span<const float> weights = {}, double unit = 0);

    /// A graph of which some lists are known: row i of `matrix` has the neighbors of node i, with their
    /// weights in units of `unit` where `weighted`, and a loop on the diagonal. Rows of other nodes are
    /// empty, so that it need not be symmetric. Where rows lack entries, `degrees` has the row sums of A + I.
    static Graph from_rows(const CsrMatrix<float>& matrix, bool weighted, double unit,
                           std::vector<double> degrees = {});

    Index nodes() const { return static_cast<Index>(offsets_.size()) - 1; }

    /// Undirected edges without loops.
    std::int64_t edges() const { return static_cast<std::int64_t>(neighbors_.size()) / 2; }
    std::int64_t self_loops() const { return self_loops_; }

    /// Neighbors other than the node itself, ascending.
    std::span<const Index> neighbors(Index node) const {
        const auto begin = static_cast<std::size_t>(offsets_[node]);
        return {neighbors_.data() + begin, static_cast<std::size_t>(offsets_[node + 1]) - begin};
    }
    bool has_self_loop(Index node) const { return loop_[node] != 0; }

    /// Whether edges differ in weight.
    bool weighted() const { return !loop_weights_.empty(); }

    /// The weights of the edges to `neighbors(node)`; empty where the graph has no weights.
    std::span<const float> weights(Index node) const {
        if (!weighted()) return {};
        const auto begin = static_cast<std::size_t>(offsets_[node]);
        return {weights_.data() + begin, static_cast<std::size_t>(offsets_[node + 1]) - begin};
    }

    /// A_ii: 0 where there is no loop.
    double loop_weight(Index node) const {
        if (!has_self_loop(node)) return 0.0;
        return weighted() ? static_cast<double>(loop_weights_[node]) : 1.0;
    }

    /// What an edge of weight 1 weighs in the data: the mean that weights were divided by.
    double weight_unit() const { return unit_; }

    /// Row sum of A + I.
    double degree_with_identity(Index node) const {
        if (!degrees_.empty()) return degrees_[node];
        return static_cast<double>(neighbors(node).size()) + (has_self_loop(node) ? 2.0 : 1.0);
    }

    std::span<const std::int64_t> offsets() const { return offsets_; }
    std::span<const Index> all_neighbors() const { return neighbors_; }
    std::span<const float> all_weights() const { return weights_; }

  private:
    explicit Graph(std::size_t nodes) : offsets_(nodes + 1, 0), loop_(nodes, 0) {}

    void add_degrees();
    void join(Index nodes, std::span<const Edge> edges);
    void join(Index nodes, std::span<const Triplet<float>> pairs);
    void set_weights(std::span<const Triplet<float>> pairs);

    std::vector<std::int64_t> offsets_;
    std::vector<Index> neighbors_;
    std::vector<std::uint8_t> loop_;
    std::int64_t self_loops_ = 0;
    double unit_ = 1.0;
    std::vector<double> degrees_;  // row sums of A + I where these are no counts of neighbors
    // Of weighted graphs only.
    std::vector<float> weights_;       // beside neighbors_
    std::vector<float> loop_weights_;  // per node
};

/// The graph of a dataset.
Graph graph_of(const Dataset& dataset);

/// The edges of a directed dataset: row i holds the nodes that the edges of node i lead to, a loop among
/// them. Repeated edges are one, whose weight is their sum; weights are divided by `weight_unit`.
CsrMatrix<float> arcs_of(const Dataset& dataset, double weight_unit);

/// The edges that weigh at least `min_weight` in the units of the data, as a graph without weights. Throws
/// InputError where the graph has no weights or no such edge.
Graph heavy_edges(const Graph& graph, double min_weight);

/// The same of a graph of which only some lists are known; there may be no such edge.
Graph heavy_lists(const Graph& graph, double min_weight);

/// What "the neighbors of order k" are.
enum class Neighborhood {
    distance,  ///< nodes at shortest-path distance exactly k (the method; orders never overlap)
    power,     ///< non-zeros of row i of A^k other than i itself (the ablation; orders overlap)
};

}  // namespace hwgcn
