#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/io/readers.hpp"
#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

/// Every edge from one node to another once, by ends, ascending. Weights of repeated edges add up, in double
/// precision, rounded once; edges of weight 0 are left out. Without `weights` every one of them is 1. Throws
/// InputError where a weight, or a sum of them, is not a finite number of at least 0.
std::vector<Triplet<float>> merged_arcs(std::span<const Edge> edges, std::span<const float> weights);

/// Every pair of connected nodes once, the lower one first, ascending; loops, too. The weight of a pair that
/// is given in both directions is the mean of the two sums.
std::vector<Triplet<float>> merged_pairs(std::span<const Edge> edges, std::span<const float> weights);

/// For such pairs.
inline bool is_loop(const Triplet<float>& pair) {
    return pair.row == pair.column;
}

/// Over the edges or, in a graph of nothing but loops, over these.
double mean_weight(std::span<const Triplet<float>> pairs);
bool weights_differ(std::span<const Triplet<float>> pairs);

/// A weight in units of the mean one. An edge never vanishes, however light it is beside the others.
float in_units(float weight, double unit);

/// How often edges are given.
struct EdgeRepeats {
    std::int64_t repeated = 0;   ///< that are there already, in the same direction
    std::int64_t pairs = 0;      ///< of different nodes
    std::int64_t both_ways = 0;  ///< of them, those given in both directions
    std::int64_t unequal = 0;    ///< of those, the ones whose two weights differ by more than rounding
};
EdgeRepeats count_edges(const Dataset& dataset);

/// Leaves out edges of weight 0 (with a note), and weights that are all the same and say nothing. Weights of
/// the columns of a table say how often an edge is repeated even where all are 1. Throws InputError where
/// weights add up to more than a number can hold.
enum class ConstantWeights { dropped, kept_where_repeated };
void settle_weights(Dataset& dataset, ConstantWeights constant);

/// Decides whether a dataset that was read from a matrix is directed: where the matrix is not symmetric,
/// unless `wanted` says otherwise. Throws InputError where directions are wanted and there are none.
void settle_matrix_directions(Dataset& dataset, Directions wanted);

/// Says in a note what became of edges of a table that are given several times, of which `counts` says how
/// many there are.
void note_repeated_edges(Dataset& dataset, const EdgeRepeats& counts, bool weighted);
inline void note_repeated_edges(Dataset& dataset) {
    note_repeated_edges(dataset, count_edges(dataset), !dataset.edge_weights.empty());
}

/// Throws InputError where `wanted` asks for the directions of a dataset that has none.
void refuse_directions(std::string_view dataset, Directions wanted);

}  // namespace hwgcn
