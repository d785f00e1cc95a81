#include "tensor/losses.hpp"

#include <algorithm>
#include <vector>

#include "tensor/cpu/elementwise_kernels.hpp"
#include "tensor/elementary.hpp"

namespace hwgcn::cpu {

std::int64_t cross_entropy(ConstMatrixView scores, std::span<const Index> labels,
                           std::span<const float> weights, MatrixView errors, MatrixView loss,
                           const SummedRows& rows) {
    std::vector<double> log_sums(static_cast<std::size_t>(scores.rows));
    cpu::softmax_rows(scores, errors, log_sums.data(), {0, scores.rows});
    for (Index i = 0; i < scores.rows; ++i) {
        errors.at(i, labels[i]) -= 1.0F;
        for (Index c = 0; !weights.empty() && c < errors.columns; ++c)
            errors.at(i, c) *= weights[i];
    }
    const auto add = [&](RowRange range, std::span<double> sum) {
        for (Index i = range.begin; i < range.end; ++i) {
            const double row_loss = log_sums[i] - static_cast<double>(scores.at(i, labels[i]));
            sum[0] += weights.empty() ? row_loss : static_cast<double>(weights[i]) * row_loss;
        }
    };
    const double sum = sum_over_rows(rows, scores.rows, 1, add).front();
    const std::int64_t count = count_rows(rows, scores.rows);
    loss.at(0, 0) = static_cast<float>(sum / static_cast<double>(std::max<std::int64_t>(count, 1)));
    return count;
}

std::int64_t squared_distance(ConstMatrixView x, ConstMatrixView y, MatrixView difference, MatrixView loss,
                              const SummedRows& rows) {
    const auto add = [&](RowRange range, std::span<double> sum) {
        double squares = sum[0];
        for (Index i = range.begin; i < range.end; ++i) {
            const float* left = x.row(i);
            const float* right = y.row(i);
            float* between = difference.row(i);
            for (std::size_t k = 0; k < x.stride(); ++k)
                between[k] = left[k] - right[k];
            for (Index k = 0; k < x.columns; ++k) {
                const double exact = static_cast<double>(left[k]) - static_cast<double>(right[k]);
                squares += exact * exact;
            }
        }
        sum[0] = squares;
    };
    const double sum = sum_over_rows(rows, x.rows, 1, add).front();
    const std::int64_t count = count_rows(rows, x.rows);
    loss.at(0, 0) = static_cast<float>(sum / static_cast<double>(std::max<std::int64_t>(count, 1)));
    return count;
}

namespace {

void sharpened_rows(std::span<const ConstMatrixView> distributions, double temperature, MatrixView out,
                    RowRange rows) {
    std::vector<double> powers(static_cast<std::size_t>(out.columns));
    const double share = 1.0 / static_cast<double>(distributions.size());
    for (Index i = rows.begin; i < rows.end; ++i) {
        double sum = 0;
        for (Index c = 0; c < out.columns; ++c) {
            double mean = 0;
            for (const ConstMatrixView& distribution : distributions)
                mean += static_cast<double>(distribution.at(i, c));
            mean *= share;
            // The square, for the temperature 1/2, needs no logarithm.
            powers[c] = temperature == 0.5 ? mean * mean
                        : mean > 1e-30     ? exponential(logarithm(mean) / temperature)
                                           : 0.0;
            sum += powers[c];
        }
        for (Index c = 0; c < out.columns; ++c)
            out.at(i, c) = static_cast<float>(powers[c] / sum);
    }
}

}  // namespace

void count_correct(ConstMatrixView scores, std::span<const Index> labels, MatrixView out) {
    std::int64_t correct = 0;
    for (Index i = 0; i < scores.rows; ++i)
        correct += argmax(scores, i) == labels[i] ? 1 : 0;
    out.at(0, 0) = static_cast<float>(correct);
}

void sharpened_mean(std::span<const ConstMatrixView> distributions, double temperature, MatrixView out,
                    const ExecutionControl& control) {
    constexpr std::int64_t power_work = 128;  // a logarithm and an exponential, in multiplications
    const std::int64_t numbers = static_cast<std::int64_t>(out.rows) * out.columns;
    for_row_ranges(out.rows, (temperature == 0.5 ? memory_work : power_work) * numbers, control,
                   [&](RowRange rows) { sharpened_rows(distributions, temperature, out, rows); });
}

}  // namespace hwgcn::cpu
