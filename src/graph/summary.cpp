#include "graph/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel_for.hpp"
#include "base/stopping.hpp"

namespace hwgcn {
namespace {

// Sizes of the connected components, by flooding each from its smallest node.
std::vector<Index> component_sizes(const Graph& graph, const ExecutionControl& control) {
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(graph.nodes()), 0);
    std::vector<Index> sizes;
    std::vector<Index> queue;
    for (Index start = 0; start < graph.nodes(); ++start) {
        if (seen[start] != 0) continue;
        seen[start] = 1;
        queue.assign(1, start);
        for (std::size_t head = 0; head < queue.size(); ++head) {
            throw_if_stopped(control);
            for (const Index neighbor : graph.neighbors(queue[head])) {
                if (seen[neighbor] != 0) continue;
                seen[neighbor] = 1;
                queue.push_back(neighbor);
            }
        }
        sizes.push_back(static_cast<Index>(queue.size()));
    }
    return sizes;
}

void count_labelled_edges(const Graph& graph, std::span<const Index> labels, const ExecutionControl& control,
                          GraphSummary& summary) {
    double same = 0, all = 0;  // sums of ones are exact
    for (Index node = 0; node < graph.nodes(); ++node) {
        throw_if_stopped(control);
        const std::span<const Index> neighbors = graph.neighbors(node);
        const std::span<const float> weights = graph.weights(node);
        for (std::size_t e = 0; e < neighbors.size(); ++e) {
            const Index neighbor = neighbors[e];
            if (neighbor < node || labels[node] == unlabelled || labels[neighbor] == unlabelled) continue;
            const double weight = weights.empty() ? 1.0 : static_cast<double>(weights[e]);
            ++summary.labelled_edges;
            all += weight;
            if (labels[node] == labels[neighbor]) same += weight;
        }
    }
    summary.homophily = summary.labelled_edges > 0 ? same / all : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

GraphSummary summarize_graph(const Graph& graph, std::span<const Index> labels,
                             const ExecutionControl& control) {
    GraphSummary summary;
    for (Index node = 0; node < graph.nodes(); ++node) {
        const auto degree = static_cast<Index>(graph.neighbors(node).size());
        summary.largest_degree = std::max(summary.largest_degree, degree);
        if (degree == 0) ++summary.isolated;
    }
    if (graph.nodes() > 0) summary.mean_degree = 2.0 * static_cast<double>(graph.edges()) / graph.nodes();
    const std::vector<Index> sizes = component_sizes(graph, control);
    summary.components = static_cast<Index>(sizes.size());
    for (const Index size : sizes)
        summary.largest_component = std::max(summary.largest_component, size);
    count_labelled_edges(graph, labels, control, summary);
    return summary;
}

double common_share(const CsrMatrix<float>& features) {
    std::vector<double> sums(static_cast<std::size_t>(features.columns), 0.0);
    double energy = 0;
    std::int64_t rows = 0, used_columns = 0, longest = 0;
    for (Index node = 0; node < features.rows; ++node) {
        const SparseRow<float> row = features.row(node);
        rows += row.size() > 0 ? 1 : 0;
        longest = std::max(longest, static_cast<std::int64_t>(row.size()));
        for (std::size_t e = 0; e < row.size(); ++e) {
            const auto value = static_cast<double>(row.values[e]);
            double& sum = sums[row.indices[e]];
            used_columns += sum == 0 ? 1 : 0;
            sum += value;
            energy += value * value;
        }
    }
    const bool one_hot = longest == 1 && used_columns > 1;
    if (rows < 2 || energy == 0 || one_hot) return 0;
    const double squares = std::inner_product(sums.begin(), sums.end(), sums.begin(), 0.0);
    return squares / (static_cast<double>(rows) * energy);
}

std::vector<Index> evenly_spaced_nodes(Index nodes, Index count) {
    if (count <= 0 || count >= nodes) {
        std::vector<Index> all(static_cast<std::size_t>(nodes));
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
    std::vector<Index> sample;
    for (Index i = 0; i < count; ++i) {
        sample.push_back(static_cast<Index>((2 * std::int64_t{i} + 1) * nodes / (2 * std::int64_t{count})));
    }
    return sample;
}

std::vector<RingSummary> summarize_rings(const Graph& graph, const RingSummaryOptions& options,
                                         const ExecutionControl& control) {
    const std::vector<Index> sources = evenly_spaced_nodes(graph.nodes(), options.sample);
    const auto orders = static_cast<std::size_t>(options.max_order);
    struct Worker {
        RingSearch search;
        std::vector<RingSummary> rings;
    };
    std::vector<Worker> workers(static_cast<std::size_t>(thread_count(control)),
                                Worker{RingSearch(graph), std::vector<RingSummary>(orders)});
    const auto count = [](RingSummary& ring, std::size_t size) {
        ring.pairs += static_cast<std::int64_t>(size);
        ring.largest = std::max(ring.largest, static_cast<std::int64_t>(size));
        if (size > 0) ++ring.non_empty;
    };
    parallel_for(static_cast<std::int64_t>(sources.size()), 16, control, [&](int w, std::int64_t index) {
        Worker& worker = workers[w];
        const Index node = sources[index];
        if (options.neighborhood == Neighborhood::distance) {
            const auto rings = worker.search.rings(node, options.max_order);
            for (std::size_t k = 0; k < orders; ++k)
                count(worker.rings[k], rings[k].size());
        } else {
            for (std::size_t k = 0; k < orders; ++k) {
                count(worker.rings[k],
                      worker.search.ring(node, static_cast<int>(k) + 1, options.neighborhood).size());
            }
        }
    });

    std::vector<RingSummary> total(orders);
    const double scale =
        sources.empty() ? 1.0 : static_cast<double>(graph.nodes()) / static_cast<double>(sources.size());
    for (std::size_t k = 0; k < orders; ++k) {
        total[k].order = static_cast<int>(k) + 1;
        for (const Worker& worker : workers) {
            total[k].pairs += worker.rings[k].pairs;
            total[k].largest = std::max(total[k].largest, worker.rings[k].largest);
            total[k].non_empty += worker.rings[k].non_empty;
        }
        total[k].pairs = std::llround(scale * static_cast<double>(total[k].pairs));
        total[k].non_empty = static_cast<Index>(std::llround(scale * total[k].non_empty));
    }
    return total;
}

}  // namespace hwgcn
