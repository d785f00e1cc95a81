#pragma once

#include <span>
#include <vector>

#include "training/fit.hpp"

namespace hwgcn {

/// What a teacher is sure of: per class the `per_class` nodes that it gives that class with the highest
/// probability, apart from the training nodes, whose labels are known. Of equals the first node counts. The
/// class of each node, or `unlabelled`.
std::vector<Index> taught_labels(ConstMatrixView probabilities, std::span<const Index> train, int per_class);

/// The beginning of the second training: everything from the start, with the teacher's labels.
FitState start_student(const Network& network, const FitState& teacher, std::span<const Index> train,
                       int per_class);

}  // namespace hwgcn
