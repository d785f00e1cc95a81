#pragma once

#include <cstdint>
#include <vector>

#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/dataset/split.hpp"

namespace hwgcn {

/// One training of every candidate, and the nodes that it is judged by.
struct Trial {
    Split split;  ///< without test nodes: whoever has it cannot look at them
    std::vector<Index> held_out;
};

/// A single trial that is judged by the validation nodes or, where there are none, cross-fitting: the
/// training nodes are dealt into up to five folds, class by class, each of which is held out once. The only
/// node of a class always trains: what nobody has learned nobody can predict. Empty where no class has two
/// training nodes.
std::vector<Trial> plan_trials(const Dataset& dataset, const Split& split, std::uint64_t seed);

}  // namespace hwgcn
