#include "report/explorer_section.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "base/parallel_for.hpp"
#include "operators/propagation.hpp"

namespace hwgcn {
namespace {

using Json = nlohmann::ordered_json;

struct RingMember {
    Index node;
    double weight;
    double share;
};

struct Ring {
    std::int64_t nodes = 0;  // with a weight
    double weight = 0;       // of all of them
    double share = 0;
    std::vector<RingMember> heaviest;
};

// What the page shows of one node.
struct Ego {
    double own_share = 0;
    double other_share = 0;   // of nodes in no ring, which are heard over several steps
    std::vector<Ring> rings;  // 1..K
};

void keep_heaviest(Ring& ring, std::size_t count) {
    const auto heavier = [](const RingMember& a, const RingMember& b) {
        if (a.weight != b.weight) return a.weight > b.weight;
        if (std::abs(a.share) != std::abs(b.share)) return std::abs(a.share) > std::abs(b.share);
        return a.node < b.node;
    };
    std::ranges::sort(ring.heaviest, heavier);
    if (ring.heaviest.size() > count) ring.heaviest.resize(count);
}

// All members of the rings of a node, each once: those of powers of the adjacency matrix overlap, and a node
// belongs to the lowest that it is in, its distance.
std::vector<Ring> members_of(const Graph& graph, const std::vector<CsrMatrix<double>>& orders, Index node) {
    std::vector<Ring> rings(1 + orders.size());
    std::unordered_map<Index, double*> weight_of;
    const auto add = [&](Ring& ring, Index other, double weight) {
        if (other == node) return;
        const auto found = weight_of.find(other);
        if (found != weight_of.end()) {
            *found->second += weight;
        } else {
            ring.heaviest.push_back({other, weight, 0.0});
            weight_of[other] = &ring.heaviest.back().weight;
        }
    };
    rings[0].heaviest.reserve(graph.neighbors(node).size());  // keeps addresses
    const std::span<const float> weights = graph.weights(node);
    for (std::size_t e = 0; e < graph.neighbors(node).size(); ++e)
        add(rings[0], graph.neighbors(node)[e], weights.empty() ? 1.0 : static_cast<double>(weights[e]));
    for (std::size_t k = 0; k < orders.size(); ++k) {
        const SparseRow<double> row = orders[k].row(node);
        rings[k + 1].heaviest.reserve(row.size());
        for (std::size_t e = 0; e < row.size(); ++e)
            add(rings[k + 1], row.indices[e], row.values[e]);
    }
    return rings;
}

// `shares` is empty where there are none.
Ego make_ego(const Graph& graph, const std::vector<CsrMatrix<double>>& orders, Index node,
             const std::vector<double>& shares, std::size_t per_ring) {
    Ego ego;
    ego.rings = members_of(graph, orders, node);
    ego.other_share = std::accumulate(shares.begin(), shares.end(), 0.0);
    if (!shares.empty()) ego.own_share = shares[node];
    ego.other_share -= ego.own_share;
    for (Ring& ring : ego.rings) {
        ring.nodes = static_cast<std::int64_t>(ring.heaviest.size());
        for (RingMember& member : ring.heaviest) {
            if (!shares.empty()) member.share = shares[member.node];
            ring.weight += member.weight;
            ring.share += member.share;
        }
        ego.other_share -= ring.share;
        keep_heaviest(ring, per_ring);
    }
    return ego;
}

// The nodes to look at: all, or of a large graph first those of the split, then others, by number.
std::vector<Index> focus_nodes(const RunForReport& run, const ExplorerLimits& limits) {
    const Index nodes = run.graph.dataset.nodes;
    std::vector<Index> all(static_cast<std::size_t>(nodes));
    std::iota(all.begin(), all.end(), Index{0});
    if (nodes <= limits.all_nodes) return all;
    std::vector<char> in_split(all.size(), 0);
    for (const auto* const part : {&run.split.test, &run.split.validation, &run.split.train}) {
        for (const Index node : *part)
            in_split[node] = 1;
    }
    std::ranges::stable_sort(all, std::greater(), [&](Index node) { return in_split[node]; });
    all.resize(static_cast<std::size_t>(limits.nodes_of_larger));
    std::ranges::sort(all);
    return all;
}

Orientation orientation_of(const MethodSettings& settings) {
    return method_info(settings.method()).takes_weights ? Orientation::symmetric
                                                        : settings.propagation().orientation;
}

// Which nodes get shares where there are not enough for all: those that a reader comes to first. The page
// opens with one of the first test nodes, leads to the wrong predictions on test nodes, and lists nodes
// without a label.
std::vector<char> with_shares(const RunForReport& run, ConstMatrixView probabilities,
                              const std::vector<Index>& focus, std::int64_t count) {
    constexpr int first_of_test = 200;  // among which explorer.js chooses
    enum Place { opening, wrong, unlabelled, tested, others };
    const std::vector<Index>& labels = run.graph.dataset.labels;
    std::vector<char> in_test(labels.size(), 0);
    for (const Index node : run.split.test)
        in_test[node] = 1;
    int opened = 0;
    const auto place_of = [&](Index node) {
        const bool may_open = run.split.test.empty() || in_test[node];
        if (may_open && opened++ < first_of_test) return opening;
        if (labels[node] < 0) return unlabelled;
        if (!in_test[node]) return others;
        return decide(probabilities, node, run.manifest.decision) != labels[node] ? wrong : tested;
    };
    std::vector<std::pair<Place, std::size_t>> order;
    for (std::size_t k = 0; k < focus.size(); ++k)
        order.emplace_back(place_of(focus[k]), k);
    std::ranges::sort(order);
    std::vector<char> chosen(focus.size(), 0);
    for (std::size_t k = 0; k < std::min(order.size(), static_cast<std::size_t>(count)); ++k)
        chosen[order[k].second] = 1;
    return chosen;
}

// How many nodes get shares: as many as asked for, or as the work pays for.
std::int64_t share_count(const RunForReport& run, const ExplorerLimits& limits, std::size_t focus) {
    if (run.explainer == nullptr) return 0;
    const std::int64_t affordable =
        limits.shares ? std::int64_t{*limits.shares}
                      : limits.share_cost / std::max<std::int64_t>(1, run.explainer->cost());
    return std::min(affordable, static_cast<std::int64_t>(focus));
}

std::vector<Ego> make_egos(const RunForReport& run, const std::vector<Index>& focus, std::size_t per_ring,
                           const std::vector<char>& shared, const ExecutionControl& control) {
    std::vector<CsrMatrix<double>> orders;
    for (const OrderWeights& order : run.weights.orders)
        orders.push_back(oriented(order.matrix, orientation_of(method_of_weights(run.manifest))));
    std::vector<Ego> egos(focus.size());
    const ProgressTask task(control, "explaining", static_cast<std::int64_t>(focus.size()));
    parallel_for(static_cast<std::int64_t>(focus.size()), 16, control, [&](int, std::int64_t k) {
        const std::vector<double> shares =
            shared[k] != 0 ? run.explainer->shares(focus[k]) : std::vector<double>();
        egos[k] = make_ego(run.graph.graph, orders, focus[k], shares, per_ring);
    });
    return egos;
}

// The nodes of the table: those to look at, then the others that they show. place[node] is -1 for none.
std::vector<Index> table_nodes(const std::vector<Index>& focus, const std::vector<Ego>& egos,
                               std::vector<Index>& place) {
    std::vector<Index> table = focus;
    const auto enter = [&](Index node) {
        if (place[node] >= 0) return;
        place[node] = static_cast<Index>(table.size());
        table.push_back(node);
    };
    for (std::size_t k = 0; k < focus.size(); ++k)
        place[focus[k]] = static_cast<Index>(k);
    for (const Ego& ego : egos) {
        for (const Ring& ring : ego.rings) {
            for (const RingMember& member : ring.heaviest)
                enter(member.node);
        }
    }
    return table;
}

template <typename Number>
std::string packed(const std::vector<Number>& numbers) {
    return base64(std::as_bytes(std::span(numbers)));
}

std::int16_t packed_share(double share) {
    return static_cast<std::int16_t>(std::lround(std::clamp(share, -1.0, 1.0) * 32767));
}

// Logarithms between those of the lightest and the heaviest weight in 16 bits: three digits and more.
struct WeightScale {
    double low = 0;  // logarithms
    double high = 0;

