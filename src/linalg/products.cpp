#include "linalg/products.hpp"

#include <algorithm>
#include <vector>

#include "support/parallel_for.hpp"

namespace hwgcn {
namespace {

// About a tenth of a millisecond: starting a task costs a few microseconds.
constexpr std::int64_t worth_sharing = 1 << 20;

// Pieces of a sum over rows, each with a result of its own until they are added up in order.
constexpr Index most_pieces = 8;

ExecutionControl without_progress(const ExecutionControl& control) {
    return {control.threads, nullptr, control.stop};
}

// Calls add(rows, target) for pieces of the rows; all targets are added to `out`, first piece first.
void add_in_pieces(Index rows, std::int64_t work, MatrixView out, const ExecutionControl& control,
                   const std::function<void(cpu::RowRange, MatrixView)>& add) {
    const bool too_wide = static_cast<std::int64_t>(out.size()) * most_pieces > work;
    if (work < 4 * worth_sharing || too_wide) return add({0, rows}, out);
    std::vector<DenseMatrix> partial(most_pieces);
    parallel_for(most_pieces, 1, without_progress(control), [&](int, std::int64_t piece) {
        partial[piece] = DenseMatrix(out.rows, out.columns);
        const auto begin = static_cast<Index>(rows * piece / most_pieces);
        const auto end = static_cast<Index>(rows * (piece + 1) / most_pieces);
        add({begin, end}, partial[piece]);
    });
    for (const DenseMatrix& part : partial) {
        const std::span<const float> numbers = part.numbers();
        for (std::size_t k = 0; k < numbers.size(); ++k)
            out.data[k] += numbers[k];
    }
}

std::int64_t work_of(const CsrMatrix<float>& m, std::size_t stride) {
    return m.entries() * static_cast<std::int64_t>(stride);
}

std::int64_t work_of(ConstMatrixView a, std::size_t stride) {
    return static_cast<std::int64_t>(a.rows) * a.columns * static_cast<std::int64_t>(stride);
}

}  // namespace

void for_row_ranges(Index rows, std::int64_t work, const ExecutionControl& control,
                    const std::function<void(cpu::RowRange)>& body) {
    const int threads = thread_count(control);
    if (threads == 1 || work < worth_sharing) return body({0, rows});
    const std::int64_t ranges = std::min<std::int64_t>(std::max<Index>(rows, 1), 4 * threads);
    parallel_for(ranges, 1, without_progress(control), [&](int, std::int64_t range) {
        body({static_cast<Index>(rows * range / ranges), static_cast<Index>(rows * (range + 1) / ranges)});
    });
}

void multiply(const CsrMatrix<float>& m, const KeptEntries* kept, ConstMatrixView b, MatrixView out,
              Write write, const ExecutionControl& control) {
    for_row_ranges(m.rows, work_of(m, b.stride()), control, [&](cpu::RowRange rows) {
        if (kept != nullptr) {
            cpu::kept_sparse_product(m, *kept, b, out, rows, write);
        } else {
            cpu::sparse_product(m, b, out, rows, write);
        }
    });
}

void add_transposed_product(const CsrMatrix<float>& m, const KeptEntries* kept, ConstMatrixView g,
                            MatrixView out, const ExecutionControl& control) {
    add_in_pieces(m.rows, work_of(m, g.stride()), out, control, [&](cpu::RowRange rows, MatrixView target) {
        if (kept != nullptr) {
            cpu::add_transposed_kept_sparse_product(m, *kept, g, target, rows);
        } else {
            cpu::add_transposed_sparse_product(m, g, target, rows);
        }
    });
}

void multiply(ConstMatrixView a, ConstMatrixView b, MatrixView out, Write write,
              const ExecutionControl& control) {
    for_row_ranges(a.rows, work_of(a, b.stride()), control,
                   [&](cpu::RowRange rows) { cpu::dense_product(a, b, out, rows, write); });
}

void add_transposed_product(ConstMatrixView a, ConstMatrixView g, MatrixView out,
                            const ExecutionControl& control) {
    add_in_pieces(a.rows, work_of(a, g.stride()), out, control, [&](cpu::RowRange rows, MatrixView target) {
        cpu::add_transposed_dense_product(a, g, target, rows);
    });
}

}  // namespace hwgcn
