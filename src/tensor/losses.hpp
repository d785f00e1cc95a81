#pragma once

#include <span>

#include "tensor/block_sums.hpp"
#include "tensor/operands.hpp"
#include "tensor/row_ranges.hpp"

namespace hwgcn {

// Losses are 1 x 1 matrices. What comes with them is all that their gradient needs: it is that matrix times a
// factor.

/// Mean over the rows of w_i (-log softmax(scores)[label]), and w_i (softmax minus the indicator of the
/// label); the gradient is errors / rows. The weights w are 1 where `weights` is empty. Returns the number of
/// rows, those elsewhere too.
std::int64_t cross_entropy(ConstMatrixView scores, std::span<const Index> labels,
                           std::span<const float> weights, MatrixView errors, MatrixView loss,
                           const SummedRows& rows = {});

/// How many rows of scores have the largest number, the first of equals, at their label: a 1 x 1 matrix. All
/// digits are right up to 2^24 rows.
void count_correct(ConstMatrixView scores, std::span<const Index> labels, MatrixView out);

/// Mean over the rows of |x_i - y_i|^2, and x - y; the gradient of x is 2 (x - y) / rows. Returns the number
/// of rows, those elsewhere too.
std::int64_t squared_distance(ConstMatrixView x, ConstMatrixView y, MatrixView difference, MatrixView loss,
                              const SummedRows& rows = {});

/// The mean of several distributions per row, sharpened: q_c = m_c^(1/T) / sum of the same.
void sharpened_mean(std::span<const ConstMatrixView> distributions, double temperature, MatrixView out,
                    const ExecutionControl& control = one_thread);

}  // namespace hwgcn
