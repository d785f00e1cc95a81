#pragma once

#include <string>
#include <vector>

#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/models/methods.hpp"

#include "training/selection.hpp"

namespace hwgcn {

/// Below this share of the known labels, one of two classes is rare.
inline constexpr double rare_share = 0.3;

/// What `selection=auto` stands for: AUC for two classes one of which has less than 30 % of the training and
/// validation labels, else accuracy. Test labels are not looked at.
Selection default_selection(const Dataset& dataset, const Split& split);

/// By what a method selects its epochs, or an automatic choice its method and their epochs: what is asked
/// for, else the default; loss where the validation nodes (the training nodes where there are none) are all
/// of one class and it needs two.
Selection resolved_selection(const AskedMethod& method, const Dataset& dataset, const Split& split);

/// The method, or its candidates, with a `selection` that is not `auto` any more, so that the settings of a
/// run say what was done. `notes` gets a sentence where it is not accuracy and nobody asked for it.
AskedMethod with_resolved_selection(AskedMethod method, const Dataset& dataset, const Split& split,
                                    std::vector<std::string>& notes);

/// The same without a word.
AskedMethod with_resolved_selection(AskedMethod method, const Dataset& dataset, const Split& split);

}  // namespace hwgcn
