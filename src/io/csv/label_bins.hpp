#pragma once

#include <string>
#include <vector>

#include "io/csv/label_encoder.hpp"

namespace hwgcn {

/// How many ranges a text asks for. Throws InputError unless it is a whole number from 2 to 1000.
int parse_bins(const std::string& text);

/// Puts numbers (NaN: not known) into at most `bins` ranges of about as many nodes each. Equal numbers stay
/// together, so that there may be fewer; where there are no more different numbers than `bins`, each is a
/// range of its own. A range is called by its least and its largest number, "12.5..30", and ranges ascend.
EncodedLabels bin_labels(const std::vector<double>& numbers, int bins);

}  // namespace hwgcn
