// Weights of shards, learned block by block by several processes: the bits of learn_weights.
#include "hwgcn/neighbor_weights/learn_blocks.hpp"

#include <atomic>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/data/feature_scaling.hpp"
#include "hwgcn/neighbor_weights/weight_cache.hpp"
#include "hwgcn/support/error.hpp"
#include "hwgcn/support/input_file.hpp"

#include "neighbor_weights/weight_inputs.hpp"
#include "test_data.hpp"

namespace hwgcn::learn_blocks_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TemporaryDirectory;

constexpr Index nodes = 120;

// The last nodes have no edge; node 0 is connected with every tenth node, so that it is on every border.
Dataset plain() {
    Dataset dataset = make_synthetic({.nodes = nodes, .vocabulary = 60, .words = 6, .seed = 9});
    std::erase_if(dataset.edges,
                  [](const Edge& edge) { return edge.from >= nodes - 3 || edge.to >= nodes - 3; });
    for (Index node = 10; node < nodes - 3; node += 10)
        dataset.edges.push_back({0, node});
    dataset.edges.push_back({7, 7});
    return dataset;
}

Dataset weighted() {
    Dataset dataset = plain();
    for (std::size_t e = 0; e < dataset.edges.size(); ++e)
        dataset.edge_weights.push_back(0.1F + 0.37F * static_cast<float>(e % 7));
    return dataset;
}

Dataset directed() {
    Dataset dataset = weighted();
    dataset.directed = true;
    return dataset;
}

