#include "linalg/gpu/losses.hpp"

#include <algorithm>

#include "linalg/elementwise.hpp"
#include "linalg/gpu/arguments.hpp"
#include "linalg/rows.hpp"
#include "linalg/transfer.hpp"

namespace hwgcn::gpu {
namespace {

float mean_factor(Index rows) {
    return static_cast<float>(1.0 / static_cast<double>(std::max<Index>(rows, 1)));
}

}  // namespace

std::int64_t cross_entropy(Device& device, ConstMatrixView scores, std::span<const Index> labels,
                           std::span<const float> weights, MatrixView errors, MatrixView loss,
                           const SummedRows& rows) {
    expect_no_blocks(rows);
    fill(loss, 0.0F);
    if (scores.rows == 0) return 0;
    constexpr std::int64_t piece_rows = 256;
    const auto count = static_cast<std::size_t>(scores.rows);
    const Pieces pieces = pieces_of(scores.rows, piece_rows);
    const auto [row_losses, sums] = device.two_real_scratches(count, static_cast<std::size_t>(pieces.count));
    device.run("cross_entropy_rows", over_numbers(count), scores, stride_of(scores), scores.columns,
               scores.rows, labels, weights, Index{weights.empty() ? 0 : 1}, errors, row_losses);
    device.run("sum_pieces", over_numbers(static_cast<std::size_t>(pieces.count)), row_losses,
               std::uint64_t{count}, std::uint64_t{piece_rows}, pieces.count, sums);
    device.run("add_pieces", over_numbers(1), sums, pieces.count, std::uint64_t{1}, loss,
               mean_factor(scores.rows));
    return scores.rows;
}

std::int64_t squared_distance(Device& device, ConstMatrixView x, ConstMatrixView y, MatrixView difference,
                              MatrixView loss, const SummedRows& rows) {
    device.run("difference", over_numbers_of(x), x, y, difference, count_of(x));
    fill(loss, 0.0F);
    add_dot(difference, difference, loss, 0, rows);
    hwgcn::scale({.multiplier = mean_factor(x.rows)}, loss, loss, Write::replace);
    return x.rows;
}

void sharpened_mean(Device& device, std::span<const ConstMatrixView> distributions, double temperature,
                    MatrixView out) {
    copy(distributions.front(), out);
    for (const ConstMatrixView& distribution : distributions.subspan(1))
        hwgcn::scale({}, distribution, out, Write::add);
    device.run("sharpen_rows", over_numbers(static_cast<std::size_t>(out.rows)), out, stride_of(out),
               out.columns, out.rows, 1.0F / static_cast<float>(distributions.size()),
               static_cast<float>(1.0 / temperature));
}

}  // namespace hwgcn::gpu
