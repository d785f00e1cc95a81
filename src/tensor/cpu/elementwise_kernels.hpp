#pragma once

#include "tensor/cpu/narrow_kernels.hpp"
#include "tensor/elementwise.hpp"

namespace hwgcn::cpu {

// What training does number by number, with the same promises as the products.

/// out = scale * x where the bit is set, 0 elsewhere; number k has bit `first_bit` + k. Both `first_bit` and
/// `count` are multiples of 8.
void keep_numbers(const float* x, const std::uint64_t* bits, std::size_t first_bit, float scale, float* out,
                  std::size_t count, Write write);

/// How a row of products becomes a row of hidden outputs: scale * max(factor * x + offset, 0) where the bit
/// is set, 0 elsewhere; number k has bit `first_bit` + k, a multiple of 8. Without bits all numbers are kept.
struct HiddenWay {
    float factor;
    const float* offset;
    const std::uint64_t* bits;
    std::size_t first_bit;
    float scale;
};
void hidden_row(const HiddenWay& way, const float* x, float* out, std::size_t count);

/// out = factor * gradient where y > 0, 0 elsewhere; count is a multiple of 8.
void scale_where_positive(float factor, const float* y, const float* gradient, float* out, std::size_t count);

/// out = factor * x; count is a multiple of 8.
void scale_numbers(float factor, const float* x, float* out, std::size_t count, Write write);

/// out = gradient where y > 0, 0 elsewhere; count is a multiple of 8.
void keep_where_positive(const float* y, const float* gradient, float* out, std::size_t count, Write write);

/// One step of Adam on `count` numbers, a multiple of 8.
void adam_step(const AdamStep& step, const float* gradient, float* value, float* mean, float* square,
               std::size_t count);

/// exp(x), for x up to 88; below -87 it is zero. Within 2 ulp; count is a multiple of 8.
void exponentials(const float* x, float* out, std::size_t count);

/// x Phi(x), to 2e-7 |x| + 1e-9; count is a multiple of 8.
void gelu(const float* x, float* out, std::size_t count);

/// out = gradient * (Phi(x) + x phi(x)); count is a multiple of 8.
void gelu_gradient(const float* x, const float* gradient, float* out, std::size_t count, Write write);

/// Each row of `scores` becomes exp(x - max) / sum over its columns; the logarithm of that sum plus max goes
/// to `log_sums`, one per row, unless it is null. May work in place.
void softmax_rows(ConstMatrixView scores, MatrixView out, double* log_sums, RowRange rows);

}  // namespace hwgcn::cpu
