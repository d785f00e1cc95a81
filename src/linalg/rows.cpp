#include "linalg/rows.hpp"

#include <algorithm>
#include <cstddef>

namespace hwgcn {
namespace {

void add_numbers(const float* from, float* to, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
        to[k] += from[k];
}

}  // namespace

void gather_rows(ConstMatrixView x, std::span<const Index> rows, MatrixView out) {
    for (Index i = 0; i < out.rows; ++i)
        std::copy_n(x.row(rows[i]), out.stride(), out.row(i));
}

void scatter_add_rows(ConstMatrixView x, std::span<const Index> rows, MatrixView out) {
    for (Index i = 0; i < x.rows; ++i)
        add_numbers(x.row(i), out.row(rows[i]), x.stride());
}

void copy_columns(ConstMatrixView x, Index first, Index count, MatrixView out, Index to, Write write) {
    if (write == Write::replace && count == x.columns && count == out.columns) {  // the whole matrix
        std::copy_n(x.data, x.size(), out.data);
        return;
    }
    for (Index i = 0; i < x.rows; ++i) {
        if (write == Write::add) {
            add_numbers(x.row(i) + first, out.row(i) + to, static_cast<std::size_t>(count));
        } else {
            std::copy_n(x.row(i) + first, count, out.row(i) + to);
        }
    }
}

void scale_rows(ConstMatrixView factors, ConstMatrixView x, MatrixView out, Write write) {
    const float* factor = factors.row(0);
    for (Index i = 0; i < x.rows; ++i) {
        const float* from = x.row(i);
        float* to = out.row(i);
        for (std::size_t k = 0; k < x.stride(); ++k)
            to[k] = write == Write::add ? to[k] + factor[i] * from[k] : factor[i] * from[k];
    }
}

void add_row(ConstMatrixView x, ConstMatrixView row, MatrixView out) {
    const float* offset = row.row(0);
    for (Index i = 0; i < x.rows; ++i) {
        for (std::size_t k = 0; k < out.stride(); ++k)
            out.row(i)[k] = x.row(i)[k] + offset[k];
    }
}

void add_column_sums(ConstMatrixView x, MatrixView out) {
    float* sums = out.row(0);
    for (Index i = 0; i < x.rows; ++i)
        add_numbers(x.row(i), sums, x.stride());
}

void add_row_dots(ConstMatrixView a, ConstMatrixView b, MatrixView out) {
    for (Index i = 0; i < a.rows; ++i) {
        for (Index k = 0; k < a.columns; ++k)
            out.at(0, i) += a.at(i, k) * b.at(i, k);
    }
}

void transpose(ConstMatrixView x, MatrixView out) {
    for (Index i = 0; i < x.rows; ++i) {
        for (Index j = 0; j < x.columns; ++j)
            out.at(j, i) = x.at(i, j);
    }
}

std::vector<Index> argmax_rows(ConstMatrixView x) {
    std::vector<Index> places;
    places.reserve(static_cast<std::size_t>(x.rows));
    for (Index i = 0; i < x.rows; ++i)
        places.push_back(argmax(x, i));
    return places;
}

}  // namespace hwgcn
