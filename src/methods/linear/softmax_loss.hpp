#pragma once

#include <span>

namespace hwgcn {

/// Turns the scores of one row into the gradient of -log softmax(scores)[label], which is softmax minus the
/// indicator of the label, and returns that loss.
double softmax_loss(std::span<double> scores, int label);

}  // namespace hwgcn
