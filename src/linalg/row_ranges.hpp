#pragma once

#include <cstdint>
#include <functional>

#include "hwgcn/linalg/csr_matrix.hpp"
#include "hwgcn/support/run_control.hpp"

namespace hwgcn {

/// A range of rows, so that several threads can share a product.
struct RowRange {
    Index begin;
    Index end;
};

/// Multiplications that are worth a thread: about a tenth of a millisecond, where starting a task costs a few
/// microseconds.
inline constexpr std::int64_t worth_sharing = 1 << 20;

/// The same threads and the same way to stop.
ExecutionControl without_progress(const ExecutionControl& control);

/// Calls body for ranges of rows that together make up 0..rows-1, at the same time where `work` (in
/// multiplications, over all rows) is worth it. For operations of this folder, and for solvers in double
/// precision, which stay on the processor.
void for_row_ranges(Index rows, std::int64_t work, const ExecutionControl& control,
                    const std::function<void(RowRange)>& body);

}  // namespace hwgcn
