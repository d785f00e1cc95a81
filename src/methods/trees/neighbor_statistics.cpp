#include "methods/trees/neighbor_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/parallel_for.hpp"

namespace hwgcn {
namespace {

constexpr float missing = std::numeric_limits<float>::quiet_NaN();

// All statistics of so many columns at most; beyond, means alone.
constexpr Index many_columns = 512;

enum Statistic : Index { mean, deviation, minimum, maximum, two_hops, all_statistics };

std::int64_t columns_of(std::int64_t features, std::int64_t relations, std::int64_t statistics) {
    return features * (1 + relations * statistics) + 2 * relations;
}

float entry_of(const CsrMatrix<float>& features, Index node, Index feature) {
    const SparseRow<float> row = features.row(node);
    const auto place = std::ranges::lower_bound(row.indices, feature);
    if (place == row.indices.end() || *place != feature) return 0;
    return row.values[static_cast<std::size_t>(place - row.indices.begin())];
}

double sum_of(std::span<const float> weights) {
    double sum = 0;
    for (const float weight : weights)
        sum += static_cast<double>(weight);
    return sum;
}

// Divides by the sum; where that is nothing, by the number of them, each the same.
void make_shares(std::vector<NeighborTable::Source>& sources) {
    double sum = 0;
    for (const NeighborTable::Source& source : sources)
        sum += source.share;
    for (NeighborTable::Source& source : sources)
        source.share = sum > 0 ? source.share / sum : 1.0 / static_cast<double>(sources.size());
}

// Of every feature over the neighbors of a node. Features are sparse: what is not stored is zero.
struct FeatureSums {
    std::vector<double> sum, squares;
    std::vector<float> lowest, highest;
    std::vector<Index> stored;

    explicit FeatureSums(std::size_t features)
        : sum(features, 0.0),
          squares(features, 0.0),
          lowest(features, std::numeric_limits<float>::infinity()),
          highest(features, -std::numeric_limits<float>::infinity()),
          stored(features, 0) {}

