#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/tensor/dense_matrix.hpp"

namespace hwgcn {

/// How the probabilities of a network become those that are shown:
///   p  ->  (1 - smoothing) softmax(log p / temperature) + smoothing / classes,
/// of two classes with the offset added to the log-odds of the second before the smoothing. The temperature
/// (Guo et al. 2017) is above 1 where predictions are too sure of themselves and below 1 where they are too
/// timid; the smoothing keeps them from certainty where some labels are wrong however clear a node looks; the
/// offset (Platt 1999) is for networks that rank nodes but do not know how many are of which class. The most
/// probable class stays unless there is an offset.
struct Calibration {
    double temperature = 1;
    double offset = 0;
    double smoothing = 0;
};

/// Of two classes: a node is of class `positive` where its probability is at least `least`.
struct Threshold {
    Index positive = 1;
    double least = 0.5;

    bool operator==(const Threshold&) const = default;
};

/// How a network's probabilities become those that are shown, and which class they stand for. With a
/// threshold, what it says; with weights of classes the largest w_c p_c, which is what costs least where an
/// error at class c costs w_c; else the most probable one.
struct Decision {
    /// What the labels of each class counted in the loss, relative to each other; empty: all the same.
    std::vector<double> class_weights = {};
    std::optional<Threshold> threshold = {};
    double offset = 0;     ///< of two classes: added to the log-odds of the second, after the temperature
    double smoothing = 0;  ///< the share of equal probabilities in those that are shown (Calibration)

    /// Whether the most probable class of the network is the one that is decided for.
    bool is_plain() const { return !is_weighed() && offset == 0; }
    bool is_weighed() const { return !class_weights.empty() || threshold; }
    bool operator==(const Decision&) const = default;
};

/// The class of a row; the first of equals.
Index decide(ConstMatrixView probabilities, Index row, const Decision& decision);

/// The class that comes second: of all others, the one that would be decided for. The same where there is
/// one.
Index second_choice(ConstMatrixView probabilities, Index row, const Decision& decision);

/// Throws InputError unless the decision is one between so many classes, with weights and a threshold that
/// can be: it may come from a file.
void expect_decision_among(const Decision& decision, Index classes);

/// A network whose loss weighs class c by w_c learns q_c = w_c p_c / sum_k w_k p_k. Replaces every row q by
/// the p that it comes from. Nothing happens without weights.
void divide_out_weights(MatrixView probabilities, std::span<const double> class_weights,
                        const ExecutionControl& control = {});

/// From what a network says to the probabilities that are shown: weights divided out, then the temperature,
/// the offset and the smoothing. Throws InputError for a decision between another number of classes.
void calibrate(MatrixView probabilities, const Decision& decision, double temperature,
               const ExecutionControl& control = {});

/// A threshold as it is asked for: none, a number, or the best one on nodes that were not learned from.
struct ThresholdRule {
    enum class Kind { none, number, f1, balanced };
    Kind kind = Kind::none;
    double number = 0.5;

    bool is_fitted() const { return kind == Kind::f1 || kind == Kind::balanced; }
    std::string text() const;  ///< "f1", "balanced", "0.3"; empty for none
    bool operator==(const ThresholdRule&) const = default;
};

/// From "f1", "balanced", "0.3", or nothing. Throws InputError for any other text.
ThresholdRule threshold_rule(std::string_view text);

/// The threshold that gives the class `positive` the best F1, or the best balanced accuracy, at `nodes`. It
/// lies halfway between two of their probabilities; of equally good ones it is the nearest to 1/2. Nothing
/// unless some of the nodes are of the class and some are not.
std::optional<double> fit_threshold(ConstMatrixView probabilities, std::span<const Index> labels,
                                    std::span<const Index> nodes, Index positive, ThresholdRule::Kind goal);

}  // namespace hwgcn
