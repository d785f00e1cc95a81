#include "methods/networks/context_pairs.hpp"

#include <algorithm>

#include "base/stopping.hpp"
#include "operators/random_walks.hpp"

namespace hwgcn {
namespace {

Index draw_below(RandomStream& random, std::size_t bound) {
    return static_cast<Index>(random.below(bound));
}

// A position of the walk near `from`, other than it.
std::size_t nearby(std::size_t from, std::size_t window, std::size_t length, RandomStream& random) {
    const std::size_t first = from > window ? from - window : 0;
    const std::size_t last = std::min(from + window, length - 1);
    const std::size_t position = first + random.below(last - first);
    return position < from ? position : position + 1;
}

}  // namespace

std::vector<ContextPair> walk_contexts(const CsrMatrix<float>& weights, const WalkOptions& options,
                                       RandomStream random, const ExecutionControl& control) {
    const RandomWalker walker(weights);
    const auto window = static_cast<std::size_t>(options.window);
    std::vector<Index> walk(static_cast<std::size_t>(options.steps) + 1);
    std::vector<ContextPair> pairs;
    pairs.reserve(2 * static_cast<std::size_t>(options.pairs) * static_cast<std::size_t>(weights.rows));
    for (const Index start : walker.starts()) {
        throw_if_stopped(control);
        walker.walk(start, random, walk);
        for (int k = 0; k < options.pairs; ++k) {
            const std::size_t here = random.below(walk.size());
            const std::size_t there = nearby(here, window, walk.size(), random);
            pairs.push_back({walk[here], walk[there], 1.0F});
            pairs.push_back({walk[here], draw_below(random, static_cast<std::size_t>(weights.rows)), -1.0F});
        }
    }
    return pairs;
}

std::vector<ContextPair> label_contexts(const LearnedLabels& known, int pairs, RandomStream random) {
    // Nodes by class: those of a class are a range and those of the others the rest.
    std::vector<std::size_t> order(known.labels.size());
    for (std::size_t k = 0; k < order.size(); ++k)
        order[k] = k;
    const auto label_less = [&](std::size_t a, std::size_t b) { return known.labels[a] < known.labels[b]; };
    std::stable_sort(order.begin(), order.end(), label_less);
    std::vector<ContextPair> result;
    for (std::size_t k = 0; k < order.size(); ++k) {
        const auto [first, last] = std::equal_range(order.begin(), order.end(), order[k], label_less);
        const auto own = static_cast<std::size_t>(last - first);
        if (own == order.size()) return {};
        const auto begin = static_cast<std::size_t>(first - order.begin());
        for (int n = 0; n < pairs; ++n) {
            const std::size_t same = begin + random.below(own);
            const std::size_t rest = random.below(order.size() - own);
            const std::size_t other = rest < begin ? rest : rest + own;
            result.push_back({known.rows[order[k]], known.rows[order[same]], 1.0F});
            result.push_back({known.rows[order[k]], known.rows[order[other]], -1.0F});
        }
    }
    return result;
}

std::vector<RowPair> unconnected_pairs(const CsrMatrix<float>& weights, std::int64_t count,
                                       RandomStream random) {
    std::vector<RowPair> pairs;
    pairs.reserve(static_cast<std::size_t>(count));
    for (std::int64_t k = 0; k < count; ++k) {
        const Index i = draw_below(random, static_cast<std::size_t>(weights.rows));
        const Index j = draw_below(random, static_cast<std::size_t>(weights.rows));
        const std::span<const Index> neighbors = weights.row(i).indices;
        if (i != j && !std::binary_search(neighbors.begin(), neighbors.end(), j)) pairs.push_back({i, j});
    }
    return pairs;
}

}  // namespace hwgcn
