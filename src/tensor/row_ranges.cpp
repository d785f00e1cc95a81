#include "tensor/row_ranges.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "base/parallel_for.hpp"

namespace hwgcn {

ExecutionControl without_progress(const ExecutionControl& control) {
    return {control.threads, nullptr, control.stop};
}

void for_row_ranges(Index rows, std::int64_t work, const ExecutionControl& control,
                    const std::function<void(RowRange)>& body) {
    const int threads = thread_count(control);
    if (threads == 1 || work < worth_sharing) return body({0, rows});
    const std::int64_t ranges = std::min<std::int64_t>(std::max<Index>(rows, 1), std::int64_t{4} * threads);
    parallel_for(ranges, 1, without_progress(control), [&](int, std::int64_t range) {
        body({static_cast<Index>(rows * range / ranges), static_cast<Index>(rows * (range + 1) / ranges)});
    });
}

Index piece_count(std::int64_t work, MatrixView out) {
    constexpr Index pieces = 8;
    constexpr std::int64_t worth_pieces = 1 << 22;  // part of what a sum is: another number gives other bits
    const bool too_wide = static_cast<std::int64_t>(out.size()) * pieces > work;
    return work < worth_pieces || too_wide ? 1 : pieces;
}

void add_in_pieces(Index rows, std::int64_t work, MatrixView out, const ExecutionControl& control,
                   const std::function<void(RowRange, MatrixView)>& add) {
    const Index pieces = piece_count(work, out);
    if (pieces == 1) return add({0, rows}, out);
    std::vector<DenseMatrix> partial(static_cast<std::size_t>(pieces));
    parallel_for(pieces, 1, without_progress(control), [&](int, std::int64_t piece) {
        partial[piece] = DenseMatrix(out.rows, out.columns);
        add(piece_of(rows, piece, pieces), partial[piece]);
    });
    for (const DenseMatrix& part : partial) {
        const std::span<const float> numbers = part.numbers();
        for (std::size_t k = 0; k < numbers.size(); ++k)
            out.data[k] += numbers[k];
    }
}

}  // namespace hwgcn
