#include "tensor/transfer.hpp"

#include <algorithm>
#include <cstddef>

namespace hwgcn::cpu {

std::vector<float> download(ConstMatrixView matrix) {
    std::vector<float> numbers;
    numbers.reserve(static_cast<std::size_t>(matrix.rows) * static_cast<std::size_t>(matrix.columns));
    for (Index i = 0; i < matrix.rows; ++i)
        numbers.insert(numbers.end(), matrix.row(i), matrix.row(i) + matrix.columns);
    return numbers;
}

void upload(std::span<const float> numbers, MatrixView out) {
    const auto columns = static_cast<std::size_t>(out.columns);
    for (Index i = 0; i < out.rows; ++i)
        std::copy_n(numbers.data() + static_cast<std::size_t>(i) * columns, columns, out.row(i));
}

void fill(MatrixView out, float value) {
    if (value == 0.0F) {
        std::fill_n(out.data, out.size(), 0.0F);
        return;
    }
    for (Index i = 0; i < out.rows; ++i)  // the padding stays zero
        std::fill_n(out.row(i), out.columns, value);
}

void clear_padding(MatrixView out) {
    constexpr std::size_t narrow = 16;  // whole rows are cleared as fast as parts of them, and in one go
    if (out.stride() <= narrow) return static_cast<void>(std::fill_n(out.data, out.size(), 0.0F));
    for (Index i = 0; i < out.rows; ++i)
        std::fill(out.row(i) + out.columns, out.row(i) + out.stride(), 0.0F);
}

std::vector<DenseMatrix> copies_of_runs(ConstMatrixView matrix) {
    std::vector<DenseMatrix> copies;
    std::copy_n(matrix.data, matrix.size(), copies.emplace_back(matrix.rows, matrix.columns).row(0));
    return copies;
}

void set_runs(std::span<const ConstMatrixView> copies, MatrixView out) {
    std::copy_n(copies.front().data, out.size(), out.data);
}

void copy_where(ConstMatrixView chosen, Index column, ConstMatrixView x, MatrixView out) {
    if (chosen.at(0, column) != 0.0F) std::copy_n(x.data, x.size(), out.data);
}

}  // namespace hwgcn::cpu
