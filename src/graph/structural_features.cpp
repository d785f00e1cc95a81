#include "graph/structural_features.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "base/parallel_for.hpp"
#include "base/stopping.hpp"
#include "tensor/elementary.hpp"

namespace hwgcn {
namespace {

// Steps over edges that triangles and walks may take, of all nodes together: a few seconds, where a walk's
// steps lead to any place in memory. Counted, never timed: a graph has the same columns on every machine.
constexpr double triangle_budget = 1e9;
constexpr double walk_budget = 2e8;
constexpr int most_expansions = 4;  // a walk of t steps tells the returns after 2t - 1 and 2t steps
constexpr std::int64_t chunk = 16;

double degree_of(const Graph& graph, Index node) {
    return static_cast<double>(graph.neighbors(node).size());
}

// Columns side by side, one after the other while they are computed.
class Columns {
  public:
    explicit Columns(Index nodes) : nodes_(nodes) {}

    std::vector<double>& add(std::string name) {
        names_.push_back(std::move(name));
        return columns_.emplace_back(static_cast<std::size_t>(nodes_), 0.0);
    }

    StructuralFeatures take(std::vector<std::string> notes) {
        StructuralFeatures result{
            {nodes_, static_cast<Index>(columns_.size()), {0}, {}, {}}, std::move(names_), std::move(notes)};
        for (Index node = 0; node < nodes_; ++node) {
            for (Index column = 0; column < result.values.columns; ++column) {
                const auto value = static_cast<float>(columns_[column][node]);
                if (value == 0) continue;
                result.values.indices.push_back(column);
                result.values.values.push_back(value);
            }
            result.values.offsets.push_back(result.values.entries());
        }
        return result;
    }

  private:
    Index nodes_;
    std::vector<std::string> names_;
    std::vector<std::vector<double>> columns_;
};

void add_degrees(const Graph& graph, Columns& columns) {
    std::vector<double>& own = columns.add("degree");
    for (Index node = 0; node < graph.nodes(); ++node)
        own[node] = logarithm(1 + degree_of(graph, node));
    std::vector<double>& around = columns.add("degree of neighbors");
    for (Index node = 0; node < graph.nodes(); ++node) {
        double sum = 0;  // of whole numbers: exact
        for (const Index neighbor : graph.neighbors(node))
            sum += degree_of(graph, neighbor);
        if (sum > 0) around[node] = logarithm(1 + sum / degree_of(graph, node));
    }
}

// Nodes by degree, and where each degree begins among them.
struct DegreeOrder {
    std::vector<Index> nodes;
    std::vector<Index> place;  // of each node
    std::vector<Index> begin;  // of each degree

    explicit DegreeOrder(const Graph& graph) {
        Index largest = 0;
        for (Index node = 0; node < graph.nodes(); ++node)
            largest = std::max(largest, static_cast<Index>(graph.neighbors(node).size()));
        begin.assign(static_cast<std::size_t>(largest) + 2, 0);
        for (Index node = 0; node < graph.nodes(); ++node)
            ++begin[graph.neighbors(node).size() + 1];
        for (std::size_t d = 1; d < begin.size(); ++d)
            begin[d] += begin[d - 1];
        nodes.resize(static_cast<std::size_t>(graph.nodes()));
        place.resize(nodes.size());
        std::vector<Index> next = begin;
        for (Index node = 0; node < graph.nodes(); ++node) {
            place[node] = next[graph.neighbors(node).size()]++;
            nodes[place[node]] = node;
        }
    }
};

// A node of the least degree is taken away again and again; its degree by then is its core number. `order`
// stays sorted: a neighbor that loses a degree changes places with the first of its degree.
void add_core_numbers(const Graph& graph, const ExecutionControl& control, Columns& columns) {
    DegreeOrder order(graph);
    std::vector<Index> degree(order.nodes.size());
    for (Index node = 0; node < graph.nodes(); ++node)
        degree[node] = static_cast<Index>(graph.neighbors(node).size());
    std::vector<double>& core = columns.add("core number");
    for (std::size_t i = 0; i < order.nodes.size(); ++i) {
        throw_if_stopped(control);
        const Index node = order.nodes[i];
        core[node] = logarithm(1.0 + degree[node]);
        for (const Index neighbor : graph.neighbors(node)) {
            if (degree[neighbor] <= degree[node]) continue;
            const Index to = order.begin[degree[neighbor]]++;
            const Index other = order.nodes[to];
            std::swap(order.nodes[order.place[neighbor]], order.nodes[to]);
            std::swap(order.place[neighbor], order.place[other]);
            --degree[neighbor];
        }
    }
}

// Each edge once, from the end of smaller degree: no node has more than sqrt(2 edges) of them.
struct ForwardEdges {
    std::vector<std::int64_t> offsets = {0};
    std::vector<Index> ends;
    double steps = 0;  // to find all triangles

