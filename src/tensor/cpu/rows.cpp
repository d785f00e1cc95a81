#include "tensor/rows.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace hwgcn::cpu {
namespace {

void add_numbers(const float* from, float* to, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
        to[k] += from[k];
}

// So few that a call for each row would take longer than to copy them.
constexpr Index few_columns = 16;

// Rows are whole vectors of so many numbers.
constexpr std::size_t vector_floats = 8;

// out = factor times the sum of the sources, each of which is read once while the sums stay in registers.
void add_sources(std::span<const float* const> sources, float factor, std::size_t count, float* out) {
    for (std::size_t k = 0; k < count; k += vector_floats) {
        std::array<float, vector_floats> sum{};
        for (const float* source : sources) {
            for (std::size_t j = 0; j < vector_floats; ++j)
                sum[j] += source[k + j];
        }
        for (std::size_t j = 0; j < vector_floats; ++j)
            out[k + j] = factor * sum[j];
    }
}

std::int64_t work_of(ConstMatrixView x) {
    return memory_work * static_cast<std::int64_t>(x.size());
}

}  // namespace

void gather_rows(ConstMatrixView x, std::span<const Index> rows, MatrixView out,
                 const ExecutionControl& control) {
    for_row_ranges(out.rows, work_of(out), control, [&](RowRange range) {
        for (Index i = range.begin; i < range.end; ++i)
            std::copy_n(x.row(rows[i]), out.stride(), out.row(i));
    });
}

void gather_row_sums(std::span<const RowSums> sums, std::span<const Index> rows, float factor,
                     const ExecutionControl& control) {
    std::int64_t work = 0;
    for (const RowSums& sum : sums)
        work += work_of(sum.out) * static_cast<std::int64_t>(sum.parts.size());
    for_row_ranges(sums.front().out.rows, work, control, [&](RowRange range) {
        std::vector<const float*> sources;
        for (Index i = range.begin; i < range.end; ++i) {
            for (const RowSums& sum : sums) {
                sources.clear();
                for (const ConstMatrixView& part : sum.parts)
                    sources.push_back(part.row(rows[i]));
                add_sources(sources, factor, sum.out.stride(), sum.out.row(i));
            }
        }
    });
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
    const std::size_t from_stride = x.stride();
    const std::size_t to_stride = out.stride();
    const float* from = x.data + first;
    float* target = out.data + to;
    for (Index i = 0; i < x.rows; ++i, from += from_stride, target += to_stride) {
        if (write == Write::add) {
            add_numbers(from, target, static_cast<std::size_t>(count));
        } else if (count > few_columns) {
            std::copy_n(from, count, target);
        } else {
            for (Index k = 0; k < count; ++k)
                target[k] = from[k];
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

void scale_columns(ConstMatrixView factors, ConstMatrixView x, MatrixView out, Write write) {
    const float* factor = factors.row(0);
    for (Index i = 0; i < x.rows; ++i) {
        const float* from = x.row(i);
        float* to = out.row(i);
        for (std::size_t k = 0; k < x.stride(); ++k)
            to[k] = write == Write::add ? to[k] + factor[k] * from[k] : factor[k] * from[k];
    }
}

void add_row(ConstMatrixView x, ConstMatrixView row, MatrixView out, const ExecutionControl& control) {
    const float* offset = row.row(0);
    for_row_ranges(x.rows, work_of(x), control, [&](RowRange range) {
        for (Index i = range.begin; i < range.end; ++i) {
            const float* from = x.row(i);
            float* to = out.row(i);
            for (std::size_t k = 0; k < out.stride(); ++k)
                to[k] = from[k] + offset[k];
        }
    });
}

// Threads share the columns: every sum is one thread's.
void add_column_sums(ConstMatrixView x, MatrixView out, const ExecutionControl& control,
                     const SummedRows& rows) {
    if (rows.layout != nullptr) {
        return add_over_rows(rows, x.rows, work_of(x), out, control, [&](RowRange range, MatrixView target) {
            for (Index i = range.begin; i < range.end; ++i)
                add_numbers(x.row(i), target.row(0), x.stride());
        });
    }
    constexpr std::size_t block = 32;
    const std::size_t stride = x.stride();
    const auto blocks = static_cast<Index>((stride + block - 1) / block);
    for_row_ranges(blocks, work_of(x), control, [&](RowRange range) {
        const std::size_t first = static_cast<std::size_t>(range.begin) * block;
        const std::size_t end = std::min(stride, static_cast<std::size_t>(range.end) * block);
        for (Index i = 0; i < x.rows; ++i)
            add_numbers(x.row(i) + first, out.row(0) + first, end - first);
    });
}

void add_row_dots(ConstMatrixView a, ConstMatrixView b, MatrixView out) {
    for (Index i = 0; i < a.rows; ++i) {
        for (Index k = 0; k < a.columns; ++k)
            out.at(0, i) += a.at(i, k) * b.at(i, k);
    }
}

// In squares that fit into the cache: one side or the other goes from row to row.
void transpose(ConstMatrixView x, MatrixView out) {
    constexpr Index side = 16;
    for (Index top = 0; top < x.rows; top += side) {
        for (Index left = 0; left < x.columns; left += side) {
            for (Index j = left; j < std::min(x.columns, left + side); ++j) {
                for (Index i = top; i < std::min(x.rows, top + side); ++i)
                    out.at(j, i) = x.at(i, j);
            }
        }
    }
}

}  // namespace hwgcn::cpu
