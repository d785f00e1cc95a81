#include "hwgcn/weights/learn_weights.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "weights/kept_rows.hpp"
#include "weights/learn_order.hpp"
#include "weights/ring_graph.hpp"

namespace hwgcn {
namespace {

void validate_input(const Graph& graph, const CsrMatrix<float>& features) {
    if (features.rows != graph.nodes()) {
        throw InputError(fmt::format("{} feature rows for {} nodes", features.rows, graph.nodes()));
    }
    if (features.columns == 0) {
        throw InputError("the dataset has no features: higher-order weights are learned from them");
    }
    const bool usable = std::all_of(features.values.begin(), features.values.end(),
                                    [](float value) { return std::isfinite(value); });
    if (!usable) throw InputError("features must be finite");
}

}  // namespace

LearnedWeights learn_weights(const Graph& graph, const CsrMatrix<float>& features,
                             const WeightOptions& options, const ExecutionControl& control,
                             const WeightCache* cache, const std::string& known_content) {
    validate_options(options);
    validate_input(graph, features);
    const RingGraph rings(graph, options);
    LearnedWeights result;
    std::vector<RingLearner> learners;  // made when the first order is not in the cache
    const auto learn = [&](int order, KeptRows* kept) {
        if (learners.empty()) learners = make_learners(graph, rings.graph(), features, options, control);
        const ProgressTask task(control, fmt::format("order {}", order), graph.nodes());
        return learn_order(rings.graph(), learners, order, control, kept);
    };
    const std::string content = cache == nullptr || !known_content.empty()
                                    ? known_content
                                    : WeightCache::content_hash(graph, features);
    for (int order = 2; order <= options.order; ++order) {
        const std::string key = cache != nullptr ? WeightCache::key(content, options, order) : "";
        std::optional<OrderWeights> weights;
        if (cache != nullptr) weights = cache->find(key, graph.nodes(), result.notes);
        if (!weights) {
            std::optional<KeptRows> kept;
            if (cache != nullptr && cache->is_written())
                kept.emplace(cache->entry_path(key).parent_path(), key, result.notes);
            weights = learn(order, kept ? &*kept : nullptr);
            if (kept && cache->store(key, *weights, result.notes)) kept->remove();
        }
        if (!options.keep.empty()) {
            weights->matrix = keep_heaviest(weights->matrix, weights->ring_sizes, options.keep[order - 2]);
            weights->summary.kept = weights->matrix.entries();
        }
        result.orders.push_back(std::move(*weights));
    }
    return result;
}

CsrMatrix<double> keep_heaviest(const CsrMatrix<double>& weights, const std::vector<Index>& ring_sizes,
                                double share) {
    CsrMatrix<double> kept{weights.rows, weights.columns, {0}, {}, {}};
    std::vector<std::size_t> heaviest;
    for (Index i = 0; i < weights.rows; ++i) {
        const SparseRow<double> row = weights.row(i);
        // Slightly less, because a product such as 0.07 * 100 may come out just above the whole number it
        // stands for.
        const auto limit = static_cast<std::size_t>(std::ceil(share * ring_sizes[i] * (1 - 1e-12)));
        heaviest.resize(row.size());
        for (std::size_t e = 0; e < row.size(); ++e)
            heaviest[e] = e;
        if (limit < row.size()) {
            const auto heavier = [&](std::size_t a, std::size_t b) {
                return row.values[a] != row.values[b] ? row.values[a] > row.values[b] : a < b;
            };
            std::nth_element(heaviest.begin(), heaviest.begin() + static_cast<std::ptrdiff_t>(limit),
                             heaviest.end(), heavier);
            heaviest.resize(limit);
            std::sort(heaviest.begin(), heaviest.end());
        }
        for (const std::size_t e : heaviest) {
            kept.indices.push_back(row.indices[e]);
            kept.values.push_back(row.values[e]);
        }
        kept.offsets.push_back(kept.entries());
    }
    return kept;
}

void check_solved(const OrderSummary& order, const WeightOptions& options) {
    if (order.unfinished == 0) return;
    throw ExecutionError(
        fmt::format("order {}: {} solves did not reach the tolerance {}; the worst gap is {:.1e}",
                    order.order, order.unfinished, options.tolerance, order.worst_gap));
}

// Merges the rows of all orders; by distance they never share a column, by powers they may, and then add up.
CsrMatrix<double> combined_weights(const LearnedWeights& weights) {
    if (weights.orders.empty()) return {};
    const Index nodes = weights.orders.front().matrix.rows;
    CsrMatrix<double> sum{nodes, nodes, {0}, {}, {}};
    std::vector<std::pair<Index, double>> entries;
    for (Index i = 0; i < nodes; ++i) {
        entries.clear();
        for (const OrderWeights& order : weights.orders) {
            const SparseRow<double> row = order.matrix.row(i);
            for (std::size_t e = 0; e < row.size(); ++e)
                entries.emplace_back(row.indices[e], row.values[e]);
        }
        std::stable_sort(entries.begin(), entries.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& [column, value] : entries) {
            if (static_cast<std::int64_t>(sum.indices.size()) > sum.offsets.back() &&
                sum.indices.back() == column) {
                sum.values.back() += value;
            } else {
                sum.indices.push_back(column);
                sum.values.push_back(value);
            }
        }
        sum.offsets.push_back(sum.entries());
    }
    return sum;
}

}  // namespace hwgcn