    explicit WeightScale(const std::vector<Ego>& egos) {
        double lightest = 1, heaviest = 1;  // an edge weighs 1
        for (const Ego& ego : egos) {
            for (const Ring& ring : ego.rings) {
                if (ring.heaviest.empty()) continue;
                heaviest = std::max(heaviest, ring.heaviest.front().weight);
                lightest = std::min(lightest, ring.heaviest.back().weight);
            }
        }
        low = std::log(std::max(lightest, 1e-12));
        high = std::log(heaviest);
    }

    std::uint16_t code(double weight) const {
        if (high == low) return 65535;
        const double share = (std::log(std::max(weight, 1e-12)) - low) / (high - low);
        return static_cast<std::uint16_t>(std::lround(std::clamp(share, 0.0, 1.0) * 65535));
    }
};

void add_rings(Json& json, const std::vector<Ego>& egos, const std::vector<Index>& place, bool any_shares) {
    const WeightScale scale(egos);
    std::vector<std::uint32_t> ring_nodes, neighbor;
    std::vector<float> ring_weight;
    std::vector<std::int16_t> ring_share, share, own_share, other_share;
    std::vector<std::uint16_t> weight;
    for (const Ego& ego : egos) {
        own_share.push_back(packed_share(ego.own_share));
        other_share.push_back(packed_share(ego.other_share));
        for (const Ring& ring : ego.rings) {
            ring_nodes.push_back(static_cast<std::uint32_t>(ring.nodes));
            ring_weight.push_back(static_cast<float>(ring.weight));
            ring_share.push_back(packed_share(ring.share));
            for (const RingMember& member : ring.heaviest) {
                neighbor.push_back(static_cast<std::uint32_t>(place[member.node]));
                weight.push_back(scale.code(member.weight));
                share.push_back(packed_share(member.share));
            }
        }
    }
    json["weight_range"] = {scale.low, scale.high};
    json["ring_nodes"] = packed(ring_nodes);
    json["ring_weight"] = packed(ring_weight);
    json["neighbor"] = json["wide"] ? packed(neighbor)
                                    : packed(std::vector<std::uint16_t>(neighbor.begin(), neighbor.end()));
    json["weight"] = packed(weight);
    if (!any_shares) return;
    json["beyond"] =
        std::ranges::any_of(other_share, [](std::int16_t beyond) { return std::abs(beyond) > 16; });
    json["own_share"] = packed(own_share);
    json["other_share"] = packed(other_share);
    json["ring_share"] = packed(ring_share);
    json["share"] = packed(share);
}

void add_nodes(Json& json, const std::vector<Index>& table, const RunForReport& run,
               ConstMatrixView probabilities) {
    const Dataset& dataset = run.graph.dataset;
    std::vector<std::uint8_t> part_of(static_cast<std::size_t>(dataset.nodes), 0);
    std::uint8_t number = 1;
    for (const auto* const part : {&run.split.train, &run.split.validation, &run.split.test}) {
        for (const Index node : *part)
            part_of[node] = number;
        ++number;
    }
    std::vector<std::uint16_t> predicted, label, confidence;  // label: 65535 for none
    std::vector<std::uint8_t> parts;
    Json ids = Json::array();
    for (const Index node : table) {
        const Index best = decide(probabilities, node, run.manifest.decision);
        ids.push_back(node_id(dataset, node));
        predicted.push_back(static_cast<std::uint16_t>(best));
        label.push_back(static_cast<std::uint16_t>(dataset.labels[node]));
        confidence.push_back(static_cast<std::uint16_t>(
            std::lround(65535.0 * static_cast<double>(probabilities.at(node, best)))));
        parts.push_back(part_of[node]);
    }
    json["ids"] = std::move(ids);
    json["predicted"] = packed(predicted);
    json["label"] = packed(label);
    json["confidence"] = packed(confidence);
    json["part"] = packed(parts);
}

}  // namespace

Json explorer_json(const RunForReport& run, ConstMatrixView probabilities, const ExecutionControl& control,
                   const ExplorerLimits& limits, std::vector<std::string>& notes) {
    const std::vector<Index> focus = focus_nodes(run, limits);
    const auto nodes = static_cast<std::size_t>(run.graph.dataset.nodes);
    const std::size_t rings = 1 + run.weights.orders.size();
    const std::size_t per_ring = std::max<std::size_t>(1, static_cast<std::size_t>(limits.neighbors) / rings);
    const std::int64_t count = share_count(run, limits, focus.size());
    if (run.explainer == nullptr) {
        notes.push_back(fmt::format(
            "The explorer has weights but no shares: {} is no network, whose predictions could be "
            "traced back to single nodes.",
            method_info(run.manifest.settings.method()).title));
    } else if (count < std::ssize(focus)) {
        notes.push_back(fmt::format(
            "The explorer has shares for {} of its {} nodes{}. hwgcn explain has them node by node, and "
            "hwgcn report --shares N for N nodes, or all.",
            count, focus.size(),
            limits.shares ? "" : ", test nodes and wrong predictions first, because all would take long"));
    }
    if (focus.size() < nodes) {
        notes.push_back(
            fmt::format("The explorer has {} of the {} nodes to look at, those of the split first.",
                        focus.size(), nodes));
    }
    const std::vector<char> shared = with_shares(run, probabilities, focus, count);
    const std::vector<Ego> egos = make_egos(run, focus, per_ring, shared, control);
    std::vector<Index> place(nodes, -1);
    const std::vector<Index> table = table_nodes(focus, egos, place);
    Json json = {{"rings", rings},
                 {"per_ring", per_ring},
                 {"focus", focus.size()},
                 {"all_nodes", nodes},
                 {"wide", table.size() > 65536}};
    add_nodes(json, table, run, probabilities);
    add_rings(json, egos, place, count > 0);
    if (count > 0) json["kind"] = name_of(run.explainer->kind());
    if (count > 0 && count < std::ssize(focus)) json["shared"] = packed(shared);
    return json;
}

}  // namespace hwgcn
