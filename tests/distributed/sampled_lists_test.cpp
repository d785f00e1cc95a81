// Sampled rings on several processes: the bits of the whole graph, from as little as the samples need.
#include <algorithm>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/weights/learn_weights.hpp"

#include "distributed/sharded_weights.hpp"
#include "graph/random_graph.hpp"
#include "graph/rings.hpp"
#include "weights/blocks/halo.hpp"
#include "weights/ring_graph.hpp"

namespace hwgcn::sampled_lists_test {
namespace {

using testing::Sharded;
using testing::TemporaryDirectory;

Dataset dataset_of(Index nodes, std::vector<Edge> edges, std::uint64_t seed) {
    Dataset dataset;
    dataset.nodes = nodes;
    dataset.edges = std::move(edges);
    dataset.features = testing::random_features(nodes, 12, 0.3, seed);
    dataset.feature_kinds.assign(12, FeatureKind::number);
    dataset.labels.assign(static_cast<std::size_t>(nodes), unlabelled);
    return dataset;
}

void weigh_edges(Dataset& dataset) {
    for (std::size_t e = 0; e < dataset.edges.size(); ++e)
        dataset.edge_weights.push_back(0.1F + 0.37F * static_cast<float>(e % 7));
}

// Three hubs that are neighbors of each other and, by turns, of all nodes; a clique, most of whose members
// lie nearer than what the first members of a list tell; loops; and edges at random.
Dataset with_hubs(bool weighted) {
    constexpr Index nodes = 90;
    std::vector<Edge> edges = testing::random_edges(nodes, 60, 4);
    const std::vector<Index> hubs = {0, 44, 89};
    for (Index node = 0; node < nodes; ++node) {
        edges.push_back({hubs[static_cast<std::size_t>(node) % 3], node});
        if (node % 4 == 0) edges.push_back({89, node});
    }
    for (Index a = 30; a < 50; ++a) {
        for (Index b = a + 1; b < 50; ++b)
            edges.push_back({a, b});
    }
    edges.insert(edges.end(), {{0, 44}, {44, 89}, {0, 89}, {89, 89}, {7, 7}, {31, 31}});
    Dataset dataset = dataset_of(nodes, std::move(edges), 8);
    if (weighted) weigh_edges(dataset);
    return dataset;
}

TEST(SampledBlocks, AnyNumberOfProcessesFindsTheBitsOfTheWhole) {
    for (const bool weighted : {false, true}) {
        for (const std::int64_t limit : {1, 2, 7, 1000}) {
            const double min_weight = weighted && limit != 2 ? 0.5 : 0;
            const Sharded sharded(with_hubs(weighted), 15,
                                  {.order = 4, .min_weight = min_weight, .sample_ring = limit});
            for (const int processes : {1, 2, 3, 5}) {
                const TemporaryDirectory out;
                sharded.expect_summaries(sharded.learn(out.path(), processes));
                sharded.expect_found(out.path());
            }
        }
    }
}

TEST(SampledBlocks, EveryOrderFetchesWhatItNeeds) {
    for (const int order : {2, 3}) {
        for (const std::int64_t limit : {1, 7}) {
            const Sharded sharded(with_hubs(true), 15, {.order = order, .max_ring = 5, .sample_ring = limit});
            const TemporaryDirectory out;
            sharded.expect_summaries(sharded.learn(out.path(), 3));
            sharded.expect_found(out.path());
        }
    }
}

TEST(SampledBlocks, ALittleMemoryTakesSeveralRounds) {
    const Sharded sharded(with_hubs(true), 15, {.order = 3, .min_weight = 0.5, .sample_ring = 3});
    for (const int processes : {1, 3}) {
        for (const std::int64_t memory : {1, 9000}) {
            const TemporaryDirectory out;
            const BlockWeights result = sharded.learn(out.path(), processes, memory);
            EXPECT_GT(result.rounds, 2);
            sharded.expect_found(out.path());
            sharded.expect_summaries(result);
        }
    }
}

TEST(SampledBlocks, AProcessAloneReadsWhatItNeeds) {
    for (const bool weighted : {false, true}) {
        const Sharded sharded(with_hubs(weighted), 15,
                              {.order = 3, .min_weight = weighted ? 0.5 : 0, .sample_ring = 3});
        const TemporaryDirectory out;
        for (const std::vector<Index>& blocks : std::vector<std::vector<Index>>{{0, 4}, {1}, {2, 3, 5}})
            learn_block_files(sharded.reader(), blocks, sharded.options(), {out.path()});
        sharded.expect_summaries(finish_blocks(sharded.reader(), sharded.options(), {out.path()}));
        sharded.expect_found(out.path());
    }
}

/// The rings of some nodes as a halo has them, and those of the whole graph.
class ComparedHalo {
  public:
    ComparedHalo(const ShardReader& reader, const WeightOptions& options, std::vector<Index> own)
        : options_(options), own_(std::move(own)) {
        FileRows source(reader);
        halo_.emplace(*fetch_halo(source, reader, own_, options, 0, {.threads = 2}));
    }
    const Halo& halo() const { return *halo_; }

    void expect_rings_of(const Graph& whole) const {
        const RingGraph rings(whole, options_);
        RingSearch search(rings.graph(), std::make_shared<const SampleOrder>(rings.graph()),
                          options_.sample_ring);
        std::optional<Graph> heavy;
        if (options_.min_weight > 0) heavy = heavy_lists(halo_->graph, options_.min_weight);
        const Graph& lists = heavy ? *heavy : halo_->graph;
        RingSearch known(lists, std::make_shared<const SampleOrder>(lists, halo_->nodes),
                         options_.sample_ring);
        for (const Index node : own_) {
            for (int order = 1; order <= options_.order; ++order) {
                std::vector<Index> found;
                for (const Index member : known.ring(halo_->place_of(node), order))
                    found.push_back(halo_->nodes[member]);
                ASSERT_THAT(found, ::testing::ElementsAreArray(search.ring(node, order)))
                    << node << " " << order;
                ASSERT_EQ(known.has_cut(), search.has_cut()) << node << " " << order;
                needed_.insert(found.begin(), found.end());
            }
        }
    }

