#pragma once

#include <string>
#include <vector>

#include "methods/trees/boosting.hpp"

namespace hwgcn {

struct BoostingChoiceOptions {
    std::vector<int> leaves = {16};  ///< of trees; of several, the best by held-out labels
    int rounds = 300;                ///< at most
    int patience = 20;               ///< rounds without a better loss before the end
};

/// Trees, as many as held-out labels want.
struct ChosenForest {
    Forest forest;
    int leaves = 0;           ///< of a tree, at most
    std::string judges = {};  ///< "5 folds", "500 validation nodes"; empty: there was nothing to judge by
    /// Whether held-out labels are clearly better off with the trees than by the classes' shares alone.
    bool is_better = false;
};

/// The first `learned` rows of the table are there to learn from, the others to judge by. Where these are
/// fewer than 100, parts of the first ones are held out in turn, each with its share of every class: fifths,
/// of more than 5,000 rows only one of them. Of the rounds, those up to the lowest log loss stay. A label of
/// a class that is not learned does not judge.
ChosenForest choose_forest(const LabelledTable& data, std::uint32_t learned, const BoostingOptions& options,
                           const BoostingChoiceOptions& choice, const ExecutionControl& control);

/// As `boosting_work`, of all trainings that the choice takes, where no loss ends them early. `judges` are
/// the rows that are not learned from.
double choice_work(double learned, double judges, double columns, double classes,
                   const BoostingOptions& options, const BoostingChoiceOptions& choice);

}  // namespace hwgcn