    explicit ForwardEdges(const Graph& graph) {
        const std::vector<Index> place = DegreeOrder(graph).place;
        for (Index node = 0; node < graph.nodes(); ++node) {
            std::ranges::copy_if(graph.neighbors(node), std::back_inserter(ends),
                                 [&](Index neighbor) { return place[neighbor] > place[node]; });
            offsets.push_back(static_cast<std::int64_t>(ends.size()));
        }
        for (const Index end : ends)
            steps += static_cast<double>(from(end).size());
    }

    std::span<const Index> from(Index node) const {
        return {ends.data() + offsets[node], static_cast<std::size_t>(offsets[node + 1] - offsets[node])};
    }
};

// Per node. Whole numbers add up to the same in whatever order.
std::vector<std::int64_t> count_triangles(const ForwardEdges& edges, Index nodes,
                                          const ExecutionControl& control) {
    std::vector<std::int64_t> triangles(static_cast<std::size_t>(nodes), 0);
    const auto count = [&](Index node, std::int64_t found) {
        if (found > 0) std::atomic_ref(triangles[node]).fetch_add(found, std::memory_order_relaxed);
    };
    std::vector<std::vector<Index>> marks(static_cast<std::size_t>(thread_count(control)));
    parallel_for(nodes, chunk, control, [&](int worker, std::int64_t index) {
        const auto first = static_cast<Index>(index);
        std::vector<Index>& mark = marks[worker];  // the node that marked a node last
        if (mark.empty()) mark.assign(static_cast<std::size_t>(nodes), -1);
        for (const Index second : edges.from(first))
            mark[second] = first;
        std::int64_t all = 0;
        for (const Index second : edges.from(first)) {
            std::int64_t found = 0;
            for (const Index third : edges.from(second)) {
                if (mark[third] != first) continue;
                ++found;
                count(third, 1);
            }
            count(second, found);
            all += found;
        }
        count(first, all);
    });
    return triangles;
}

void add_clustering(const Graph& graph, const ExecutionControl& control, Columns& columns,
                    std::vector<std::string>& notes) {
    const ForwardEdges edges(graph);
    if (edges.steps > triangle_budget) {
        notes.push_back(fmt::format(
            "the share of connected neighbors was left out: it would take {:.1e} steps", edges.steps));
        return;
    }
    const std::vector<std::int64_t> triangles = count_triangles(edges, graph.nodes(), control);
    std::vector<double>& clustering = columns.add("clustering");
    for (Index node = 0; node < graph.nodes(); ++node) {
        const double degree = degree_of(graph, node);
        if (degree > 1)
            clustering[node] = 2.0 * static_cast<double>(triangles[node]) / (degree * (degree - 1));
    }
}

// How many times a walk's distribution can be expanded from all nodes: an expansion from a node passes over
// at most as many edges as there are walks, and over each edge once in each direction.
int affordable_expansions(const Graph& graph, std::vector<std::string>& notes) {
    const double both_directions = 2.0 * static_cast<double>(graph.edges());
    std::vector<double> walks(static_cast<std::size_t>(graph.nodes()), 1.0);
    std::vector<double> longer(walks.size());
    double steps = 0;
    for (int length = 1; length <= most_expansions; ++length) {
        for (Index node = 0; node < graph.nodes(); ++node) {
            double sum = 0;
            for (const Index neighbor : graph.neighbors(node))
                sum += walks[neighbor];
            longer[node] = sum;
            steps += std::min(sum, both_directions);
        }
        std::swap(walks, longer);
        if (length == 1 || steps <= walk_budget) continue;
        notes.push_back(fmt::format(
            "returns of walks of more than {} steps were left out: they would take up to {:.1e} steps",
            2 * (length - 1), steps));
        return length - 1;
    }
    return most_expansions;
}

// Where a walk is after some steps: a probability per node that it can have reached.
struct Spread {
    std::vector<double> probability;  // per node of the graph
    std::vector<Index> reached;

