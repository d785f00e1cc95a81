#include "hwgcn/metrics/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "linalg/elementary.hpp"
#include "support/stopping.hpp"

namespace hwgcn {
namespace {

constexpr double prior_deviation = 0.5;  // of log T
constexpr double widest = 3.0;           // |log T|
constexpr int halvings = 40;

// Nothing counts as impossible: a single wrong certainty would outweigh a thousand good predictions.
double log_of(float p, Index classes) {
    const double least = 1e-3 / classes;
    return logarithm(std::max(static_cast<double>(p), least));
}

// log p of the nodes' rows.
std::vector<double> log_rows(ConstMatrixView probabilities, std::span<const Index> nodes,
                             const ExecutionControl& control) {
    std::vector<double> logs;
    for (const Index node : nodes) {
        throw_if_stopped(control);
        for (Index c = 0; c < probabilities.columns; ++c)
            logs.push_back(log_of(probabilities.at(node, c), probabilities.columns));
    }
    return logs;
}

// With b = 1 / T, the derivative by log b of
//   sum over nodes of (log sum_c exp(b z_c) - b z_label) + (log b)^2 / (2 deviation^2),
// which is b sum (mean of z under softmax(b z) - z_label) + log b / deviation^2.
double slope(const std::vector<double>& logs, Index classes, std::span<const Index> labels,
             std::span<const Index> nodes, double log_b, const ExecutionControl& control) {
    const double b = exponential(log_b);
    double sum = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        throw_if_stopped(control);
        const std::span z(logs.data() + i * static_cast<std::size_t>(classes),
                          static_cast<std::size_t>(classes));
        const double largest = *std::ranges::max_element(z);
        double weights = 0, mean = 0;
        for (const double value : z) {
            const double weight = exponential(b * (value - largest));
            weights += weight;
            mean += weight * value;
        }
        sum += mean / weights - z[labels[nodes[i]]];
    }
    return b * sum + log_b / (prior_deviation * prior_deviation);
}

}  // namespace

double fit_temperature(ConstMatrixView probabilities, std::span<const Index> labels,
                       std::span<const Index> nodes, const ExecutionControl& control) {
    if (nodes.empty()) return 1.0;
    const std::vector<double> logs = log_rows(probabilities, nodes, control);
    // The loss falls to the left of its minimum and rises to the right: halve the interval.
    double low = -widest, high = widest;
    for (int k = 0; k < halvings; ++k) {
        const double middle = 0.5 * (low + high);
        (slope(logs, probabilities.columns, labels, nodes, middle, control) < 0 ? low : high) = middle;
    }
    return exponential(-0.5 * (low + high));
}

namespace {

constexpr double offset_deviation = 2.0;  // of the prior of the offset

// The log-odds of the second class, and whether it is the node's.
struct LogOdds {
    double z = 0;
    double is_second = 0;
};

// The sums of p - y and of (p - y) z, where p = sigmoid(b z + offset): the loss's derivatives by offset and
// b.
std::pair<double, double> slopes(const std::vector<LogOdds>& nodes, double b, double offset,
                                 const ExecutionControl& control) {
    double by_offset = 0, by_b = 0;
    for (const auto& [z, is_second] : nodes) {
        throw_if_stopped(control);
        const double error = 1 / (1 + exponential(-b * z - offset)) - is_second;
        by_offset += error;
        by_b += error * z;
    }
    return {by_offset, by_b};
}

// The best offset for a b: the loss is convex in it.
double best_offset(const std::vector<LogOdds>& nodes, double b, const ExecutionControl& control) {
    double low = -largest_offset, high = largest_offset;
    for (int k = 0; k < halvings; ++k) {
        const double middle = 0.5 * (low + high);
        const double slope =
            slopes(nodes, b, middle, control).first + middle / (offset_deviation * offset_deviation);
        (slope < 0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

}  // namespace

// By halving the interval of log b = -log T, with the best offset for each: where the offset is the best, the
// slope by log b is that of the loss with this offset.
Scaling fit_scaling(ConstMatrixView probabilities, std::span<const Index> labels,
                    std::span<const Index> nodes, const ExecutionControl& control) {
    std::vector<LogOdds> odds;
    double second = 0;
    for (const Index node : nodes) {
        const double z = log_of(probabilities.at(node, 1), 2) - log_of(probabilities.at(node, 0), 2);
        odds.push_back({z, labels[node] == 1 ? 1.0 : 0.0});
        second += odds.back().is_second;
    }
    if (second == 0 || second == static_cast<double>(odds.size()))
        return {fit_temperature(probabilities, labels, nodes, control), 0};
    double low = -widest, high = widest;
    for (int k = 0; k < halvings; ++k) {
        const double middle = 0.5 * (low + high);
        const double b = exponential(middle);
        const double slope = b * slopes(odds, b, best_offset(odds, b, control), control).second +
                             middle / (prior_deviation * prior_deviation);
        (slope < 0 ? low : high) = middle;
    }
    const double log_b = 0.5 * (low + high);
    return {exponential(-log_b), best_offset(odds, exponential(log_b), control)};
}

void apply_temperature(MatrixView probabilities, double temperature, const ExecutionControl& control) {
    if (temperature == 1.0) return;
    std::vector<double> weights(static_cast<std::size_t>(probabilities.columns));
    for (Index i = 0; i < probabilities.rows; ++i) {
        throw_if_stopped(control);
        const Index first = argmax(probabilities, i);
        const double largest = log_of(probabilities.at(i, first), probabilities.columns);
        double sum = 0;
        for (Index c = 0; c < probabilities.columns; ++c) {
            const double z = log_of(probabilities.at(i, c), probabilities.columns);
            weights[c] = exponential((z - largest) / temperature);
            sum += weights[c];
        }
        for (Index c = 0; c < probabilities.columns; ++c)
            probabilities.at(i, c) = static_cast<float>(weights[c] / sum);
        // Rounding must not make an earlier class equal to the most probable one.
        float& most_probable = probabilities.at(i, first);
        if (argmax(probabilities, i) != first) most_probable = std::nextafter(most_probable, 2.0F);
    }
}

}  // namespace hwgcn