    void add(const SparseRow<float>& row, double weight) {
        for (std::size_t e = 0; e < row.size(); ++e) {
            const Index f = row.indices[e];
            const float value = row.values[e];
            sum[f] += weight * static_cast<double>(value);
            squares[f] += weight * static_cast<double>(value) * static_cast<double>(value);
            lowest[f] = std::min(lowest[f], value);
            highest[f] = std::max(highest[f], value);
            ++stored[f];
        }
    }
};

}  // namespace

Index TableLayout::statistics() const {
    return kept == NeighborColumns::all ? all_statistics : kept == NeighborColumns::means ? 1 : 0;
}

std::int64_t TableLayout::width() const {
    return columns_of(features, relations, statistics());
}

TableLayout chosen_layout(Index features, Index relations, NeighborColumns wanted) {
    TableLayout layout{features, relations, wanted};
    if (wanted == NeighborColumns::chosen) {
        const bool fits = columns_of(features, relations, all_statistics) <= many_columns;
        layout.kept = fits ? NeighborColumns::all : NeighborColumns::means;
    }
    return layout;
}

TableLayout table_layout(Index features, Index relations, NeighborColumns wanted) {
    const TableLayout layout = chosen_layout(features, relations, wanted);
    if (layout.width() <= most_table_columns) return layout;
    const bool fits_alone = columns_of(features, relations, 0) <= most_table_columns;
    throw InputError(fmt::format(
        "Boosted makes a table of {} columns from {} features, at most {} are possible: {}linear, diffusion "
        "and networks such as gcn take sparse features",
        layout.width(), features, most_table_columns,
        fits_alone ? "`neighbor_columns=none` makes fewer; " : ""));
}

NeighborTable::NeighborTable(const ClassicGraph& graph, const TableLayout& layout,
                             const ExecutionControl& control)
    : graph_(graph), layout_(layout) {
    if (!layout.has_two_hops()) return;
    for (Index r = 0; r < layout.relations; ++r)
        means_.emplace_back(graph.nodes(), layout.features);
    const ExecutionControl quiet{control.threads, nullptr, control.stop};
    parallel_for(graph.nodes(), 64, quiet, [&](int, std::int64_t number) {
        const auto node = static_cast<Index>(number);
        for (Index r = 0; r < layout_.relations; ++r) {
            const SparseRow<float> around = neighbors(node, r);
            const double total = sum_of(around.values);
            std::vector<double> sums(static_cast<std::size_t>(layout_.features), 0.0);
            for (std::size_t e = 0; e < around.size(); ++e) {
                const SparseRow<float> row = graph_.features.row(around.indices[e]);
                for (std::size_t k = 0; k < row.size(); ++k)
                    sums[row.indices[k]] +=
                        static_cast<double>(around.values[e]) * static_cast<double>(row.values[k]);
            }
            for (Index f = 0; f < layout_.features; ++f)
                means_[r].at(node, f) = total > 0 ? static_cast<float>(sums[f] / total) : missing;
        }
    });
}

void NeighborTable::fill(Index node, std::span<float> row) const {
    const auto d = static_cast<std::size_t>(layout_.features);
    const auto width = d * static_cast<std::size_t>(layout_.statistics());
    std::ranges::fill(row.first(d), 0.0F);
    const SparseRow<float> own = graph_.features.row(node);
    for (std::size_t e = 0; e < own.size(); ++e)
        row[own.indices[e]] = own.values[e];
    for (Index r = 0; r < layout_.relations; ++r) {
        const auto relation = static_cast<std::size_t>(r);
        if (width > 0) fill_statistics(node, r, row.subspan(d + relation * width, width));
        const std::span<float> counts =
            row.subspan(d + static_cast<std::size_t>(layout_.relations) * width + 2 * relation, 2);
        counts[0] = static_cast<float>(neighbors(node, r).size());
        counts[1] = graph_.row_sums.empty() ? counts[0] : graph_.row_sums[node * graph_.blocks + r + 1];
    }
}

// Variance as the mean of squares minus the square of the mean, in double precision: what rounding alone
// leaves of it is zero.
void NeighborTable::fill_statistics(Index node, Index relation, std::span<float> row) const {
    constexpr double rounding = 1e-12;
    const auto d = static_cast<std::size_t>(layout_.features);
    const SparseRow<float> around = neighbors(node, relation);
    const double total = sum_of(around.values);
    if (!(total > 0)) {
        std::ranges::fill(row, missing);
        return;
    }
    FeatureSums sums(d);
    for (std::size_t e = 0; e < around.size(); ++e)
        sums.add(graph_.features.row(around.indices[e]), static_cast<double>(around.values[e]));
    for (std::size_t f = 0; f < d; ++f) {
        const double average = sums.sum[f] / total, square = sums.squares[f] / total;
        row[mean * d + f] = static_cast<float>(average);
        if (layout_.kept != NeighborColumns::all) continue;
        const double variance = square - average * average;
        const bool has_zeros = static_cast<std::size_t>(sums.stored[f]) < around.size();
        row[deviation * d + f] =
            variance > rounding * square ? static_cast<float>(std::sqrt(variance)) : 0.0F;
        row[minimum * d + f] = has_zeros ? std::min(sums.lowest[f], 0.0F) : sums.lowest[f];
        row[maximum * d + f] = has_zeros ? std::max(sums.highest[f], 0.0F) : sums.highest[f];
    }
    if (layout_.has_two_hops()) fill_two_hops(node, relation, row.subspan(two_hops * d, d));
}

// The mean over the neighbors that have some themselves of their means.
void NeighborTable::fill_two_hops(Index node, Index relation, std::span<float> out) const {
    const SparseRow<float> around = neighbors(node, relation);
    std::vector<double> sums(out.size(), 0.0);
    double total = 0;
    for (std::size_t e = 0; e < around.size(); ++e) {
        const Index neighbor = around.indices[e];
        if (neighbors(neighbor, relation).size() == 0) continue;
        const auto weight = static_cast<double>(around.values[e]);
        const float* const means = means_[relation].row(neighbor);
        total += weight;
        for (std::size_t f = 0; f < sums.size(); ++f)
            sums[f] += weight * static_cast<double>(means[f]);
    }
    for (std::size_t f = 0; f < sums.size(); ++f)
        out[f] = total > 0 ? static_cast<float>(sums[f] / total) : missing;
}

std::vector<NeighborTable::Source> NeighborTable::sources(Index node, Index column) const {
    const Index d = layout_.features, statistics = layout_.statistics();
    if (column < d) return {{node, column}};
    const Index place = column - d;
    if (place >= d * layout_.relations * statistics) return {{node}};
    const Index relation = place / (d * statistics), feature = place % d;
    const Index statistic = place / d % statistics;
    const SparseRow<float> around = neighbors(node, relation);
    if (around.size() == 0) return {{node}};  // missing because no neighbor is there
    if (statistic == two_hops) return sources_over_two_hops(node, relation, feature);
    const double total = sum_of(around.values);
    std::vector<Source> sources;
    double average = 0;
    for (std::size_t e = 0; e < around.size(); ++e) {
        const auto weight = static_cast<double>(around.values[e]) / total;
        const auto value = static_cast<double>(entry_of(graph_.features, around.indices[e], feature));
        average += weight * value;
        sources.push_back({around.indices[e], feature, weight * std::abs(value)});
    }
    if (statistic == minimum || statistic == maximum) {
        const auto value_of = [&](const Source& source) {
            return entry_of(graph_.features, source.node, feature);
        };
        const auto found = statistic == minimum ? std::ranges::min_element(sources, {}, value_of)
                                                : std::ranges::max_element(sources, {}, value_of);
        return {{found->node, feature}};
    }
    for (std::size_t e = 0; statistic == deviation && e < around.size(); ++e) {
        const double apart =
            static_cast<double>(entry_of(graph_.features, around.indices[e], feature)) - average;
        sources[e].share = static_cast<double>(around.values[e]) / total * apart * apart;
    }
    make_shares(sources);
    return sources;
}

std::vector<NeighborTable::Source> NeighborTable::sources_over_two_hops(Index node, Index relation,
                                                                        Index feature) const {
    std::vector<Source> sources;
    const SparseRow<float> around = neighbors(node, relation);
    for (std::size_t e = 0; e < around.size(); ++e) {
        const SparseRow<float> further = neighbors(around.indices[e], relation);
        for (std::size_t k = 0; k < further.size(); ++k) {
            const double value = entry_of(graph_.features, further.indices[k], feature);
            sources.push_back({further.indices[k], feature,
                               static_cast<double>(around.values[e]) *
                                   static_cast<double>(further.values[k]) * std::abs(value)});
        }
    }
    if (sources.empty()) return {{node}};
    make_shares(sources);
    return sources;
}

}  // namespace hwgcn
