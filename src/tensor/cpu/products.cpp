#include "tensor/products.hpp"

#include "tensor/cpu/dense_kernels.hpp"
#include "tensor/cpu/narrow_kernels.hpp"
#include "tensor/row_ranges.hpp"

namespace hwgcn::cpu {
namespace {

std::int64_t work_of(const CsrMatrix<float>& m, std::size_t stride) {
    return m.entries() * static_cast<std::int64_t>(stride);
}

std::int64_t work_of(ConstMatrixView a, std::size_t stride) {
    return static_cast<std::int64_t>(a.rows) * a.columns * static_cast<std::int64_t>(stride);
}

// Whether the blocked kernels take a dense product, which they compute to other bits than the narrow ones.
// The number of rows has no part in it: a row has the same result whichever others are computed with it.
bool is_wide(Index inner, Index columns) {
    constexpr Index enough = 64;  // as fast as the narrow kernels there, up to five times as fast beyond
    return inner >= enough && columns >= enough;
}

}  // namespace

void multiply(const CsrMatrix<float>& m, const KeptEntries* kept, ConstMatrixView b, MatrixView out,
              Write write, const ExecutionControl& control) {
    for_row_ranges(m.rows, work_of(m, b.stride()), control, [&](RowRange rows) {
        if (kept != nullptr) {
            cpu::kept_sparse_product(m, *kept, b, out, rows, write);
        } else {
            cpu::sparse_product(m, b, out, rows, write);
        }
    });
}

void add_transposed_product(const CsrMatrix<float>& m, const KeptEntries* kept, ConstMatrixView g,
                            MatrixView out, const ExecutionControl& control, const SummedRows& rows) {
    const auto add = [&](RowRange range, MatrixView target) {
        if (kept != nullptr) {
            cpu::add_transposed_kept_sparse_product(m, *kept, g, target, range);
        } else {
            cpu::add_transposed_sparse_product(m, g, target, range);
        }
    };
    add_over_rows(rows, m.rows, work_of(m, g.stride()), out, control, add);
}

void multiply(ConstMatrixView a, ConstMatrixView b, MatrixView out, Write write,
              const ExecutionControl& control) {
    DenseMatrix packed;
    if (is_wide(b.rows, b.columns)) {
        packed = DenseMatrix(b.rows, b.columns);
        cpu::pack(b, packed.row(0));
    }
    for_row_ranges(a.rows, work_of(a, b.stride()), control, [&](RowRange rows) {
        if (packed.rows() > 0) {
            cpu::packed_product(a, packed.row(0), out, rows, write);
        } else {
            cpu::dense_product(a, b, out, rows, write);
        }
    });
}

void add_transposed_product(ConstMatrixView a, ConstMatrixView g, MatrixView out,
                            const ExecutionControl& control, const SummedRows& rows) {
    const std::int64_t work = work_of(a, g.stride());
    if (is_wide(a.columns, g.columns)) {
        return add_over_rows(rows, a.rows, work, out, control, [&](RowRange range, MatrixView target) {
            cpu::add_transposed_wide_product(a, g, target, range);
        });
    }
    if (rows.layout != nullptr) {
        return add_over_rows(rows, a.rows, work, out, control, [&](RowRange range, MatrixView target) {
            cpu::add_transposed_dense_product(part_of(a, range), part_of(g, range), target, {0, out.rows}, 1);
        });
    }
    // The sums of the pieces stay in registers; threads share the rows of the result.
    const Index pieces = piece_count(work, out);
    for_row_ranges(out.rows, work, control,
                   [&](RowRange columns) { cpu::add_transposed_dense_product(a, g, out, columns, pieces); });
}

}  // namespace hwgcn::cpu
