#include "methods/trees/binned_table.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel_for.hpp"
#include "base/random_sample.hpp"

namespace hwgcn {
namespace {

constexpr std::size_t most_to_learn_edges_from = 20000;  // rows
constexpr std::size_t most_numbers_at_once = std::size_t{1} << 24;
constexpr std::int64_t rows_at_once = 256;

// At least a and below b.
float between(float a, float b) {
    const auto middle = static_cast<float>((static_cast<double>(a) + static_cast<double>(b)) / 2);
    return middle < b ? middle : a;
}

std::uint8_t bin_of(const std::vector<float>& edges, float number) {
    if (std::isnan(number)) return BinnedTable::missing_bin;
    return static_cast<std::uint8_t>(std::ranges::lower_bound(edges, number) - edges.begin());
}

}  // namespace

std::vector<float> bin_edges(std::vector<float> numbers) {
    std::erase_if(numbers, [](float number) { return std::isnan(number); });
    std::ranges::sort(numbers);
    constexpr std::size_t most_edges = BinnedTable::most_bins - 1;
    std::vector<float> edges;
    for (std::size_t k = 1; k < numbers.size() && edges.size() <= most_edges; ++k) {
        if (numbers[k - 1] < numbers[k]) edges.push_back(between(numbers[k - 1], numbers[k]));
    }
    if (edges.size() <= most_edges) return edges;
    edges.clear();
    for (std::size_t k = 1; k <= most_edges; ++k) {
        const float below = numbers[k * numbers.size() / (most_edges + 1)];
        const auto above = std::ranges::upper_bound(numbers, below);
        if (above == numbers.end()) break;
        const float edge = between(below, *above);
        if (edges.empty() || edge > edges.back()) edges.push_back(edge);
    }
    return edges;
}

BinnedTable::BinnedTable(std::int64_t rows, std::int64_t learned, Index columns, const FillRow& fill,
                         const ExecutionControl& control)
    : rows_(rows),
      edges_(static_cast<std::size_t>(columns)),
      bins_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {
    const ExecutionControl quiet{control.threads, nullptr, control.stop};
    learn_edges(learned, fill, quiet);
    parallel_for((rows + rows_at_once - 1) / rows_at_once, 1, quiet, [&](int, std::int64_t piece) {
        std::vector<float> numbers(edges_.size());
        for (std::int64_t row = piece * rows_at_once; row < std::min(rows, (piece + 1) * rows_at_once);
             ++row) {
            fill(row, numbers);
            for (std::size_t c = 0; c < edges_.size(); ++c)
                bins_[c * static_cast<std::size_t>(rows_) + static_cast<std::size_t>(row)] =
                    bin_of(edges_[c], numbers[c]);
        }
    });
}

void BinnedTable::learn_edges(std::int64_t learned, const FillRow& fill, const ExecutionControl& control) {
    const std::size_t columns = edges_.size();
    const std::vector<std::size_t> sample = random_sample(
        static_cast<std::size_t>(learned),
        std::min(most_to_learn_edges_from, most_numbers_at_once / std::max<std::size_t>(columns, 1)));
    std::vector<float> numbers(sample.size() * columns);
    parallel_for(static_cast<std::int64_t>(sample.size()), 64, control, [&](int, std::int64_t k) {
        fill(static_cast<std::int64_t>(sample[static_cast<std::size_t>(k)]),
             std::span(numbers).subspan(static_cast<std::size_t>(k) * columns, columns));
    });
    parallel_for(static_cast<std::int64_t>(columns), 4, control, [&](int, std::int64_t c) {
        std::vector<float> column;
        for (std::size_t k = 0; k < sample.size(); ++k)
            column.push_back(numbers[k * columns + static_cast<std::size_t>(c)]);
        edges_[static_cast<std::size_t>(c)] = bin_edges(std::move(column));
    });
}

}  // namespace hwgcn
