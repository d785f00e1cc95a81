#pragma once

#include <string>
#include <vector>

#include "hwgcn/dataset/dataset.hpp"

namespace hwgcn {

/// What the labels of each class count in the loss of a training. Only ratios matter.
struct ClassWeights {
    bool balanced = false;           ///< n / (classes * n_c) of the training nodes, as in scikit-learn
    std::vector<double> given = {};  ///< one per class, positive; empty: none are given

    bool any() const { return balanced || !given.empty(); }
    std::string text() const;  ///< "balanced", or the numbers; empty where there are none
};

/// "balanced", or a file with a class and its weight on each line. Every class of the dataset needs one.
/// Throws InputError that names the line for classes that are unknown or come twice and for weights that are
/// not in 1e-30..1e30. An empty text stands for no weights.
ClassWeights read_class_weights(const std::string& text, const Dataset& dataset);

/// The weights for a split, with the mean 1 over its training nodes; empty where there are none, or all are
/// the same. A class without training nodes has the weight 1 among balanced ones. Throws InputError where the
/// numbers given do not fit.
std::vector<double> class_weights_for(const ClassWeights& weights, const Dataset& dataset,
                                      const Split& split);

}  // namespace hwgcn
