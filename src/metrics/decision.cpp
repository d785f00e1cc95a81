#include "hwgcn/metrics/decision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/parameter.hpp"
#include "base/stopping.hpp"
#include "metrics/calibration.hpp"
#include "tensor/elementary.hpp"

namespace hwgcn {
namespace {

constexpr Index none = -1;

// The largest w_c p_c of all classes but one.
Index heaviest(ConstMatrixView probabilities, Index row, std::span<const double> weights, Index but) {
    Index best = none;
    double largest = -1;
    for (Index c = 0; c < probabilities.columns; ++c) {
        const double weight = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(c)];
        const double value = weight * static_cast<double>(probabilities.at(row, c));
        if (c == but || value <= largest) continue;
        best = c;
        largest = value;
    }
    return best;
}

// F1 of the positive class, or the mean of both recalls.
double goodness(ThresholdRule::Kind goal, double hits, double false_alarms, double positives,
                double negatives) {
    if (goal == ThresholdRule::Kind::f1) return 2 * hits / (hits + false_alarms + positives);
    return 0.5 * (hits / positives + 1 - false_alarms / negatives);
}

}  // namespace

Index decide(ConstMatrixView probabilities, Index row, const Decision& decision) {
    if (decision.threshold) {
        const auto [positive, least] = *decision.threshold;
        return static_cast<double>(probabilities.at(row, positive)) >= least ? positive : 1 - positive;
    }
    if (decision.class_weights.empty()) return argmax(probabilities, row);
    return heaviest(probabilities, row, decision.class_weights, none);
}

Index second_choice(ConstMatrixView probabilities, Index row, const Decision& decision) {
    const Index first = decide(probabilities, row, decision);
    const Index second = heaviest(probabilities, row, decision.class_weights, first);
    return second == none ? first : second;
}

void expect_decision_among(const Decision& decision, Index classes) {
    const std::vector<double>& weights = decision.class_weights;
    if (!weights.empty() && weights.size() != static_cast<std::size_t>(classes)) {
        throw InputError(
            fmt::format("class weights: expected {}, one per class, got {}", classes, weights.size()));
    }
    for (const double weight : weights) {
        if (!(weight > 0 && std::isfinite(weight)))
            throw InputError(fmt::format("class weights: expected positive numbers, got {}", weight));
    }
    if (!(decision.smoothing >= 0 && decision.smoothing < 1))
        throw InputError(fmt::format("smoothing: expected a number in 0..1, got {}", decision.smoothing));
    if (!decision.threshold && decision.offset == 0) return;
    if (classes != 2)
        throw InputError(fmt::format("a threshold decides between two classes, and there {} {}",
                                     classes == 1 ? "is" : "are", classes));
    if (!(std::abs(decision.offset) <= largest_offset))
        throw InputError(
            fmt::format("offset: expected a number in -{0}..{0}, got {1}", largest_offset, decision.offset));
    if (!decision.threshold) return;
    const auto [positive, least] = *decision.threshold;
    if (positive < 0 || positive > 1 || !(least >= 0 && least <= 1)) {
        throw InputError(fmt::format("threshold: expected a number in 0..1 for class 0 or 1, got {} for {}",
                                     least, positive));
    }
}

// By logarithms, which weights of 1e30 do not overflow: log p_c = log q_c - log w_c + a constant.
void divide_out_weights(MatrixView probabilities, std::span<const double> class_weights,
                        const ExecutionControl& control) {
    if (class_weights.empty()) return;
    constexpr double smallest = std::numeric_limits<float>::denorm_min();
    std::vector<double> log_weights, logs(class_weights.size());
    for (const double weight : class_weights)
        log_weights.push_back(logarithm(weight));
    for (Index i = 0; i < probabilities.rows; ++i) {
        throw_if_stopped(control);
        for (std::size_t c = 0; c < logs.size(); ++c) {
            const auto q = static_cast<double>(probabilities.at(i, static_cast<Index>(c)));
            logs[c] = logarithm(std::max(q, smallest)) - log_weights[c];
        }
        const double largest = *std::ranges::max_element(logs);
        double sum = 0;
        for (double& value : logs) {
            value = exponential(value - largest);
            sum += value;
        }
        for (std::size_t c = 0; c < logs.size(); ++c)
            probabilities.at(i, static_cast<Index>(c)) = static_cast<float>(logs[c] / sum);
    }
}

void calibrate(MatrixView probabilities, const Decision& decision, double temperature,
               const ExecutionControl& control) {
    expect_decision_among(decision, probabilities.columns);
    divide_out_weights(probabilities, decision.class_weights, control);
    apply_calibration(probabilities, {temperature, decision.offset, decision.smoothing}, control);
}

std::string ThresholdRule::text() const {
    switch (kind) {
        case Kind::none:
            return "";
        case Kind::f1:
            return "f1";
        case Kind::balanced:
            return "balanced";
        case Kind::number:
            break;
    }
    return value_text(number);
}

ThresholdRule threshold_rule(std::string_view text) {
    using Kind = ThresholdRule::Kind;
    if (text.empty()) return {};
    if (text == "f1") return {Kind::f1};
    if (text == "balanced") return {Kind::balanced};
    const std::optional<double> number = parse_value<double>(text);
    if (number && *number > 0 && *number < 1) return {Kind::number, *number};
    throw InputError(
        fmt::format("`threshold`: expected f1, balanced or a number between 0 and 1, got '{}'", text));
}

std::optional<double> fit_threshold(ConstMatrixView probabilities, std::span<const Index> labels,
                                    std::span<const Index> nodes, Index positive, ThresholdRule::Kind goal) {
    std::vector<std::pair<double, bool>> ranked;  // probability of the class, and whether the node is of it
    double positives = 0;
    for (const Index node : nodes) {
        const bool is_positive = labels[static_cast<std::size_t>(node)] == positive;
        ranked.emplace_back(static_cast<double>(probabilities.at(node, positive)), is_positive);
        positives += is_positive ? 1 : 0;
    }
    const double negatives = static_cast<double>(ranked.size()) - positives;
    if (positives == 0 || negatives == 0) return std::nullopt;
    std::ranges::sort(ranked, std::ranges::greater{}, [](const auto& one) { return one.first; });
    double hits = 0, false_alarms = 0, best = -1, threshold = 0.5;
    for (std::size_t k = 0; k < ranked.size(); ++k) {
        (ranked[k].second ? hits : false_alarms) += 1;
        const double next = k + 1 < ranked.size() ? ranked[k + 1].first : 0.0;
        if (k + 1 < ranked.size() && next == ranked[k].first) continue;
        const double value = goodness(goal, hits, false_alarms, positives, negatives);
        const double middle = 0.5 * (ranked[k].first + next);
        const bool nearer = std::abs(middle - 0.5) < std::abs(threshold - 0.5);
        if (value < best || (value == best && !nearer)) continue;
        best = value;
        threshold = middle;
    }
    return threshold;
}

}  // namespace hwgcn
