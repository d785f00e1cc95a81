#pragma once

#include "autodiff/tape.hpp"
#include "operators/receptive_field.hpp"
#include "tensor/dropout.hpp"

namespace hwgcn {

// Attention with several heads. The heads of a unit lie side by side: column = unit * heads + head; see
// tensor/attention.hpp.

/// The matrix M with H M = the scores that `attend` takes, for attention vectors `self` and `neighbor` of all
/// heads (1 x units * heads): the products of each head's columns of H with its vectors.
Variable attention_matrix(Tape& tape, Variable self, Variable neighbor, Index heads);

/// From the step's inputs to its outputs, head by head: sum_j a_ij v_j with a_i the softmax, over the entries
/// j of the step's row i, of leaky(self_i + neighbor_j). With a mask only the kept coefficients take part:
/// each entry of the whole operator has row_stride(heads) bits. `step` must outlive the tape.
Variable attend(Tape& tape, const Step& step, Index heads, Variable scores, Variable values,
                const DropMask* mask);

/// The mean over the heads of each unit: units * heads columns become `units`.
Variable mean_of_heads(Tape& tape, Variable h, Index heads);

}  // namespace hwgcn
