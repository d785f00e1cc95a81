#include "distributed/weights/peer_rows.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "distributed/sharded_weights.hpp"
#include "graph/random_graph.hpp"

namespace hwgcn::peer_rows_test {
namespace {

// Rows of many messages in one direction, of few and of none in the other.
TEST(PeerRows, RowsThatFillSeveralMessagesArriveWhole) {
    constexpr Index nodes = 6000;
    Dataset dataset;
    dataset.nodes = nodes;
    dataset.edges = testing::random_edges(nodes, 9000, 3);
    dataset.features = testing::random_features(nodes, 300, 0.5, 5);
    dataset.feature_kinds.assign(300, FeatureKind::number);
    dataset.labels.assign(static_cast<std::size_t>(nodes), unlabelled);
    const testing::TemporaryDirectory directory;
    write_shards(directory / "s", dataset, {even_blocks(nodes, 500), "keep"});
    const ShardReader reader(directory / "s");
    const CsrMatrix<float> expected = reader.features(0, nodes);
    ASSERT_GT(expected.entries(), 800000);
    run_as_threads(3, [&](Peers& peers) {
        const Partition partition(reader.blocks(), {0, 1, 9, reader.blocks().count()}, peers);
        PeerRows rows(reader, partition);
        std::vector<Index> wanted(peers.rank() == 1 ? 0 : nodes);
        std::iota(wanted.begin(), wanted.end(), 0);
        const auto found = rows.rows(RowKind::features, wanted, expected.entries());
        ASSERT_TRUE(found);
        if (peers.rank() == 1) return;
        EXPECT_EQ(found->offsets, expected.offsets);
        EXPECT_EQ(found->indices, expected.indices);
        EXPECT_EQ(found->values, expected.values);
    });
}

}  // namespace
}  // namespace hwgcn::peer_rows_test
