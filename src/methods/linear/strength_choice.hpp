#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "methods/classic_method.hpp"
#include "methods/linear/logistic_regression.hpp"

namespace hwgcn {

/// The bias is hardly penalised: just enough for a class without examples.
inline constexpr double bias_strength = 1e-3;

/// Minimises  sum of weight * -log p(label)  +  strength/2 |Theta|^2  from `theta`.
Minimum minimize_with_strength(const LabelledRows& examples, double strength, std::vector<double> theta,
                               const MinimizerOptions& options, const ExecutionControl& control);

/// The classifier with its scores multiplied by a number, but for the logarithms of the classes' shares among
/// the examples: all that a strong penalty leaves of a classifier are these and small differences.
std::vector<double> sharpened(std::vector<double> theta, const LabelledRows& examples, double sharpness);

/// Some of these labels, by their places.
LabelledNodes labels_at(const LabelledNodes& all, std::span<const std::size_t> places);

/// All of them, or so many drawn at random.
LabelledNodes thinned(const LabelledNodes& all, std::size_t most);

/// Some labels to learn from, and others to judge by.
struct HeldOutLabels {
    LabelledNodes learned, judged;
};

/// Five folds, or fewer of a few labels: the labels of each class go round them.
std::vector<HeldOutLabels> folds_of(const LabelledNodes& train);

/// Of the labels that judge, those of classes that were learned from.
LabelledNodes of_learned_classes(const LabelledNodes& judged, const LabelledNodes& learned, Index classes);

/// Whether losses of the same labels are lower by more than the standard error of their difference.
bool clearly_lower(const std::vector<double>& losses, const std::vector<double>& than);

/// What scores are multiplied by, and the losses that held-out labels then have.
struct Sharpness {
    double factor = 1;
    double loss = 0;                  ///< their sum
    std::vector<double> losses = {};  ///< of every held-out label
};

/// The best power of 2, from 2^least_power on: a larger one where that is clearly better. For every trial,
/// losses of its labels for every power.
Sharpness best_sharpness(const std::vector<std::vector<std::vector<double>>>& losses_of_trials,
                         int least_power = 0);

struct StrengthOptions {
    double strongest = 0;       ///< 0: the number of examples
    int weakest_power = -9;     ///< of 4
    double without_choice = 1;  ///< where there are too few labels to choose by
    /// The path of strengths ends where so many in a row were worse than the best one before.
    int patience = 1000;
    /// Whether a held-out label of a class that no other label has counts against all strengths alike.
    bool lone_labels_judge = true;
    /// Powers of 2 that the scores may be multiplied by before they are judged: a strong penalty, which gives
    /// good directions to few labels, makes all scores small. More where that is clearly better.
    int most_doublings = 0;
    MinimizerOptions solver = {1e-5, 300};
};

/// Chooses the strength of the penalty by held-out labels: powers of 4 from the number of examples, which
/// leaves hardly more than the classes' shares, down to the weakest. Judged by the log loss on folds of the
/// training nodes, each with its part of every class, and on the validation nodes.
class StrengthChoice {
  public:
    /// The features of some nodes.
    using RowsOf = std::function<CsrMatrix<float>(std::span<const Index> nodes)>;

    StrengthChoice(const RowsOf& rows_of, Index classes, const KnownLabels& known, StrengthOptions options);

    struct Best {
        double strength = 0;
        double loss = 0;                  ///< the sum over the held-out labels
        double sharpness = 1;             ///< what the scores were multiplied by
        std::vector<double> losses = {};  ///< of every held-out label
    };

    /// Each search starts where the one before ended, from the strongest penalty on.
    Best choose(const ExecutionControl& control);

    /// "5 folds and 500 validation nodes"
    std::string judges() const;

  private:
    struct Examples {
        CsrMatrix<float> rows;
        std::vector<Index> labels;
        std::vector<double> weights;
        Index classes = 0;

        LabelledRows view() const { return {rows, labels, classes, weights}; }
    };

    /// Learned from some labels and judged by others.
    struct Trial {
        Examples learned, judged;
        std::vector<double> theta = {};  ///< the last one found, where the next search starts
    };

    Examples examples(const RowsOf& rows_of, const LabelledNodes& labelled) const;
    /// Where there are labels that may judge.
    bool add_trial(const RowsOf& rows_of, const LabelledNodes& learned, LabelledNodes judged);
    Best judged(double strength, const ExecutionControl& control);

    Index classes_;
    StrengthOptions options_;
    std::vector<Trial> trials_;
    Index folds_ = 0;
};

}  // namespace hwgcn
