#pragma once

#include <cstdint>
#include <functional>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/tensor/dense_matrix.hpp"

namespace hwgcn {

/// A range of rows, for several threads to share a product.
struct RowRange {
    Index begin;
    Index end;
};

/// Multiplications that are worth a thread: about 30 microseconds, where starting a task costs one or two.
inline constexpr std::int64_t worth_sharing = 1 << 18;

/// What an operation that only reads and writes memory costs per number, in multiplications.
inline constexpr std::int64_t memory_work = 4;

/// For operations on little data.
inline constexpr ExecutionControl one_thread{.threads = 1};

/// The same threads and the same way to stop.
ExecutionControl without_progress(const ExecutionControl& control);

/// Calls body for ranges of rows that together make up 0..rows-1, at the same time where `work` (in
/// multiplications, over all rows) is worth it. For operations of this folder, and for solvers in double
/// precision, which stay on the processor.
void for_row_ranges(Index rows, std::int64_t work, const ExecutionControl& control,
                    const std::function<void(RowRange)>& body);

/// Some rows of a matrix.
template <typename Float>
BasicMatrixView<Float> part_of(BasicMatrixView<Float> matrix, RowRange rows) {
    return {matrix.row(rows.begin), rows.end - rows.begin, matrix.columns};
}

/// Into how many pieces a sum over rows is cut, by `work` (in multiplications, over all rows) and the size of
/// its result alone; 1: none.
Index piece_count(std::int64_t work, MatrixView out);

/// The rows of one of so many pieces.
inline RowRange piece_of(Index rows, std::int64_t piece, Index pieces) {
    return {static_cast<Index>(rows * piece / pieces), static_cast<Index>(rows * (piece + 1) / pieces)};
}

/// A sum over rows: calls add(rows, target) for pieces of the rows, which are cut by `work` (in
/// multiplications, over all rows) and the size of `out` alone. The targets, zero at first, are added to
/// `out`, first piece first; a sum that is worth no pieces is added to `out` directly.
void add_in_pieces(Index rows, std::int64_t work, MatrixView out, const ExecutionControl& control,
                   const std::function<void(RowRange, MatrixView)>& add);

}  // namespace hwgcn