Dataset with_negative_features() {
    Dataset dataset = plain();
    dataset.features = {nodes, 5, {0}, {}, {}};
    for (Index node = 0; node < nodes; ++node) {
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
        : options_(std::move(options)) {
        write_shards(directory_ / "s", dataset, {even_blocks(dataset.nodes, block_size), "keep"});
        reader_.emplace(directory_ / "s");
        Dataset whole = read_shards(directory_ / "s");
        const Graph graph = graph_of(whole);
        scale_features(whole);
        expected_ = learn_weights(graph, whole.features, options_, {.threads = 1});
    }

    const ShardReader& reader() const { return *reader_; }
    const WeightOptions& options() const { return options_; }
    const LearnedWeights& expected() const { return expected_; }

    BlockWeights learn(const fs::path& folder, int processes, std::int64_t memory = 0) const {
        BlockWeights first;
        run_as_threads(processes, [&](Peers& peers) {
            const ShardReader own(directory_ / "s");
            BlockWeights result = learn_blocks(own, *balanced_partition(own, &peers), options_,
                                               {folder, memory}, {.threads = 2});
            if (peers.rank() == 0) first = std::move(result);
        });
        return first;
    }

    /// What a program finds that reads the same shards.
    LearnedWeights found_in(const fs::path& folder) const {
        const WeightCache cache(folder);
        LearnedWeights found;
        for (int order = 2; order <= options_.order; ++order) {
            const std::string key = WeightCache::key(reader_->content(), options_, order);
            std::optional<OrderWeights> weights = cache.find(key, reader_->nodes(), found.notes);
            if (weights) found.orders.push_back(std::move(*weights));
        }
        return found;
    }

    void expect_found(const fs::path& folder) const {
        const LearnedWeights found = found_in(folder);
        testing::expect_same_bits(found, expected_);
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

std::vector<fs::path> block_files(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.path().extension() == ".npz") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

TEST(LearnBlocks, AnyNumberOfProcessesFindsTheBitsOfTheWhole) {
    for (const Dataset& dataset : {plain(), weighted(), directed(), with_negative_features()}) {
        const Sharded sharded(dataset);
        for (const int processes : {1, 2, 3, 5, 8}) {
            const TemporaryDirectory out;
            const BlockWeights result = sharded.learn(out.path(), processes);
            sharded.expect_found(out.path());
            sharded.expect_summaries(result);
            EXPECT_EQ(result.learned, sharded.reader().blocks().count());
            EXPECT_EQ(result.found, 0);
            EXPECT_EQ(result.rounds, 1);
            EXPECT_EQ(result.bytes_received > 0, processes > 1);
            EXPECT_THAT(result.notes, IsEmpty());
            EXPECT_THAT(read_file(out / "weights.json"), HasSubstr(sharded.reader().content()));
        }
    }
}

TEST(LearnBlocks, EveryOptionCounts) {
    const std::vector<WeightOptions> all = {{.order = 2, .neighborhood = Neighborhood::power},
                                            {.order = 3, .neighborhood = Neighborhood::power},
                                            {.order = 2, .weighting = Weighting::uniform, .max_ring = 4},
                                            {.order = 2, .weighting = Weighting::lasso},
                                            {.order = 3, .max_ring = 5, .min_weight = 0.5},
                                            {.order = 4}};
    for (const WeightOptions& options : all) {
        const Sharded sharded(weighted(), 16, options);
        const TemporaryDirectory out;
        sharded.expect_summaries(sharded.learn(out.path(), 3));
        sharded.expect_found(out.path());
    }
}

TEST(LearnBlocks, ProcessesMayOwnNothingAndBlocksHaveOneNode) {
    const Sharded tiny(plain(), 1, {.order = 2});
    const Sharded single(plain(), nodes, {.order = 2});  // one block: all but one process have none
    for (const Sharded* sharded : {&tiny, &single}) {
        const TemporaryDirectory out;
        sharded->expect_summaries(sharded->learn(out.path(), 5));
        sharded->expect_found(out.path());
    }
}

TEST(LearnBlocks, GoesOnWithAnotherNumberOfProcesses) {
    const Sharded sharded(weighted());
    const TemporaryDirectory out;
    sharded.learn(out.path(), 3);
    std::vector<fs::path> files = block_files(out.path());
    ASSERT_EQ(files.size(), 16U);  // two orders of eight blocks
    for (const std::size_t gone : {0U, 3U, 4U, 9U, 11U})
        fs::remove(files[gone]);
    EXPECT_THAT(sharded.found_in(out.path()).orders, IsEmpty()) << "not whole";
    const BlockWeights result = sharded.learn(out.path(), 2);
    EXPECT_EQ(result.learned, 4);  // two of the files that are gone may be of one block
    EXPECT_EQ(result.found, 4);
    sharded.expect_summaries(result);
    sharded.expect_found(out.path());
    EXPECT_EQ(sharded.learn(out.path(), 5).learned, 0);
}

TEST(LearnBlocks, DamagedBlocksAreLearnedAgainWithANote) {
    const Sharded sharded(plain());
    const TemporaryDirectory out;
    sharded.learn(out.path(), 2);
    const std::vector<fs::path> files = block_files(out.path());
    fs::resize_file(files[2], fs::file_size(files[2]) / 2);
    fs::copy_file(files[5], files[4], fs::copy_options::overwrite_existing);
    EXPECT_THAT(sharded.found_in(out.path()).notes, ElementsAre(HasSubstr("damaged")));
    const BlockWeights result = sharded.learn(out.path(), 3);
    EXPECT_EQ(result.learned, 2);
    EXPECT_EQ(result.notes.size(), 2U);
    EXPECT_THAT(result.notes, ::testing::Each(HasSubstr("damaged part of the weights, learning it again")));
    sharded.expect_found(out.path());
    sharded.expect_summaries(result);
}

TEST(LearnBlocks, ALittleMemoryTakesSeveralRounds) {
    const Sharded sharded(weighted());
    for (const int processes : {1, 3}) {
        for (const std::int64_t memory : {std::int64_t{1}, std::int64_t{9000}}) {
            const TemporaryDirectory out;
            const BlockWeights result = sharded.learn(out.path(), processes, memory);
            EXPECT_GT(result.rounds, 2);
            sharded.expect_found(out.path());
            sharded.expect_summaries(result);
            if (memory > 1) continue;
            EXPECT_THAT(result.notes, ::testing::Contains(HasSubstr("more than the memory of 1")));
        }
    }
}

TEST(LearnBlocks, AProcessAloneReadsWhatItNeeds) {
    for (const Dataset& dataset : {plain(), directed(), with_negative_features()}) {
        const Sharded sharded(dataset);
        const TemporaryDirectory out;
        const BlockOptions files{out.path()};
        for (const std::vector<Index>& blocks :
             std::vector<std::vector<Index>>{{6, 2, 2}, {0, 1, 3}, {4, 5}}) {
            const BlockWeights result =
                learn_block_files(sharded.reader(), blocks, sharded.options(), files, {.threads = 1});
            EXPECT_GT(result.learned, 1);
        }
        EXPECT_THROW(finish_blocks(sharded.reader(), sharded.options(), files), InputError);
        EXPECT_FALSE(fs::exists(out / "weights.json"));
        learn_block_files(sharded.reader(), std::vector<Index>{7}, sharded.options(), files);
        sharded.expect_summaries(finish_blocks(sharded.reader(), sharded.options(), files));
        EXPECT_TRUE(fs::exists(out / "weights.json"));
        sharded.expect_found(out.path());
        EXPECT_EQ(sharded.learn(out.path(), 3).learned, 0);
        EXPECT_THROW(learn_block_files(sharded.reader(), std::vector<Index>{8}, sharded.options(), files),
                     InputError);
    }
}

TEST(LearnBlocks, AStopOfOneStopsAll) {
    const Sharded sharded(plain());
    for (const int processes : {1, 2, 5}) {
        const TemporaryDirectory out;
        std::atomic<int> interrupted{0};
        run_as_threads(processes, [&](Peers& peers) {
            const std::atomic<bool> stop{peers.rank() == peers.size() - 1};
            try {
                learn_blocks(sharded.reader(), *balanced_partition(sharded.reader(), &peers),
                             sharded.options(), {out.path()}, {1, nullptr, &stop});
            } catch (const Interrupted&) {
                ++interrupted;
            }
        });
        EXPECT_EQ(interrupted, processes);
        EXPECT_FALSE(fs::exists(out / "weights.json"));
    }
}

/// Asks for a stop when the first nodes are done.
class StopAtOnce final : public ProgressSink {
  public:
    void start(std::string_view, std::int64_t) override {}
    void advance(std::int64_t) override { stop = true; }
    void finish() override {}

    std::atomic<bool> stop{false};
};

TEST(LearnBlocks, WhatWasFinishedBeforeAStopIsKept) {
    const Sharded sharded(weighted());
    const TemporaryDirectory out;
    std::atomic<int> interrupted{0};
    run_as_threads(3, [&](Peers& peers) {
        StopAtOnce progress;
        const bool stops = peers.rank() == 1;
        const ExecutionControl control{1, stops ? &progress : nullptr, stops ? &progress.stop : nullptr};
        try {
            learn_blocks(sharded.reader(), *balanced_partition(sharded.reader(), &peers), sharded.options(),
                         {out.path()}, control);
        } catch (const Interrupted&) {
            ++interrupted;
        }
    });
    EXPECT_EQ(interrupted, 3);
    EXPECT_GE(block_files(out.path()).size(), 2U) << "the others finish what they have begun";
    const BlockWeights result = sharded.learn(out.path(), 2);
    sharded.expect_summaries(result);
    sharded.expect_found(out.path());
}

TEST(LearnBlocks, ACacheUsesThem) {
    const Sharded sharded(plain());
    const TemporaryDirectory out;
    sharded.learn(out.path(), 2);
    const std::size_t files = block_files(out.path()).size();
    const WeightCache cache(out.path());
    Dataset dataset = plain();
    const Graph graph = graph_of(dataset);
    scale_features(dataset);
    const LearnedWeights found =
        learn_weights(graph, dataset.features, sharded.options(), {}, &cache, sharded.reader().content());
    for (const OrderWeights& order : found.orders)
        EXPECT_TRUE(order.cached);
    testing::expect_same_bits(found, sharded.expected());
    EXPECT_EQ(block_files(out.path()).size(), files) << "they stay, and nothing is added";
}

TEST(LearnBlocks, BoundsAreBetweenBlocksAndShareTheWork) {
    const Sharded sharded(plain(), 4, {.order = 2});
    run_as_threads(4, [&](Peers& peers) {
        const auto partition = balanced_partition(sharded.reader(), &peers);
        ASSERT_EQ(partition->owners.size(), 5U);
        EXPECT_TRUE(std::ranges::is_sorted(partition->owners));
        EXPECT_EQ(partition->owners.back(), sharded.reader().blocks().count());
        EXPECT_GT(partition->end_block(), partition->first_block());
    });
    EXPECT_EQ(balanced_partition(sharded.reader(), nullptr)->owners, (std::vector<Index>{0, 30}));
}

TEST(LearnBlocks, WhatCannotBeLearnedIsRefused) {
    const Sharded sharded(plain(), 16, {.order = 2});
    const auto partition = balanced_partition(sharded.reader(), nullptr);
    const TemporaryDirectory out;
    for (const WeightOptions& options :
         {WeightOptions{.order = 1}, WeightOptions{.order = 2, .min_weight = 1}})
        EXPECT_THROW(learn_blocks(sharded.reader(), *partition, options, {out.path()}), InputError);
    const Sharded heavy(weighted(), 16, {.order = 2});
    EXPECT_THROW(learn_blocks(heavy.reader(), *balanced_partition(heavy.reader(), nullptr),
                              {.order = 2, .min_weight = 99}, {out.path()}),
                 InputError);
}

}  // namespace
}  // namespace hwgcn::learn_blocks_test
