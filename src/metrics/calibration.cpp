#include "metrics/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random_sample.hpp"
#include "base/stopping.hpp"
#include "tensor/elementary.hpp"

namespace hwgcn {
namespace {

// What the prior says, and how strongly; measured by benchmarks/calibration.
constexpr double usual_confidence = 0.55;  // the prior's T makes the mean confidence this much
constexpr double prior_deviation = 1.0;    // of log T
constexpr double offset_deviation = 2.0;   // of the offset, around 0
// The nodes that calibrate have selected the epoch, too, and are predicted a little better than others are:
// the confidence is taken back by this many standard errors of their accuracy.
constexpr double selection_errors = 0.1;

constexpr double widest = 4.605170185988091;  // |log T|: T is in 0.01..100
constexpr double widest_prior = 3.0;          // |log T| of the prior's centre
constexpr double largest_smoothing = 0.95;
constexpr std::size_t enough_nodes = 5000;  // more of them say no more about three numbers
constexpr int halvings = 40;

// Where an increasing function changes its sign, or the end of the interval that is nearer to it.
template <typename Function>
double zero_of(double low, double high, const Function& increasing) {
    for (int k = 0; k < halvings; ++k) {
        const double middle = 0.5 * (low + high);
        (increasing(middle) < 0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

// Nothing counts as impossible: a single wrong certainty would outweigh a thousand good predictions.
double log_of(float p, Index classes) {
    const double least = 1e-3 / classes;
    return logarithm(std::max(static_cast<double>(p), least));
}

// The rows of the held-out nodes, or of some of them where they are very many.
struct HeldOutRows {
    Index classes;
    std::vector<double> logs;  // log p, row by row
    std::vector<Index> labels;
    double right = 0;  // how many of them have their label as the most probable class

    HeldOutRows(ConstMatrixView probabilities, std::span<const Index> all_labels,
                std::span<const Index> nodes, const ExecutionControl& control)
        : classes(probabilities.columns) {
        for (const std::size_t place : random_sample(nodes.size(), enough_nodes)) {
            throw_if_stopped(control);
            const Index node = nodes[place];
            for (Index c = 0; c < classes; ++c)
                logs.push_back(log_of(probabilities.at(node, c), classes));
            labels.push_back(all_labels[node]);
            right += argmax(probabilities, node) == labels.back() ? 1 : 0;
        }
    }
    std::size_t size() const { return labels.size(); }
    double log_odds(std::size_t row) const { return logs[2 * row + 1] - logs[2 * row]; }
};

// Of softmax(b log p), with the offset: the probability of each label, and the mean of the largest ones.
struct Sharpened {
    std::vector<double> of_label;
    double confidence = 0;
};

Sharpened sharpened(const HeldOutRows& rows, double b, double offset, const ExecutionControl& control) {
    Sharpened result;
    std::vector<double> z(static_cast<std::size_t>(rows.classes));
    for (std::size_t row = 0; row < rows.size(); ++row) {
        throw_if_stopped(control);
        for (std::size_t c = 0; c < z.size(); ++c)
            z[c] = b * rows.logs[row * z.size() + c];
        z.back() += offset;
        const double largest = *std::ranges::max_element(z);
        double sum = 0;
        for (double& value : z)
            sum += value = exponential(value - largest);
        result.of_label.push_back(z[rows.labels[row]] / sum);
        result.confidence += 1 / sum;
    }
    result.confidence /= static_cast<double>(rows.size());
    return result;
}

// Platt's offset for a b: minimises the log loss of sigmoid(b z + offset), which is convex in it, and its
// prior.
double best_offset(const HeldOutRows& rows, double b, const ExecutionControl& control) {
    return zero_of(-largest_offset, largest_offset, [&](double offset) {
        double slope = offset / (offset_deviation * offset_deviation);
        for (std::size_t row = 0; row < rows.size(); ++row) {
            throw_if_stopped(control);
            slope += 1 / (1 + exponential(-b * rows.log_odds(row) - offset)) - rows.labels[row];
        }
        return slope;
    });
}

// What is minimised, by log b, offset and smoothing e:
//   - sum over nodes of log((1-e) s_i + e/C)  +  charge ((1-e) m + e/C)  +  (log b - centre)^2 / (2
//   deviation^2)
// with s_i the probability of the label of node i and m the mean of the largest ones, both of softmax(b z).
class Objective {
  public:
    struct Point {
        double log_b = 0;
        double offset = 0;
        double smoothing = 0;
        double loss = 0;
    };

    Objective(const HeldOutRows& rows, bool with_offset, const ExecutionControl& control)
        : rows_(&rows), control_(&control), with_offset_(with_offset) {
        const auto count = static_cast<double>(rows.size());
        const double accuracy = (rows.right + 1) / (count + 2);
        // Where the confidence m is near the accuracy a, the log loss is about n (m - a)^2 / (2 a (1 - a)):
        // this much per unit of m moves the minimum by `selection_errors` times sqrt(a (1 - a) / n).
        charge_ = selection_errors * std::sqrt(count / (accuracy * (1 - accuracy)));
        centre_ = zero_of(-widest_prior, widest_prior, [&](double log_b) {
            return sharpened(rows, exponential(log_b), 0, control).confidence - usual_confidence;
        });
    }

    Point at(double log_b) const {
        const double b = exponential(log_b);
        const double offset = with_offset_ ? best_offset(*rows_, b, *control_) : 0;
        const Sharpened found = sharpened(*rows_, b, offset, *control_);
        const double smoothing = best_smoothing(found);
        const double equal = 1.0 / rows_->classes;
        const double from_centre = (log_b - centre_) / prior_deviation;
        double loss = charge_ * ((1 - smoothing) * found.confidence + smoothing * equal) +
                      0.5 * from_centre * from_centre;
        for (const double s : found.of_label)
            loss -= logarithm((1 - smoothing) * s + smoothing * equal);
        return {log_b, offset, smoothing, loss};
    }

  private:
    // The loss is convex in the smoothing.
    double best_smoothing(const Sharpened& found) const {
        const double equal = 1.0 / rows_->classes;
        const auto slope = [&](double smoothing) {
            double sum = charge_ * (equal - found.confidence);
            for (const double s : found.of_label)
                sum += (s - equal) / ((1 - smoothing) * s + smoothing * equal);
            return sum;
        };
        return slope(0) >= 0 ? 0 : zero_of(0, largest_smoothing, slope);
    }

    const HeldOutRows* rows_;
    const ExecutionControl* control_;
    bool with_offset_;
    double charge_ = 0;
    double centre_ = 0;
};

// The best point of a grid over log b, and from there by golden sections: there may be more than one minimum.
Objective::Point minimum(const Objective& objective) {
    constexpr int steps = 36;
    constexpr double step = 2 * widest / steps;
    Objective::Point best = objective.at(-widest);
    for (int k = 1; k <= steps; ++k) {
        const Objective::Point point = objective.at(-widest + k * step);
        if (point.loss < best.loss) best = point;
    }
    constexpr double golden = 0.6180339887498949;
    double low = std::max(best.log_b - step, -widest), high = std::min(best.log_b + step, widest);
    Objective::Point left = objective.at(high - golden * (high - low));
    Objective::Point right = objective.at(low + golden * (high - low));
    for (int k = 0; k < 20; ++k) {
        if (left.loss <= right.loss) {
            high = right.log_b;
            right = left;
            left = objective.at(high - golden * (high - low));
        } else {
            low = left.log_b;
            left = right;
            right = objective.at(low + golden * (high - low));
        }
    }
    for (const Objective::Point& point : {left, right})
        if (point.loss < best.loss) best = point;
    return best;
}

// Rounding must not make an earlier class equal to the most probable one.
void keep_most_probable(MatrixView probabilities, Index row, Index first) {
    float& most_probable = probabilities.at(row, first);
    while (argmax(probabilities, row) != first)
        most_probable = std::nextafter(most_probable, 2.0F);
}

}  // namespace

Calibration fit_calibration(ConstMatrixView probabilities, std::span<const Index> labels,
                            std::span<const Index> nodes, const ExecutionControl& control, bool with_offset) {
    if (nodes.empty() || probabilities.columns < 2) return {};
    const HeldOutRows rows(probabilities, labels, nodes, control);
    const bool two = std::ranges::any_of(rows.labels, [&](Index one) { return one != rows.labels.front(); });
    const Objective::Point best = minimum(Objective(rows, with_offset && rows.classes == 2 && two, control));
    return {exponential(-best.log_b), best.offset, best.smoothing};
}

void apply_calibration(MatrixView probabilities, const Calibration& calibration,
                       const ExecutionControl& control) {
    apply_temperature(probabilities, calibration.temperature, control);
    shift_log_odds(probabilities, calibration.offset, control);
    smooth(probabilities, calibration.smoothing, control);
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
        keep_most_probable(probabilities, i, first);
    }
}

// p_1 / p_0 is multiplied by exp(offset).
void shift_log_odds(MatrixView probabilities, double offset, const ExecutionControl& control) {
    if (offset == 0) return;
    const double factor = exponential(offset);
    for (Index i = 0; i < probabilities.rows; ++i) {
        throw_if_stopped(control);
        const auto first = static_cast<double>(probabilities.at(i, 0));
        const double second = factor * static_cast<double>(probabilities.at(i, 1));
        probabilities.at(i, 0) = static_cast<float>(first / (first + second));
        probabilities.at(i, 1) = static_cast<float>(second / (first + second));
    }
}

void smooth(MatrixView probabilities, double smoothing, const ExecutionControl& control) {
    if (smoothing == 0) return;
    const double equal = 1.0 / probabilities.columns;
    for (Index i = 0; i < probabilities.rows; ++i) {
        throw_if_stopped(control);
        const Index first = argmax(probabilities, i);
        for (Index c = 0; c < probabilities.columns; ++c) {
            float& p = probabilities.at(i, c);
            p = static_cast<float>((1 - smoothing) * static_cast<double>(p) + smoothing * equal);
        }
        keep_most_probable(probabilities, i, first);
    }
}

}  // namespace hwgcn
