#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"

#include "base/random_stream.hpp"

namespace hwgcn {

/// Walks along the edges of a graph; from each node to one of its neighbors, in proportion to the weights.
class RandomWalker {
  public:
    /// `weights` are not negative, and outlive the walker.
    explicit RandomWalker(const CsrMatrix<float>& weights);

    /// The sum of the node's weights: 0 where there is no way out.
    double strength(Index node) const { return strength_[node]; }

    /// The nodes with a way out, ascending.
    std::vector<Index> starts() const;

    /// Fills `nodes` with a walk from `start`, which needs a way out.
    void walk(Index start, RandomStream& random, std::span<Index> nodes) const;

  private:
    Index next(Index node, RandomStream& random) const;

    const CsrMatrix<float>* weights_;
    std::vector<double> strength_;
    std::vector<double> cumulative_;  // per entry: the sum of its row so far; empty where all are the same
};

}  // namespace hwgcn