    void expect_degrees_of(const Graph& whole) const {
        for (const Index node : own_) {
            const Index place = halo_->place_of(node);
            EXPECT_EQ(halo_->graph.degree_with_identity(place), whole.degree_with_identity(node));
            EXPECT_EQ(halo_->graph.loop_weight(place), whole.loop_weight(node));
            ASSERT_EQ(halo_->graph.neighbors(place).size(), whole.neighbors(node).size());
            needed_.insert(node);
            for (const Index neighbor : whole.neighbors(node)) {
                needed_.insert(neighbor);
                EXPECT_EQ(halo_->graph.degree_with_identity(halo_->place_of(neighbor)),
                          whole.degree_with_identity(neighbor));
            }
        }
    }

    // After the two above.
    void expect_just_the_features_needed(const CsrMatrix<float>& whole) const {
        for (Index place = 0; place < halo_->features.rows; ++place) {
            const bool needed = needed_.contains(halo_->nodes[place]);
            const SparseRow<float> expected = whole.row(halo_->nodes[place]);
            EXPECT_THAT(halo_->features.row(place).values,
                        ::testing::ElementsAreArray(needed ? expected.values : std::span<const float>()));
        }
        EXPECT_EQ(halo_->rows, std::ssize(needed_));
    }

  private:
    WeightOptions options_;
    std::vector<Index> own_;
    std::optional<Halo> halo_;
    mutable std::set<Index> needed_;
};

TEST(SampledHalo, HasTheRingsOfRandomGraphsAndNoFeatureMore) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        RandomStream random(seed, 0);
        const auto below = [&](int end) {
            return static_cast<int>(random.below(static_cast<std::uint64_t>(end)));
        };
        const Index nodes = 5 + below(60);
        Dataset dataset = dataset_of(nodes, testing::random_edges(nodes, below(12 * nodes), seed), seed);
        dataset.edges.push_back({0, nodes - 1});
        const bool weighted = below(2) == 1;
        if (weighted) weigh_edges(dataset);
        const TemporaryDirectory directory;
        write_shards(directory / "s", dataset, {even_blocks(nodes, 10), "keep"});
        const ShardReader reader(directory / "s");
        const WeightOptions options{.order = 2 + below(3),
                                    .min_weight = reader.weighted() && below(2) == 1 ? 0.4 : 0.0,
                                    .sample_ring = 1 + below(seed % 2 == 0 ? 3 : 12)};
        std::vector<Index> own;
        for (Index node = 0; node < nodes; ++node) {
            if (below(4) == 0) own.push_back(node);
        }
        const ComparedHalo compared(reader, options, own);
        const Graph whole = graph_of(read_shards(directory / "s"));
        compared.expect_rings_of(whole);
        compared.expect_degrees_of(whole);
        compared.expect_just_the_features_needed(reader.features(0, nodes));
        if (HasFailure()) FAIL() << "seed " << seed;
    }
}

// Node 0 is a neighbor of a hub and of most of its leaves. The first 2 N + 1 neighbors of the hub have N
// that are in its ring, and not as the last of them; that there is one more tells only the very last.
TEST(SampledHalo, KnowsThatARingIsCutByTheLastOfAList) {
    constexpr Index nodes = 40;
    constexpr Index hub = 1;
    for (const Index limit : {1, 3, 6}) {
        std::vector<Index> leaves(nodes - 2);
        std::iota(leaves.begin(), leaves.end(), 2);
        std::ranges::sort(leaves, {},
                          [](Index leaf) { return sample_hash(static_cast<std::uint64_t>(leaf)); });
        std::vector<Edge> edges = {{0, hub}};
        for (Index k = 0; k < std::ssize(leaves); ++k) {
            edges.push_back({hub, leaves[k]});
            if (k >= limit && k != std::ssize(leaves) - 1) edges.push_back({0, leaves[k]});
        }
        const TemporaryDirectory directory;
        write_shards(directory / "s", dataset_of(nodes, std::move(edges), 1),
                     {even_blocks(nodes, 10), "keep"});
        const ShardReader reader(directory / "s");
        const ComparedHalo compared(reader, {.order = 2, .sample_ring = limit}, {0});
        compared.expect_rings_of(graph_of(read_shards(directory / "s")));
    }
}

// A hub that another process has, and 3,000 leaves: whole rings would be 3,000 feature rows and as many
// entries of its list.
TEST(SampledBlocks, AForeignHubCostsWhatTheSampleTakes) {
    constexpr Index leaves = 3000;
    constexpr std::int64_t limit = 16;
    std::vector<Edge> star;
    for (Index leaf = 0; leaf < leaves; ++leaf)
        star.push_back({leaf, leaves});
    const Sharded sharded(dataset_of(leaves + 1, std::move(star), 3), 300,
                          {.order = 2, .sample_ring = limit});
    const TemporaryDirectory out;
    const BlockWeights first = sharded.learn(out.path(), 2);  // the last process has the hub
    sharded.expect_found(out.path());
    EXPECT_LE(first.halo_rows, 1 + limit + 1);
    // It is asked for degrees and features of its leaves, by 12 bytes each.
    EXPECT_LE(first.bytes_received, 12 * leaves + 8 * (2 * limit + 1) + 12 * 8 * (limit + 2) + 2000);
}

}  // namespace
}  // namespace hwgcn::sampled_lists_test
