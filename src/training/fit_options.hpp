#pragma once

#include <vector>

#include "hwgcn/metrics/metrics.hpp"

#include "base/parameter.hpp"
#include "tensor/devices.hpp"

namespace hwgcn {

enum class Optimizer { adam, gradient_descent };

/// How the learning rate falls from epoch to epoch, apart from steps.
enum class RateDecay {
    none,
    cosine,  ///< to 0 at the last of all epochs, by half a period: first slowly, then fast, in the end slowly
};

/// What an epoch minimises.
enum class Scheme {
    plain,        ///< the cross-entropy of the training nodes
    consistency,  ///< and how far several stochastic passes are from what they say together, at all nodes
};

/// How a network is trained.
struct FitOptions {
    int epochs = 200;
    Optimizer optimizer = Optimizer::adam;
    double rate = 0.01;
    double l2 = 5e-4;  ///< the loss has l2/2 |Theta|^2 for each matrix that decays
    RateDecay rate_decay = RateDecay::none;
    int rate_interval = 0;   ///< epochs between two steps of the rate; 0: it stays
    double rate_drop = 0.0;  ///< each step takes this share of the first rate away
    Selection selection = Selection::automatic;
    Scheme scheme = Scheme::plain;
    int passes = 2;                   ///< consistency: stochastic passes that are compared
    double node_dropout = 0.3;        ///< consistency: share of the nodes that a pass sees without features
    double sharpening = 0.5;          ///< consistency: temperature of the common target
    double consistency_weight = 1.0;  ///< consistency: weight of the distance, reached after
    int consistency_ramp = 100;       ///< so many epochs
    int self_training = 0;            ///< nodes per class that a first training labels for a second; 0: none
    double self_training_weight = 1;  ///< of their cross-entropy
    /// Stop after so many epochs without a better validation loss or value of the criterion; 0: never.
    int patience = 0;
    DeviceChoice device = {};  ///< where the epochs are computed
};

const std::vector<Parameter<FitOptions>>& fit_parameters();

}  // namespace hwgcn
