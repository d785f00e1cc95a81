#pragma once

#include "hwgcn/dataset/dataset.hpp"

#include "base/random_stream.hpp"

namespace hwgcn::testing {

/// A graph of customers few of whom cheat: `rare` of the nodes are of class "yes". Five of fifty features are
/// more frequent with them, and so are edges among them, but neither tells for sure.
inline Dataset make_rare_nodes(Index nodes = 1000, Index rare = 10, std::uint64_t seed = 1) {
    Dataset dataset;
    dataset.name = "customers";
    dataset.source = "tests";
    dataset.nodes = nodes;
    dataset.class_names = {"no", "yes"};
    dataset.labels.assign(static_cast<std::size_t>(nodes), 0);
    RandomStream random(seed, 0);
    std::vector<Index> cheats;
    while (static_cast<Index>(cheats.size()) < rare) {
        const auto node = static_cast<Index>(random.uniform() * nodes);
        if (dataset.labels[node] == 1) continue;
        dataset.labels[node] = 1;
        cheats.push_back(node);
    }
    constexpr Index features = 50, telling = 5;
    dataset.features = {nodes, features, {0}, {}, {}};
    for (Index i = 0; i < nodes; ++i) {
        const bool cheat = dataset.labels[i] == 1;
        for (Index f = 0; f < features; ++f) {
            if (random.uniform() >= (f < telling && cheat ? 0.5 : 0.1)) continue;
            dataset.features.indices.push_back(f);
            dataset.features.values.push_back(1.0F);
        }
        dataset.features.offsets.push_back(static_cast<std::int64_t>(dataset.features.indices.size()));
        for (int e = 0; e < 3; ++e) {
            const bool among = cheat && cheats.size() > 1 && random.uniform() < 0.3;
            const Index other =
                among
                    ? cheats[static_cast<std::size_t>(random.uniform() * static_cast<double>(cheats.size()))]
                    : static_cast<Index>(random.uniform() * nodes);
            if (other != i) dataset.edges.push_back({i, other});
        }
    }
    return dataset;
}

}  // namespace hwgcn::testing
