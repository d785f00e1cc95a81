#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hwgcn/metrics/statistics.hpp"

namespace hwgcn {

/// What a candidate says of each held-out node: whether it is right (0 or 1), and its log loss there.
struct HeldOutAnswers {
    std::vector<float> right;
    std::vector<float> loss;
};

/// How one of several candidates is chosen, by held-out nodes.
struct ChoiceRule {
    double equal_within = 1;    ///< standard errors behind the best one
    bool loss_decides = false;  ///< among these equals; else the first one is preferred
    bool cross_fitted = false;  ///< by nodes that trained in the other folds
};

/// By how much the accuracy of the chosen candidate is too high on the nodes that chose it: nodes are drawn
/// again with replacement, the rule chooses by these, and what it chose is on average so much better on them
/// than on all nodes (the bootstrap's estimate of optimism, Efron 1983).
double optimism_of_choice(std::span<const HeldOutAnswers> candidates, const ChoiceRule& rule,
                          std::uint64_t seed);

/// Between which shares of other nodes the chosen candidate is right, with 95 % confidence, when it was
/// chosen by these nodes: from the lower end of the interval of a share, less the optimism, to the upper end
/// of that of the share itself. Folds that share their training nodes err alike: four cross-fitted nodes
/// count as three others (that intervals of cross-validation are too narrow: Bates, Hastie and Tibshirani
/// 2024).
ShareInterval expected_accuracy(std::span<const HeldOutAnswers> candidates, std::size_t chosen,
                                const ChoiceRule& rule, std::uint64_t seed);

}  // namespace hwgcn
