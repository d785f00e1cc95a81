#pragma once

#include <optional>
#include <span>
#include <vector>

#include "autodiff/tape.hpp"
#include "operators/receptive_field.hpp"
#include "tensor/dropout.hpp"

namespace hwgcn {

// The operations of the tape. Each computes at once and says how its gradient flows back; tests/autodiff
// checks each against finite differences.

/// X Theta, X being a sparse constant; with a mask (one bit per entry of the whole X) only the kept entries
/// take part. `x` and `nodes` must outlive the tape. Rows that `kept_nodes` drops need not be computed.
Variable multiply(Tape& tape, const RowSlice& x, const DropMask* mask, Variable theta,
                  std::span<const Index> nodes, const DropMask* kept_nodes = nullptr);

/// A B
Variable multiply(Tape& tape, Variable a, Variable b);

/// P H, from the step's inputs to its outputs. `step` must outlive the tape. Of several operators P_1, P_2,
/// .. it is [ P_1 H | P_2 H | .. ]; H then has a multiple of 16 columns. Rows that are elsewhere are
/// fetched from them before.
Variable propagate(Tape& tape, const Step& step, Variable h);

/// The rows of the step's outputs among those of its inputs.
Variable at_outputs(Tape& tape, const Step& step, Variable h);

/// The rows `rows` of `x`, which stand for `nodes`, if any. Both must outlive the tape.
Variable select_rows(Tape& tape, Variable x, std::span<const Index> rows, std::span<const Index> nodes = {});

/// The columns first .. first + count - 1 of `x`.
Variable select_columns(Tape& tape, Variable x, Index first, Index count);

/// Row i of `x` times factors[i]; `factors` is 1 x rows and must outlive the tape.
Variable scale_rows(Tape& tape, Variable x, ConstMatrixView factors);

/// Column k of `x` times factors[k]; `factors` is 1 x columns and must outlive the tape.
Variable scale_columns(Tape& tape, Variable x, ConstMatrixView factors);

/// max(x, 0)
Variable relu(Tape& tape, Variable x);

/// x where positive, exp(x) - 1 elsewhere.
Variable elu(Tape& tape, Variable x);

Variable tanh(Tape& tape, Variable x);

/// x Phi(x), Phi being the normal distribution (Hendrycks and Gimpel 2016).
Variable gelu(Tape& tape, Variable x);

/// exp(x) / sum of exp(x), row by row.
Variable softmax(Tape& tape, Variable x);

/// The numbers of `x` that the mask keeps, scaled; one bit per node of the graph and (padded) column, or one
/// per node.
Variable drop(Tape& tape, Variable x, const DropMask& mask);

/// a * x + b * y
Variable combine(Tape& tape, float a, Variable x, float b, Variable y);

/// A matrix, and the matrices that it has side by side; one is the matrix itself.
struct Parts {
    Variable whole;
    std::vector<Variable> parts;
};

/// Number `k` of the row `weights` times x, added to `sum` where there is one. The gradient of the weight is
/// summed part by part: it has the same bits as if each part were computed alone.
Variable add_multiple(Tape& tape, std::optional<Variable> sum, Variable weights, Index k, const Parts& x);

/// drop(relu(x + bias)): the way of a hidden layer from its products to its outputs, in one go.
Variable hidden_layer(Tape& tape, Variable x, Variable bias, const HiddenMasks& masks);

/// x + the row `bias` (1 x columns) in every row.
Variable add_row(Tape& tape, Variable x, Variable bias);

/// Matrices of the same rows, side by side.
Variable concatenate(Tape& tape, std::span<const Variable> parts);

/// Each column shifted and scaled to mean 0 and variance 1 over the rows, then scaled by the row `scale` and
/// shifted by the row `offset`, which are learned (Ioffe and Szegedy 2015). `floor` is added to the variance.
/// `found` gets what it was made with.
struct BatchMoments {
    ConstMatrixView means;      ///< 1 x columns
    ConstMatrixView variances;  ///< 1 x columns
    ConstMatrixView factors;    ///< 1 x columns: scale / sqrt(variance + floor)
};
Variable batch_normalize(Tape& tape, Variable x, Variable scale, Variable offset, double floor,
                         BatchMoments* found = nullptr);

/// Each row shifted and scaled to mean 0 and variance 1 over its columns, then scaled by the row `scale` and
/// shifted by the row `offset`, which are learned (Ba, Kiros and Hinton 2016).
Variable layer_normalize(Tape& tape, Variable x, Variable scale, Variable offset);

/// Blocks of columns of `x`, as many as the row `weights` has columns, added up with softmax(weights).
Variable mix_blocks(Tape& tape, Variable x, Variable weights);

/// Mean over the rows of |x_i - y_i|^2: a single number. `y` must outlive the tape.
Variable squared_distance(Tape& tape, Variable x, ConstMatrixView y);

/// Mean over the rows of -log softmax(scores)[label], each times its weight where there are some: a single
/// number. `labels` must outlive the tape.
Variable cross_entropy(Tape& tape, Variable scores, std::span<const Index> labels,
                       std::span<const float> weights = {});

}  // namespace hwgcn
