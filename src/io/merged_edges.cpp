#include "io/merged_edges.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"

namespace hwgcn {
namespace {

constexpr double largest_weight = std::numeric_limits<float>::max();

// An edge with its lower end first, and which way it went.
struct Way {
    Index low;
    Index high;
    bool upwards;  // from the lower to the higher end; loops, too
    double weight;
};

bool is_usable(double weight) {
    return std::isfinite(weight) && weight >= 0 && weight <= largest_weight;
}

[[noreturn]] void fail_weight(Index from, Index to, double weight) {
    throw InputError(fmt::format("edge {}-{} has the weight {}, expected a finite number of at least 0", from,
                                 to, weight));
}

// Every edge in every direction once, sorted by ends, then upwards first. The sort is stable, so that
// repeated edges add up in the order of the data.
std::vector<Way> merged_ways(std::span<const Edge> edges, std::span<const float> weights) {
    if (!weights.empty() && weights.size() != edges.size())
        throw InputError(fmt::format("{} weights for {} edges", weights.size(), edges.size()));
    std::vector<Way> ways;
    ways.reserve(edges.size());
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const auto [from, to] = edges[e];
        const double weight = weights.empty() ? 1.0 : static_cast<double>(weights[e]);
        if (!is_usable(weight)) fail_weight(from, to, weight);
        if (weight > 0) ways.push_back({std::min(from, to), std::max(from, to), from <= to, weight});
    }
    std::ranges::stable_sort(ways, [](const Way& a, const Way& b) {
        return std::tuple(a.low, a.high, !a.upwards) < std::tuple(b.low, b.high, !b.upwards);
    });
    std::size_t kept = 0;
    for (const Way& way : ways) {
        Way* const last = kept > 0 ? &ways[kept - 1] : nullptr;
        if (last != nullptr && last->low == way.low && last->high == way.high &&
            last->upwards == way.upwards) {
            last->weight = weights.empty() ? 1.0 : last->weight + way.weight;
            if (!is_usable(last->weight)) fail_weight(way.low, way.high, last->weight);
        } else {
            ways[kept++] = way;
        }
    }
    ways.resize(kept);
    return ways;
}

bool same_pair(const Way& a, const Way& b) {
    return a.low == b.low && a.high == b.high;
}

// Graphs without weights may be large: eight bytes per edge will do, both ends and the direction.
EdgeRepeats count_plain(std::span<const Edge> edges) {
    std::vector<std::uint64_t> keys;
    keys.reserve(edges.size());
    for (const auto& [from, to] : edges) {
        const auto [low, high] = std::minmax(from, to);
        keys.push_back(static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint64_t>(high) << 1 |
                       (from <= to ? 0 : 1));
    }
    std::ranges::sort(keys);
    const auto rest = std::unique(keys.begin(), keys.end());
    EdgeRepeats counts;
    counts.repeated = keys.end() - rest;
    keys.erase(rest, keys.end());
    for (std::size_t k = 0; k < keys.size(); ++k) {
        const std::uint64_t pair = keys[k] >> 1;
        if (pair >> 31 == (pair & 0x7FFFFFFFU)) continue;  // a loop
        ++counts.pairs;
        if (k + 1 == keys.size() || keys[k + 1] >> 1 != pair) continue;
        ++counts.both_ways;
        ++k;
    }
    return counts;
}

EdgeRepeats count_weighted(std::span<const Edge> edges, std::span<const float> weights) {
    constexpr double rounding = 1e-5;
    const std::vector<Way> ways = merged_ways(edges, weights);
    EdgeRepeats counts;
    counts.repeated = std::ssize(edges) - std::ssize(ways);
    for (std::size_t k = 0; k < ways.size(); ++k) {
        if (ways[k].low == ways[k].high) continue;
        ++counts.pairs;
        if (k + 1 == ways.size() || !same_pair(ways[k], ways[k + 1])) continue;
        const auto [less, more] = std::minmax(ways[k].weight, ways[k + 1].weight);
        ++counts.both_ways;
        if (more - less > rounding * more) ++counts.unequal;
        ++k;
    }
    return counts;
}

std::string plural(std::int64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

std::vector<Triplet<float>> merged_arcs(std::span<const Edge> edges, std::span<const float> weights) {
    std::vector<Triplet<float>> arcs;
    for (const Way& way : merged_ways(edges, weights)) {
        arcs.push_back({way.upwards ? way.low : way.high, way.upwards ? way.high : way.low,
                        static_cast<float>(way.weight)});
    }
    std::ranges::sort(arcs, [](const auto& a, const auto& b) {
        return std::pair(a.row, a.column) < std::pair(b.row, b.column);
    });
    return arcs;
}

std::vector<Triplet<float>> merged_pairs(std::span<const Edge> edges, std::span<const float> weights) {
    const std::vector<Way> ways = merged_ways(edges, weights);
    std::vector<Triplet<float>> pairs;
    for (std::size_t k = 0; k < ways.size(); ++k) {
        const bool both = k + 1 < ways.size() && same_pair(ways[k], ways[k + 1]);
        const double weight = both ? (ways[k].weight + ways[k + 1].weight) / 2 : ways[k].weight;
        pairs.push_back({ways[k].low, ways[k].high, static_cast<float>(weight)});
        if (both) ++k;
    }
    return pairs;
}

double mean_weight(std::span<const Triplet<float>> pairs) {
    const bool only_loops = std::ranges::all_of(pairs, is_loop);
    double sum = 0;
    std::int64_t count = 0;
    for (const Triplet<float>& pair : pairs) {
        if (is_loop(pair) && !only_loops) continue;
        sum += static_cast<double>(pair.value);
        ++count;
    }
    return count > 0 ? sum / static_cast<double>(count) : 1.0;
}

bool weights_differ(std::span<const Triplet<float>> pairs) {
    const auto differ = [](const Triplet<float>& a, const Triplet<float>& b) { return a.value != b.value; };
    return std::ranges::adjacent_find(pairs, differ) != pairs.end();
}

float in_units(float weight, double unit) {
    constexpr float lightest = 1e-30F;
    return std::max(static_cast<float>(static_cast<double>(weight) / unit), lightest);
}

EdgeRepeats count_edges(const Dataset& dataset) {
    return dataset.edge_weights.empty() ? count_plain(dataset.edges)
                                        : count_weighted(dataset.edges, dataset.edge_weights);
}

void settle_weights(Dataset& dataset, ConstantWeights constant) {
    std::vector<float>& weights = dataset.edge_weights;
    if (weights.empty()) return;
    std::size_t kept = 0;
    for (std::size_t e = 0; e < weights.size(); ++e) {
        if (weights[e] == 0.0F) continue;
        dataset.edges[kept] = dataset.edges[e];
        weights[kept++] = weights[e];
    }
    const std::size_t zeros = weights.size() - kept;
    dataset.edges.resize(kept);
    weights.resize(kept);
    if (zeros > 0) {
        dataset.notes.push_back(fmt::format("{}: {} of weight 0 {} left out", dataset.source,
                                            plural(static_cast<std::int64_t>(zeros), "edge"),
                                            zeros == 1 ? "is" : "are"));
    }
    const bool same = std::ranges::adjacent_find(weights, std::not_equal_to<>()) == weights.end();
    const bool counted = constant == ConstantWeights::kept_where_repeated && same && kept > 0 &&
                         count_edges(dataset).repeated > 0;
    if (same && !counted) weights.clear();
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (sum <= largest_weight) return;
    try {
        merged_ways(dataset.edges, weights);
    } catch (const InputError&) {
        fail_in_file(dataset.source,
                     "the weights of a repeated edge add up to more than 3.4e38: give them in a larger unit");
    }
}

void settle_matrix_directions(Dataset& dataset, Directions wanted) {
    const EdgeRepeats counts = count_edges(dataset);
    const std::int64_t one_way = counts.pairs - counts.both_ways;
    const bool symmetric = one_way == 0 && counts.unequal == 0;
    if (symmetric) return refuse_directions(dataset.source, wanted);
    dataset.directed = wanted != Directions::dropped;
    if (wanted == Directions::kept) return;
    const std::string what =
        one_way > 0 ? fmt::format("connections that go one way only: {}", one_way)
                    : fmt::format("connections that weigh more one way than the other: {}", counts.unequal);
    dataset.notes.push_back(
        wanted == Directions::dropped
            ? fmt::format("{}; read as going both ways{}", what,
                          counts.unequal > 0 ? ", with the mean of the two weights" : "")
            : fmt::format("{}: the graph is directed (`undirected` reads it as going both ways)", what));
}

void note_repeated_edges(Dataset& dataset, const EdgeRepeats& counts, bool weighted) {
    std::vector<std::string> parts;
    if (counts.repeated > 0) {
        parts.push_back(fmt::format("{} given again{}", plural(counts.repeated, "edge"),
                                    weighted ? ", whose weights add up"
                                             : ", which counts once unless a column of weights (`weight`) "
                                               "says how much it adds"));
    }
    const bool mirrored = counts.both_ways == counts.pairs;
    if (!dataset.directed && counts.unequal > 0) {
        parts.push_back(
            fmt::format("{} given in both directions with different weights, of which the mean "
                        "counts (`directed` keeps both)",
                        plural(counts.unequal, "pair")));
    } else if (!dataset.directed && counts.both_ways > 0 && !mirrored) {
        parts.push_back(fmt::format("{} given in both directions, which counts once (`directed` keeps both)",
                                    plural(counts.both_ways, "pair")));
    }
    if (parts.empty()) return;
    dataset.notes.push_back(fmt::format("{}: {}", dataset.source, fmt::join(parts, "; ")));
}

void refuse_directions(std::string_view dataset, Directions wanted) {
    if (wanted != Directions::kept) return;
    fail_in_file(dataset, "its edges have no directions, and `directed` asks for them");
}

}  // namespace hwgcn
