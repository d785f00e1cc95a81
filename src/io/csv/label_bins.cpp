#include "io/csv/label_bins.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/dataset.hpp"

#include "base/number_text.hpp"
#include "base/text_file.hpp"

namespace hwgcn {
namespace {

constexpr int most_bins = 1000;

// Places in the sorted numbers where a range may begin: in front of a number that differs from the one
// before.
std::vector<std::size_t> possible_cuts(const std::vector<double>& sorted) {
    std::vector<std::size_t> cuts;
    for (std::size_t place = 1; place < sorted.size(); ++place) {
        if (sorted[place - 1] < sorted[place]) cuts.push_back(place);
    }
    return cuts;
}

// Of n numbers in b ranges, cut k should be at k n / b: the possible one nearest to it is taken, the lower
// one of two. Two that would be at the same place become one.
std::vector<std::size_t> chosen_cuts(const std::vector<double>& sorted, int bins) {
    const std::vector<std::size_t> possible = possible_cuts(sorted);
    if (possible.size() < static_cast<std::size_t>(bins)) return possible;
    std::vector<std::size_t> cuts;
    for (int k = 1; k < bins; ++k) {
        const double wanted = static_cast<double>(k) * static_cast<double>(sorted.size()) / bins;
        const auto above = std::ranges::lower_bound(possible, wanted, {},
                                                    [](std::size_t cut) { return static_cast<double>(cut); });
        const auto distance = [&](auto cut) { return std::abs(static_cast<double>(*cut) - wanted); };
        auto nearest = above == possible.end() ? std::prev(above) : above;
        if (nearest != possible.begin() && distance(std::prev(nearest)) <= distance(nearest)) --nearest;
        if (cuts.empty() || *nearest > cuts.back()) cuts.push_back(*nearest);
    }
    return cuts;
}

std::string range_name(double least, double largest) {
    return least == largest ? fmt::format("{}", least) : fmt::format("{}..{}", least, largest);
}

}  // namespace

int parse_bins(const std::string& text) {
    const std::optional<int> bins = parse_number<int>(text);
    if (!bins || *bins < 2 || *bins > most_bins) {
        throw InputError(
            fmt::format("`bins`: expected a whole number in 2..{}, got '{}'", most_bins, excerpt(text)));
    }
    return *bins;
}

EncodedLabels bin_labels(const std::vector<double>& numbers, int bins) {
    std::vector<double> sorted;
    std::ranges::copy_if(numbers, std::back_inserter(sorted),
                         [](double number) { return !std::isnan(number); });
    std::ranges::sort(sorted);
    EncodedLabels encoded{std::vector<Index>(numbers.size(), unlabelled), {}};
    if (sorted.empty()) return encoded;
    std::vector<double> largest;  // of each range
    std::size_t begin = 0;
    std::vector<std::size_t> ends = chosen_cuts(sorted, bins);
    ends.push_back(sorted.size());
    for (const std::size_t end : ends) {
        largest.push_back(sorted[end - 1]);
        encoded.class_names.push_back(range_name(sorted[begin], sorted[end - 1]));
        begin = end;
    }
    for (std::size_t node = 0; node < numbers.size(); ++node) {
        if (std::isnan(numbers[node])) continue;
        encoded.labels[node] =
            static_cast<Index>(std::ranges::lower_bound(largest, numbers[node]) - largest.begin());
    }
    return encoded;
}

}  // namespace hwgcn
