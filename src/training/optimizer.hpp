#pragma once

#include <span>

#include "training/fit.hpp"
#include "training/fit_options.hpp"

namespace hwgcn {

/// The learning rate of an epoch, counted from 1: it falls by a fixed share of the first one every few
/// epochs, or along half a cosine.
double scheduled_rate(const FitOptions& options, int epoch);

/// Moves the state's parameters against `gradients` (of the loss without penalty); state.epoch counts this
/// step already. The gradients are used up.
void step(FitState& state, std::span<DenseMatrix> gradients, const FitOptions& options);

}  // namespace hwgcn
