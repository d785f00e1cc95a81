#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "hwgcn/graph/graph.hpp"
#include "hwgcn/tensor/csr_matrix.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "tensor/blocks/node_blocks.hpp"

namespace hwgcn {

/// How the operator of the learned weights is turned, W being not symmetric.
enum class Orientation {
    paper,       ///< P = D^-1/2 (W + I) D^-1/2, D the row sums: node i gathers from those it gave weight to
    transposed,  ///< P', as the authors' program multiplies
    symmetric,   ///< W replaced by (W + W')/2
};

/// How much a node hears from each of its neighbors, where it has an operator of its own.
enum class Neighbors {
    mean,       ///< D^-1 A without loops: all together count 1
    symmetric,  ///< D^-1/2 (A + I) D^-1/2, the operator of graph convolutions: many neighbors count more
};

struct PropagationOptions {
    Orientation orientation = Orientation::paper;
    Neighbors neighbors = Neighbors::mean;  ///< of operators side by side
    /// Learned weights that would be smaller than this in P are left out, before the sums D are taken.
    double least_share = 0;
};

class PropagatedFeatures;
struct Step;

/// A sparse operator in the form that the kernels want: both orientations by rows, because backward passes
/// need the other one. A symmetric operator holds one matrix for both.
struct Propagation {
    std::shared_ptr<const CsrMatrix<float>> matrix;
    std::shared_ptr<const CsrMatrix<float>> transposed;
    /// Of several operators side by side, how many they are: row i * blocks + b of `matrix` is row i of
    /// operator b. A product with H then holds their products in each row, one after the other.
    Index blocks = 1;
    /// Of separate operators, what each row was divided by: the weights of a node's neighbors together.
    std::shared_ptr<const std::vector<float>> row_sums = {};
    /// What networks made of features with it, once for all trainings; where there is none, each training
    /// makes its own.
    std::shared_ptr<PropagatedFeatures> features = {};
    /// Where nodes fall into blocks. The matrices have the rows that are here; columns are numbers of the
    /// whole graph.
    std::shared_ptr<const RowLayout> layout = {};
    /// Where rows are elsewhere: the step to some nodes here, ascending, with those who have the others.
    std::function<Step(const std::shared_ptr<const std::vector<Index>>& outputs, const Propagation& whole)>
        step_with_others = {};

    Index nodes() const { return matrix->columns; }
};

/// P of W = A + sum of the learned orders; without orders it is the S of the plain graph convolution.
/// Computed in double precision, rounded once.
Propagation build_propagation(const Graph& graph, const LearnedWeights& weights = {},
                              const PropagationOptions& options = {}, const ExecutionControl& control = {});

/// Whose features a node of a directed graph gathers.
enum class Direction {
    in,   ///< of the nodes whose edges lead to it
    out,  ///< of the nodes that its edges lead to
};

/// P = D^-1 (A + I) with D the row sums: the mean over a node and its neighbors of one direction, by weight.
/// A are the `arcs` of a directed graph for out-neighbors, their transpose for in-neighbors.
Propagation build_directed_propagation(const CsrMatrix<float>& arcs, Direction direction,
                                       const ExecutionControl& control = {});

/// Operators for networks that tell a node from its neighbors, side by side. In this order:
///   - I, the node itself;
///   - D^-1 A without loops, the mean over its neighbors by weight, or D^-1/2 (A + I) D^-1/2;
///     with the `arcs` of a directed graph two of them instead,
///     over in-neighbors and over out-neighbors, D^-1/2 then being that of the edges' other end on the right;
///   - the weights of each order in the orientation of `options`, rows divided by their sums.
/// The row of a node without such neighbors is empty.
Propagation build_separate_operators(const Graph& graph, const CsrMatrix<float>* arcs,
                                     const LearnedWeights& weights = {},
                                     const PropagationOptions& options = {},
                                     const ExecutionControl& control = {});

/// How many they are; `order` is 1 without learned weights.
inline Index count_separate_operators(bool directed, int order) {
    return (directed ? 3 : 2) + (order - 1);
}

/// W itself, as methods on undirected weighted graphs want it: (W + W')/2 without its diagonal, not
/// normalised.
Propagation weighted_graph(const Graph& graph, const LearnedWeights& weights = {},
                           const ExecutionControl& control = {});

/// The weights of one order as an operator of this orientation has them, before it is normalised: row i is
/// what node i gathers with.
CsrMatrix<double> oriented(const CsrMatrix<double>& weights, Orientation orientation);

/// The transposed matrix; columns ascend in each row.
CsrMatrix<float> transposed(const CsrMatrix<float>& matrix);

}  // namespace hwgcn