    void clear() {
        for (const Index node : reached)
            probability[node] = 0;
        reached.clear();
    }
    void add(Index node, double share) {
        if (probability[node] == 0) reached.push_back(node);
        probability[node] += share;
    }
};

// P = D^-1 A. The walk is reversible, d_i P^t(i, j) = d_j P^t(j, i), so that
// P^(s+t)(i, i) = sum_j P^s(i, j) P^t(j, i) = d_i sum_j P^s(i, j) P^t(i, j) / d_j.
double return_probability(const Graph& graph, Index node, const Spread& earlier, const Spread& later) {
    double sum = 0;
    for (const Index place : later.reached)
        sum += earlier.probability[place] * later.probability[place] / degree_of(graph, place);
    return degree_of(graph, node) * sum;
}

class Walker {
  public:
    explicit Walker(const Graph& graph) : graph_(&graph) {
        for (Spread* spread : {&now_, &next_})
            spread->probability.assign(static_cast<std::size_t>(graph.nodes()), 0.0);
    }

    // Tells returned(steps, probability) for steps = 2 .. 2 * expansions. The node has neighbors.
    template <typename Returned>
    void walk(Index node, int expansions, const Returned& returned) {
        now_.clear();
        now_.add(node, 1.0);
        for (int length = 1; length <= expansions; ++length) {
            next_.clear();
            for (const Index place : now_.reached) {
                const double share = now_.probability[place] / degree_of(*graph_, place);
                for (const Index neighbor : graph_->neighbors(place))
                    next_.add(neighbor, share);
            }
            if (length > 1) returned(2 * length - 1, return_probability(*graph_, node, now_, next_));
            returned(2 * length, return_probability(*graph_, node, next_, next_));
            std::swap(now_, next_);
        }
    }

  private:
    const Graph* graph_;
    Spread now_, next_;
};

void add_returns(const Graph& graph, const ExecutionControl& control, Columns& columns,
                 std::vector<std::string>& notes) {
    const int expansions = affordable_expansions(graph, notes);
    std::vector<std::vector<double>> returns(static_cast<std::size_t>(2 * expansions) + 1);
    for (std::size_t steps = 2; steps < returns.size(); ++steps)
        returns[steps].assign(static_cast<std::size_t>(graph.nodes()), 0.0);
    std::vector<Walker> walkers;
    for (int worker = 0; worker < thread_count(control); ++worker)
        walkers.emplace_back(graph);
    const ProgressTask task(control, "structure of the graph", graph.nodes());
    parallel_for(graph.nodes(), chunk, control, [&](int worker, std::int64_t index) {
        const auto node = static_cast<Index>(index);
        if (graph.neighbors(node).empty()) return;
        walkers[worker].walk(node, expansions, [&](int steps, double probability) {
            returns[static_cast<std::size_t>(steps)][index] = probability;
        });
    });
    for (std::size_t steps = 2; steps < returns.size(); ++steps)
        columns.add(fmt::format("return in {} steps", steps)) = std::move(returns[steps]);
}

}  // namespace

StructuralFeatures structural_features(const Graph& graph, const ExecutionControl& control) {
    const ExecutionControl silent{control.threads, nullptr, control.stop};
    Columns columns(graph.nodes());
    std::vector<std::string> notes;
    add_degrees(graph, columns);
    add_core_numbers(graph, control, columns);
    add_clustering(graph, silent, columns, notes);
    add_returns(graph, control, columns, notes);
    return columns.take(std::move(notes));
}

std::vector<std::string> use_structural_features(Dataset& dataset, const Graph& graph,
                                                 const ExecutionControl& control) {
    if (dataset.features.columns > 0) return {};
    StructuralFeatures made = structural_features(graph, control);
    std::vector<std::string> notes = {
        "no features: degrees, core numbers, clustering and returns of short walks take their place "
        "(`structural_features=off` does without)"};
    std::ranges::move(made.notes, std::back_inserter(notes));
    dataset.feature_kinds.assign(made.names.size(), FeatureKind::number);
    dataset.feature_names = std::move(made.names);
    dataset.fitted_scaling = nullptr;
    dataset.features = std::move(made.values);
    return notes;
}

}  // namespace hwgcn
