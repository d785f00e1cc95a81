#include "tensor/losses.hpp"

#include <algorithm>

#include "tensor/elementwise.hpp"
#include "tensor/opencl/arguments.hpp"
#include "tensor/rows.hpp"

namespace hwgcn::opencl {
namespace {

float mean_factor(Index rows) {
    return static_cast<float>(1.0 / static_cast<double>(std::max<Index>(rows, 1)));
}

}  // namespace

std::int64_t cross_entropy(ConstMatrixView scores, std::span<const Index> labels,
                           std::span<const float> weights, MatrixView errors, MatrixView loss,
                           const SummedRows& rows) {
    Device& device = device_at(loss);
    expect_no_blocks(rows);
    const auto count = static_cast<std::size_t>(scores.rows);
    const Reals row_losses = device.real_scratch(count);
    device.run("cross_entropy_rows", over_numbers(count), scores, stride_of(scores), scores.columns,
               scores.rows, labels, weights, Index{weights.empty() ? 0 : 1}, errors, row_losses);
    device.run("sum_numbers", one_group(), row_losses, std::uint64_t{count}, mean_factor(scores.rows), loss,
               Index{0});
    return scores.rows;
}

void count_correct(ConstMatrixView scores, std::span<const Index> labels, MatrixView out) {
    device_at(out).run("count_correct", one_group(), scores, stride_of(scores), scores.columns, scores.rows,
                       labels, out);
}

std::int64_t squared_distance(ConstMatrixView x, ConstMatrixView y, MatrixView difference, MatrixView loss,
                              const SummedRows& rows) {
    expect_no_blocks(rows);
    device_at(loss).run("difference", over_numbers_of(x), x, y, difference, count_of(x));
    put_dot(mean_factor(x.rows), difference, difference, loss, Write::replace);
    return x.rows;
}

void sharpened_mean(std::span<const ConstMatrixView> distributions, double temperature, MatrixView out,
                    const ExecutionControl&) {
    copy(distributions.front(), out);
    for (const ConstMatrixView& distribution : distributions.subspan(1))
        hwgcn::scale({}, distribution, out, Write::add);
    device_at(out).run("sharpen_rows", over_numbers(static_cast<std::size_t>(out.rows)), out, stride_of(out),
                       out.columns, out.rows, 1.0F / static_cast<float>(distributions.size()),
                       static_cast<float>(1.0 / temperature));
}

}  // namespace hwgcn::opencl
