// Datasets as shards, and what their weights must be.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "hwgcn/dataset/feature_scaling.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "distributed/thread_peers.hpp"
#include "distributed/weights/learn_blocks.hpp"
#include "io/shards/shards.hpp"
#include "test_data.hpp"
#include "weights/weight_inputs.hpp"

namespace hwgcn::testing {

inline constexpr Index plain_nodes = 120;

// The last nodes have no edge; node 0 is connected with every tenth node: it is on every border.
inline Dataset plain() {
    Dataset dataset = make_synthetic({.nodes = plain_nodes, .vocabulary = 60, .words = 6, .seed = 9});
    std::erase_if(dataset.edges, [](const Edge& edge) {
        return edge.from >= plain_nodes - 3 || edge.to >= plain_nodes - 3;
    });
    for (Index node = 10; node < plain_nodes - 3; node += 10)
        dataset.edges.push_back({0, node});
    dataset.edges.push_back({7, 7});
    return dataset;
}

inline Dataset weighted() {
    Dataset dataset = plain();
    for (std::size_t e = 0; e < dataset.edges.size(); ++e)
        dataset.edge_weights.push_back(0.1F + 0.37F * static_cast<float>(e % 7));
    return dataset;
}

inline Dataset directed() {
    Dataset dataset = weighted();
    dataset.directed = true;
    return dataset;
}

inline Dataset with_negative_features() {
    Dataset dataset = plain();
    dataset.features = {plain_nodes, 5, {0}, {}, {}};
    for (Index node = 0; node < plain_nodes; ++node) {
        for (Index column = 0; column < 5; ++column) {
            dataset.features.indices.push_back(column);
            dataset.features.values.push_back(std::sin(static_cast<float>(7 * node + 3 * column)));
        }
        dataset.features.offsets.push_back(dataset.features.entries());
    }
    dataset.feature_names.clear();
    dataset.feature_kinds.assign(5, FeatureKind::number);
    return dataset;
}

/// A dataset as shards, and the weights of the whole.
class Sharded {
  public:
    explicit Sharded(const Dataset& dataset, Index block_size = 16, WeightOptions options = {.order = 3})
        : Sharded(dataset, even_blocks(dataset.nodes, block_size), std::move(options)) {}

    Sharded(const Dataset& dataset, const NodeBlocks& blocks, WeightOptions options)
        : options_(std::move(options)) {
        write_shards(directory_ / "s", dataset, {blocks, "keep"});
        reader_.emplace(directory_ / "s");
        Dataset whole = read_shards(directory_ / "s");
        const Graph graph = graph_of(whole);
        scale_features(whole);
        expected_ = learn_weights(graph, whole.features, options_, {.threads = 1});
    }

    const ShardReader& reader() const { return *reader_; }
    const WeightOptions& options() const { return options_; }
    const LearnedWeights& expected() const { return expected_; }

    /// What the first process says.
    BlockWeights learn(const std::filesystem::path& folder, int processes, std::int64_t memory = 0) const {
        BlockWeights first;
        run_as_threads(processes, [&](Peers& peers) {
            const ShardReader own(directory_ / "s");
            BlockWeights result = learn_blocks(own, *balanced_partition(own, peers), options_,
                                               {folder, memory}, {.threads = 2});
            if (peers.rank() == 0) first = std::move(result);
        });
        return first;
    }

    /// What a program finds that reads the same shards.
    LearnedWeights found_in(const std::filesystem::path& folder) const {
        const WeightCache cache(folder);
        LearnedWeights found;
        for (int order = 2; order <= options_.order; ++order) {
            const std::string key = WeightCache::key(reader_->content(), options_, order);
            std::optional<OrderWeights> weights = cache.find(key, reader_->nodes(), found.notes);
            if (weights) found.orders.push_back(std::move(*weights));
        }
        return found;
    }

    void expect_found(const std::filesystem::path& folder) const {
        const LearnedWeights found = found_in(folder);
        expect_same_bits(found, expected_);
        for (std::size_t k = 0; k < found.orders.size(); ++k)
            EXPECT_EQ(found.orders[k].ring_sizes, expected_.orders[k].ring_sizes);
    }

    void expect_summaries(const BlockWeights& result) const {
        ASSERT_EQ(result.orders.size(), expected_.orders.size());
        for (std::size_t k = 0; k < result.orders.size(); ++k) {
            const OrderSummary& a = result.orders[k];
            const OrderSummary& b = expected_.orders[k].summary;
            EXPECT_EQ(a.order, b.order);
            EXPECT_EQ(a.problems, b.problems);
            EXPECT_EQ(a.ring_pairs, b.ring_pairs);
            EXPECT_EQ(a.largest_ring, b.largest_ring);
            EXPECT_EQ(a.support, b.support);
            EXPECT_EQ(a.iterations, b.iterations);
            EXPECT_EQ(a.capped_pairs, b.capped_pairs);
            EXPECT_EQ(a.sampled_rings, b.sampled_rings);
            EXPECT_EQ(a.worst_gap, b.worst_gap);
            EXPECT_EQ(a.worst_node, b.worst_node);
            EXPECT_EQ(a.statistics_percent, b.statistics_percent);
        }
    }

  private:
    TemporaryDirectory directory_;
    WeightOptions options_;
    std::optional<ShardReader> reader_;
    LearnedWeights expected_;
};

inline std::vector<std::filesystem::path> block_files(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const std::filesystem::directory_entry& entry :
         std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() == ".npz") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

}  // namespace hwgcn::testing
