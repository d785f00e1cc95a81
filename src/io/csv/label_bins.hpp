#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/csv/label_encoder.hpp"

namespace hwgcn {

/// How many ranges a text asks for. Throws InputError unless it is a whole number from 2 to 1000.
int parse_bins(const std::string& text);

/// A number and how often it is there.
struct NumberCount {
    double number;
    std::int64_t count;
};

/// The different ones of `numbers`, ascending; NaN is left out.
std::vector<NumberCount> count_numbers(std::vector<double> numbers);
void join_counts(std::vector<NumberCount>& counts, const std::vector<NumberCount>& more);

/// Puts numbers (NaN: not known), which are some or all of those that `all` counts, into at most `bins`
/// ranges of about as many nodes each. Equal numbers stay together, so that there may be fewer; where there
/// are no more different numbers than `bins`, each is a range of its own. A range is called by its least and
/// its largest number, "12.5..30", and ranges ascend.
EncodedLabels bin_labels(const std::vector<double>& numbers, const std::vector<NumberCount>& all, int bins);
inline EncodedLabels bin_labels(const std::vector<double>& numbers, int bins) {
    return bin_labels(numbers, count_numbers(numbers), bins);
}

}  // namespace hwgcn
