#include "preflight.hpp"

#include <algorithm>
#include <cmath>

#include "weights/ring_graph.hpp"

// How much is searched and solved is decided by counted work, not by a clock: the same dataset gives the
// same ring sizes on every machine.

namespace hwgcn::cli {
namespace {

// A few seconds each on one core.
constexpr double search_budget = 6e8;        // neighbors looked at
constexpr double large_search_budget = 1e8;  // and in a graph that does not fit into the processor's caches
constexpr Index large_graph = 200'000;
constexpr double solve_budget = 5e7;  // feature entries of ring members, each of which is visited often

constexpr Index pilot_searches = 16;
constexpr Index usual_sample = 2000;
constexpr Index fewest_solves = 6;
constexpr Index most_solves = 64;

std::vector<RingSummary> search(const Graph& graph, const WeightOptions& options, int order, Index sample,
                                const CommandExecution& run) {
    run.start("searching rings", std::min(sample, graph.nodes()));
    std::vector<RingSummary> rings =
        summarize_rings(graph, {order, options.neighborhood, sample}, run.control());
    run.finish();
    return rings;
}

// Neighbors looked at by the searches from one node up to `order`: those of all it reaches. By powers each
// order is searched on its own, through all orders below it.
double search_work(const Graph& graph, const WeightOptions& options, const std::vector<RingSummary>& rings,
                   int order) {
    const double degree = 2.0 * static_cast<double>(graph.edges()) / graph.nodes();
    double reached = 0;
    for (int k = 1; k <= order; ++k) {
        const double repeats = options.neighborhood == Neighborhood::power ? order - k + 1 : 1;
        reached += repeats * static_cast<double>(rings[k - 1].pairs) / graph.nodes();
    }
    return 1 + reached * std::max(1.0, degree);
}

// How many nodes to search from up to `order`.
Index affordable_searches(const Graph& graph, double work) {
    const double budget = graph.nodes() > large_graph ? large_search_budget : search_budget;
    if (budget / work >= graph.nodes()) return graph.nodes();
    const auto sample = static_cast<Index>(std::clamp<double>(budget / work, pilot_searches, usual_sample));
    return std::min(sample, graph.nodes());
}

// Rings grow with the order, so the low orders can be searched from more nodes than the high ones.
std::vector<SearchedRings> search_all(const Graph& graph, const WeightOptions& options,
                                      const CommandExecution& run) {
    const std::vector<RingSummary> pilot = search(graph, options, options.order, pilot_searches, run);
    const auto searches = [&](int order) {
        return affordable_searches(graph, search_work(graph, options, pilot, order));
    };
    std::vector<SearchedRings> found;
    while (static_cast<int>(found.size()) < options.order) {
        const int first = static_cast<int>(found.size()) + 1;
        const Index sample = searches(first);
        int last = first;
        while (last < options.order && searches(last + 1) == sample)
            ++last;
        const auto rings = sample == pilot_searches ? pilot : search(graph, options, last, sample, run);
        for (int order = first; order <= last; ++order)
            found.push_back({rings[order - 1], sample});
    }
    return found;
}

// Of the rings 2..order of a node.
double solve_work(const Graph& graph, const CsrMatrix<float>& features, const WeightOptions& options,
                  const std::vector<SearchedRings>& rings, int order) {
    double work = 0;
    for (int k = 2; k <= order; ++k)
        work += learning_work(graph, features, rings[k - 1].summary, options);
    return 1 + work / graph.nodes();
}

// Where the rings of high orders are too large to solve even a few, lower ones are solved, and the time grows
// with the number of members, the support with the number of orders.
CostEstimate estimate(const Graph& graph, const CsrMatrix<float>& features, WeightOptions options,
                      const std::vector<SearchedRings>& rings, const CommandExecution& run) {
    const int wanted = options.order;
    const auto work = [&](int order) { return solve_work(graph, features, options, rings, order); };
    while (options.order > 2 && work(options.order) * fewest_solves > solve_budget)
        --options.order;
    const double affordable = solve_budget / work(options.order);
    const auto sample = std::min(
        graph.nodes(), static_cast<Index>(std::clamp<double>(affordable, fewest_solves, most_solves)));
    run.start("solving a sample", sample);
    CostEstimate cost = estimate_cost(graph, features, options, run.control(), sample);
    run.finish();
    if (options.order == wanted) return cost;

    const double more_orders = static_cast<double>(wanted - options.order) / (options.order - 1);
    const double bytes_per_weight = 12;
    const double added = static_cast<double>(cost.support) * more_orders;
    cost.seconds *= work(wanted) / work(options.order);
    cost.support += std::llround(added);
    cost.peak_mb += bytes_per_weight * added / (1024.0 * 1024.0);
    return cost;
}

}  // namespace

Preflight preflight(const Graph& graph, const CsrMatrix<float>& features, const WeightOptions& options,
                    const CommandExecution& run) {
    Preflight result;
    if (graph.nodes() == 0 || options.order < 2) return result;
    const RingGraph heavy(graph, options);
    result.rings = search_all(heavy.graph(), options, run);
    result.sampled = std::any_of(result.rings.begin(), result.rings.end(), [&](const SearchedRings& rings) {
        return rings.searched_nodes < graph.nodes();
    });
    if (features.columns > 0) result.estimate = estimate(graph, features, options, result.rings, run);
    result.rings.erase(result.rings.begin());  // order 1: the neighbors, whose weights are not learned
    return result;
}

}  // namespace hwgcn::cli
