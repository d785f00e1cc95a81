#include "linalg/losses.hpp"

#include <algorithm>
#include <vector>

#include "linalg/cpu/elementwise_kernels.hpp"
#include "linalg/elementary.hpp"

namespace hwgcn {

void cross_entropy(ConstMatrixView scores, std::span<const Index> labels, std::span<const float> weights,
                   MatrixView errors, MatrixView loss) {
    std::vector<double> log_sums(static_cast<std::size_t>(scores.rows));
    cpu::softmax_rows(scores, errors, log_sums.data(), {0, scores.rows});
    double sum = 0;
    for (Index i = 0; i < scores.rows; ++i) {
        const double row_loss = log_sums[i] - static_cast<double>(scores.at(i, labels[i]));
        errors.at(i, labels[i]) -= 1.0F;
        if (weights.empty()) {
            sum += row_loss;
            continue;
        }
        sum += static_cast<double>(weights[i]) * row_loss;
        for (Index c = 0; c < errors.columns; ++c)
            errors.at(i, c) *= weights[i];
    }
    loss.at(0, 0) = static_cast<float>(sum / std::max<Index>(scores.rows, 1));
}

void squared_distance(ConstMatrixView x, ConstMatrixView y, MatrixView difference, MatrixView loss) {
    double sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
        const double exact = static_cast<double>(x.data[k]) - static_cast<double>(y.data[k]);
        sum += exact * exact;
        difference.data[k] = x.data[k] - y.data[k];
    }
    loss.at(0, 0) = static_cast<float>(sum / std::max<Index>(x.rows, 1));
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

void sharpened_mean(std::span<const ConstMatrixView> distributions, double temperature, MatrixView out,
                    const ExecutionControl& control) {
    constexpr std::int64_t power_work = 128;  // a logarithm and an exponential, in multiplications
    const std::int64_t numbers = static_cast<std::int64_t>(out.rows) * out.columns;
    for_row_ranges(out.rows, (temperature == 0.5 ? memory_work : power_work) * numbers, control,
                   [&](RowRange rows) { sharpened_rows(distributions, temperature, out, rows); });
}

}  // namespace hwgcn
