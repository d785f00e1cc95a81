#pragma once

#include <vector>

#include "autodiff/tape.hpp"
#include "tensor/pair_losses.hpp"

namespace hwgcn {

// Operations of the tape that compare rows with each other, each a single number: what embeddings of nodes
// are judged by. See ops.hpp for the others.

/// Mean of |x_i - x_j|^2 over the entries (i,j) of `weights`, weighted by them; zero without entries. The
/// matrix is symmetric and must outlive the tape.
Variable neighbor_distance(Tape& tape, const CsrMatrix<float>& weights, Variable x);

/// Mean of max(0, margin - |x_i - x_j|)^2 over the pairs; zero without pairs. Rows at the same place, where
/// it has no derivative, stay there.
Variable crowding(Tape& tape, std::vector<RowPair> pairs, float margin, Variable x);

/// Sum of -log sigmoid(sign <x_node, c_context>) over the pairs.
Variable context_loss(Tape& tape, std::vector<ContextPair> pairs, Variable x, Variable c);

}  // namespace hwgcn
