#include "tensor/layer_normalization.hpp"

#include <cstddef>

#include "tensor/cpu/layer_kernels.hpp"
#include "tensor/row_ranges.hpp"

namespace hwgcn::cpu {
namespace {

// A row is read and written about this often.
constexpr std::int64_t passes = 4;

std::int64_t passes_over(ConstMatrixView x) {
    return passes * static_cast<std::int64_t>(x.size());
}

void add_to_row(const float* sums, MatrixView target) {
    if (target.rows == 0) return;
    for (std::size_t k = 0; k < target.stride(); ++k)
        target.data[k] += sums[k];
}

}  // namespace

void layer_normalize(ConstMatrixView x, ConstMatrixView scale, ConstMatrixView offset, MatrixView kept,
                     MatrixView out, const ExecutionControl& control) {
    for_row_ranges(x.rows, passes_over(x), control,
                   [&](RowRange rows) { cpu::layer_normalize(x, scale, offset, kept, out, rows); });
}

void layer_normalize_gradients(const LayerNormalization& layer, ConstMatrixView gradient,
                               const NormalizationGradients& out, const ExecutionControl& control) {
    DenseMatrix sums(2, gradient.columns);  // of the scale, of the offset
    add_in_pieces(gradient.rows, passes_over(gradient), sums, control, [&](RowRange rows, MatrixView target) {
        cpu::layer_normalize_gradients(layer, gradient, target, out.x, out.write, rows);
    });
    add_to_row(sums.row(0), out.scale);
    add_to_row(sums.row(1), out.offset);
}

}  // namespace hwgcn::cpu
