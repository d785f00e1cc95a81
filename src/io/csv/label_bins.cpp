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

// Of n numbers in b ranges, cut k should be behind k n / b of them: the possible one nearest to it is taken,
// the lower one of two. Two that would be at the same place become one. Gives the places in `all` at which
// ranges begin, but for the first.
std::vector<std::size_t> chosen_cuts(const std::vector<NumberCount>& all, int bins) {
    std::vector<std::int64_t> below;  // so many numbers are below all[k + 1]
    std::int64_t total = 0;
    for (const NumberCount& one : all)
        below.push_back(total += one.count);
    below.pop_back();
    std::vector<std::size_t> cuts;
    if (below.size() < static_cast<std::size_t>(bins)) {
        for (std::size_t cut = 1; cut <= below.size(); ++cut)
            cuts.push_back(cut);
        return cuts;
    }
    for (int k = 1; k < bins; ++k) {
        const double wanted = static_cast<double>(k) * static_cast<double>(total) / bins;
        const auto above = std::ranges::lower_bound(
            below, wanted, {}, [](std::int64_t cut) { return static_cast<double>(cut); });
        const auto distance = [&](auto cut) { return std::abs(static_cast<double>(*cut) - wanted); };
        auto nearest = above == below.end() ? std::prev(above) : above;
        if (nearest != below.begin() && distance(std::prev(nearest)) <= distance(nearest)) --nearest;
        const auto cut = static_cast<std::size_t>(nearest - below.begin()) + 1;
        if (cuts.empty() || cut > cuts.back()) cuts.push_back(cut);
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

std::vector<NumberCount> count_numbers(std::vector<double> numbers) {
    std::erase_if(numbers, [](double number) { return std::isnan(number); });
    std::ranges::sort(numbers);
    std::vector<NumberCount> counts;
    for (const double number : numbers) {
        if (counts.empty() || counts.back().number < number) counts.push_back({number, 0});
        ++counts.back().count;
    }
    return counts;
}

void join_counts(std::vector<NumberCount>& counts, const std::vector<NumberCount>& more) {
    std::vector<NumberCount> joined;
    std::ranges::merge(counts, more, std::back_inserter(joined), {}, &NumberCount::number,
                       &NumberCount::number);
    counts.clear();
    for (const NumberCount& one : joined) {
        if (counts.empty() || counts.back().number < one.number) {
            counts.push_back(one);
        } else {
            counts.back().count += one.count;
        }
    }
}

EncodedLabels bin_labels(const std::vector<double>& numbers, const std::vector<NumberCount>& all, int bins) {
    EncodedLabels encoded{std::vector<Index>(numbers.size(), unlabelled), {}};
    if (all.empty()) return encoded;
    std::vector<double> largest;  // of each range
    std::size_t begin = 0;
    std::vector<std::size_t> ends = chosen_cuts(all, bins);
    ends.push_back(all.size());
    for (const std::size_t end : ends) {
        largest.push_back(all[end - 1].number);
        encoded.class_names.push_back(range_name(all[begin].number, all[end - 1].number));
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
