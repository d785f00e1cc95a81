#include "choice/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hwgcn/metrics/metrics.hpp"

#include "training/selection.hpp"

namespace hwgcn {
namespace {

Difference compare_accuracy(ConstMatrixView a, ConstMatrixView b, std::span<const Index> labels,
                            const Decision& decision) {
    double sum = 0, squares = 0;
    for (Index i = 0; i < a.rows; ++i) {
        const int own = decide(a, i, decision) == labels[i] ? 1 : 0;
        const int other = decide(b, i, decision) == labels[i] ? 1 : 0;
        sum += own - other;
        squares += (own - other) * (own - other);
    }
    const auto n = static_cast<double>(a.rows);
    const double mean = sum / n;
    return {mean, std::sqrt(std::max(0.0, squares / n - mean * mean) / n)};
}

// Rows by label, and in order within a label, so that every group has its share of every class.
std::vector<Index> rows_by_label(std::span<const Index> labels) {
    std::vector<Index> rows(labels.size());
    std::iota(rows.begin(), rows.end(), Index{0});
    std::stable_sort(rows.begin(), rows.end(), [&](Index x, Index y) { return labels[x] < labels[y]; });
    return rows;
}

}  // namespace

double judged_value(ConstMatrixView probabilities, std::span<const Index> labels, std::span<const Index> rows,
                    const Judge& judge, const ExecutionControl& control) {
    const Metrics metrics =
        compute_metrics(probabilities, labels, rows, control, {.decision = judge.decision});
    return criterion_value(judge.selection, metrics);
}

// With theta_k the difference without group k and m their mean over g groups, the variance of the difference
// is (g - 1)/g times the sum of (theta_k - m)^2 (Quenouille, Tukey).
Difference compare(ConstMatrixView a, ConstMatrixView b, std::span<const Index> labels, const Judge& judge,
                   const ExecutionControl& control) {
    if (judge.selection == Selection::accuracy) return compare_accuracy(a, b, labels, judge.decision);
    const std::vector<Index> rows = rows_by_label(labels);
    const auto difference_at = [&](std::span<const Index> some) {
        return judged_value(a, labels, some, judge, control) - judged_value(b, labels, some, judge, control);
    };
    constexpr std::size_t most_groups = 20;
    const std::size_t groups = std::min(most_groups, rows.size());
    std::vector<double> without;
    for (std::size_t group = 0; group < groups && groups > 1; ++group) {
        std::vector<Index> others;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            if (k % groups != group) others.push_back(rows[k]);
        }
        without.push_back(difference_at(others));
    }
    Difference result{difference_at(rows), 0};
    const double mean = std::accumulate(without.begin(), without.end(), 0.0) / static_cast<double>(groups);
    for (const double one : without)
        result.error += (one - mean) * (one - mean);
    result.error = std::sqrt(result.error * static_cast<double>(groups - 1) / static_cast<double>(groups));
    return result;
}

}  // namespace hwgcn
