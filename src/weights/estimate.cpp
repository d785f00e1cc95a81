#include "weights/estimate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/parallel_for.hpp"
#include "weights/ring_graph.hpp"
#include "weights/ring_learner.hpp"

namespace hwgcn {
namespace {

constexpr double megabyte = 1024.0 * 1024.0;

// Memory that is there whatever the rings look like: program and libraries.
constexpr double base_mb = 30;

double data_mb(const Graph& graph, const CsrMatrix<float>& features) {
    const double bytes_per_edge = graph.weighted() ? 24.0 : 16.0;
    const double graph_bytes = bytes_per_edge * static_cast<double>(graph.edges()) + 40.0 * graph.nodes();
    const double feature_bytes = 8.0 * static_cast<double>(features.entries()) + 16.0 * features.rows;
    return (graph_bytes + feature_bytes) / megabyte;
}

// The neighbor lists once more, in the order of samples.
double sample_order_mb(const Graph& graph, const WeightOptions& options) {
    if (options.sample_ring == 0) return 0;
    return (8.0 * static_cast<double>(graph.edges()) + 16.0 * graph.nodes()) / megabyte;
}

// Marks and queue of the ring search and dense scratch vectors of one worker.
double worker_mb(const Graph& graph, const CsrMatrix<float>& features) {
    return (8.0 * graph.nodes() + 36.0 * features.columns) / megabyte + 1;
}

}  // namespace

double learning_work(const Graph& graph, const CsrMatrix<float>& features, const RingSummary& rings,
                     const WeightOptions& options) {
    const double entries = static_cast<double>(features.entries()) / std::max(1, graph.nodes());
    auto members = static_cast<double>(rings.pairs);
    if (options.sample_ring > 0)
        members = std::min(members, static_cast<double>(options.sample_ring) * graph.nodes());
    const double most = static_cast<double>(options.max_ring) * graph.nodes();
    const double visited = options.max_ring > 0 && members > most ? most + members / 4 : members;
    return visited * std::max(1.0, entries);
}

CostEstimate estimate_cost(const Graph& graph, const CsrMatrix<float>& features, const WeightOptions& options,
                           const ExecutionControl& control, Index sample) {
    validate_options(options);
    const std::vector<Index> nodes = evenly_spaced_nodes(graph.nodes(), sample);
    CostEstimate estimate;
    const double workers = thread_count(control);
    estimate.peak_mb = base_mb + data_mb(graph, features) + workers * worker_mb(graph, features);
    estimate.peak_mb += sample_order_mb(graph, options);
    if (nodes.empty() || features.columns == 0 || options.order < 2) return estimate;

    struct Tally {
        std::int64_t support = 0;
        double seconds = 0;
    };
    const RingGraph rings(graph, options);
    std::vector<RingLearner> learners = make_learners(graph, rings.graph(), features, options, control);
    std::vector<Tally> tallies(learners.size());
    parallel_for(static_cast<std::int64_t>(nodes.size()), 1, control, [&](int w, std::int64_t index) {
        const auto started = std::chrono::steady_clock::now();
        for (int order = 2; order <= options.order; ++order) {
            tallies[w].support +=
                static_cast<std::int64_t>(learners[w].learn(nodes[index], order).weights.size());
        }
        tallies[w].seconds +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    });
    const double scale = static_cast<double>(graph.nodes()) / static_cast<double>(nodes.size());
    std::int64_t support = 0;
    for (const Tally& tally : tallies) {
        support += tally.support;
        estimate.seconds += scale * tally.seconds / workers;
    }
    estimate.support = std::llround(scale * static_cast<double>(support));
    estimate.peak_mb += 12.0 * static_cast<double>(estimate.support) / megabyte;
    return estimate;
}

}  // namespace hwgcn
