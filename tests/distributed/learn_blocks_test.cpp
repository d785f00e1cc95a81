// Weights of shards, learned block by block by several processes: the bits of learn_weights.
#include "distributed/weights/learn_blocks.hpp"

#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/feature_scaling.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "base/files/input_file.hpp"
#include "distributed/sharded_weights.hpp"
#include "graph/node_order.hpp"
#include "weights/blocks/row_file.hpp"

namespace hwgcn::learn_blocks_test {
namespace {

namespace fs = std::filesystem;
using testing::block_files;
using testing::directed;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::plain;
using testing::plain_nodes;
using testing::Sharded;
using testing::TemporaryDirectory;
using testing::weighted;
using testing::with_negative_features;

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

// Another order adds up in another order and breaks ties otherwise: the same weights but for rounding.
TEST(LearnBlocks, OrdersFindTheSameWeights) {
    const WeightOptions options{.order = 2};
    const Sharded kept(plain(), 16, options);
    const Graph graph = graph_of(plain());
    const CsrMatrix<double>& expected = kept.expected().orders[0].matrix;
    std::vector<NodeOrder> orders{greedy_order(graph, 16)};
    if (has_metis()) orders.push_back(metis_order(graph, 16));
    for (const NodeOrder& found : orders) {
        const Sharded sharded(reordered(plain(), found.order), found.blocks, options);
        const TemporaryDirectory out;
        sharded.learn(out.path(), 2);
        sharded.expect_found(out.path());
        const CsrMatrix<double> weights = sharded.found_in(out.path()).orders[0].matrix;
        for (Index place = 0; place < plain_nodes; ++place) {
            std::map<Index, double> row;
            for (std::size_t e = 0; e < weights.row(place).size(); ++e)
                row[found.order[weights.row(place).indices[e]]] = weights.row(place).values[e];
            const SparseRow<double> old = expected.row(found.order[place]);
            for (std::size_t e = 0; e < old.size(); ++e)
                row[old.indices[e]] -= old.values[e];
            for (const auto& [column, difference] : row)
                EXPECT_NEAR(difference, 0, 1e-5) << found.order[place] << " " << column;
        }
    }
}

TEST(LearnBlocks, EveryOptionCounts) {
    const std::vector<WeightOptions> all = {{.order = 2, .neighborhood = Neighborhood::power},
                                            {.order = 3, .neighborhood = Neighborhood::power},
                                            {.order = 2, .weighting = Weighting::uniform, .max_ring = 4},
                                            {.order = 2, .weighting = Weighting::lasso},
                                            {.order = 3, .max_ring = 5, .min_weight = 0.5},
                                            {.order = 3, .sample_ring = 5},
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
    const Sharded single(plain(), plain_nodes, {.order = 2});  // one block: all but one process have none
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

std::map<std::string, std::string> files_of(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file())
            files[fs::relative(entry.path(), folder).string()] = read_file(entry.path());
    }
    return files;
}

TEST(LearnBlocks, EqualWeightsHaveEqualFiles) {
    const Sharded sharded(weighted());
    const TemporaryDirectory one;
    const TemporaryDirectory other;
    EXPECT_GT(sharded.learn(one.path(), 1).orders[0].seconds, 0.0)
        << "the time is known where it was learned";
    sharded.learn(other.path(), 3);
    const auto files = files_of(one.path());
    EXPECT_EQ(files.size(), 17U);
    EXPECT_EQ(files_of(other.path()), files);
    EXPECT_EQ(sharded.learn(other.path(), 2).orders[0].seconds, 0.0);
}

// As blocks were written once.
TEST(LearnBlocks, FilesThatHoldATimeAreRead) {
    const Sharded sharded(plain());
    const TemporaryDirectory out;
    sharded.learn(out.path(), 1);
    const std::string key = WeightCache::key(sharded.reader().content(), sharded.options(), 2);
    const fs::path file = out.path() / block_folder_name(key) / block_file_name(0);
    RowFile rows = read_rows(file, key, 0, sharded.reader().nodes());
    rows.tally.summary.seconds = 2.5;
    write_rows(file, key, 0, rows);
    EXPECT_EQ(sharded.learn(out.path(), 2).learned, 0);
    sharded.expect_found(out.path());
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
        const auto partition = balanced_partition(sharded.reader(), peers);
        ASSERT_EQ(partition->owners().size(), 5U);
        EXPECT_TRUE(std::ranges::is_sorted(partition->owners()));
        EXPECT_EQ(partition->owners().back(), sharded.reader().blocks().count());
        EXPECT_GT(partition->end_block, partition->first_block);
    });
    run_as_threads(1, [&](Peers& alone) {
        EXPECT_EQ(balanced_partition(sharded.reader(), alone)->owners(), (std::vector<Index>{0, 30}));
    });
}

TEST(LearnBlocks, WhatCannotBeLearnedIsRefused) {
    const std::vector<Index> blocks = {0};
    const Sharded sharded(plain(), 16, {.order = 2});
    const TemporaryDirectory out;
    for (const WeightOptions& options :
         {WeightOptions{.order = 1}, WeightOptions{.order = 2, .min_weight = 1}})
        EXPECT_THROW(learn_block_files(sharded.reader(), blocks, options, {out.path()}), InputError);
    const Sharded heavy(weighted(), 16, {.order = 2});
    EXPECT_THROW(learn_block_files(heavy.reader(), blocks, {.order = 2, .min_weight = 99}, {out.path()}),
                 InputError);
}

}  // namespace
}  // namespace hwgcn::learn_blocks_test
