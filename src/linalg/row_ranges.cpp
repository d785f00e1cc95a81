#include "linalg/row_ranges.hpp"

#include <algorithm>

#include "support/parallel_for.hpp"

namespace hwgcn {

ExecutionControl without_progress(const ExecutionControl& control) {
    return {control.threads, nullptr, control.stop};
}

void for_row_ranges(Index rows, std::int64_t work, const ExecutionControl& control,
                    const std::function<void(RowRange)>& body) {
    const int threads = thread_count(control);
    if (threads == 1 || work < worth_sharing) return body({0, rows});
    const std::int64_t ranges = std::min<std::int64_t>(std::max<Index>(rows, 1), 4 * threads);
    parallel_for(ranges, 1, without_progress(control), [&](int, std::int64_t range) {
        body({static_cast<Index>(rows * range / ranges), static_cast<Index>(rows * (range + 1) / ranges)});
    });
}

}  // namespace hwgcn
