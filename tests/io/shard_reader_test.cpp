// Shards by ranges of nodes: the rows that the whole dataset has, as it is prepared for training.
#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/models/prepared_graph.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "base/files/atomic_file.hpp"
#include "base/files/input_file.hpp"
#include "dataset/small_splits.hpp"
#include "io/formats.hpp"
#include "io/shards/shards.hpp"
#include "test_data.hpp"

namespace hwgcn::shard_reader_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::input_error;
using testing::TemporaryDirectory;

Dataset words() {
    return make_synthetic({.nodes = 40, .vocabulary = 30, .words = 4, .seed = 2});
}

Dataset with_weights(Dataset dataset) {
    for (std::size_t e = 0; e < dataset.edges.size(); ++e)
        dataset.edge_weights.push_back(0.1F + 0.37F * static_cast<float>(e % 7));
    dataset.edges.push_back({3, 3});
    dataset.edge_weights.push_back(2.0F);
    return dataset;
}

Dataset directed() {
    Dataset dataset = with_weights(words());
    dataset.directed = true;
    dataset.edges.push_back({dataset.edges[5].to, dataset.edges[5].from});
    dataset.edge_weights.push_back(0.77F);
    return dataset;
}

Dataset equal_weights() {
    Dataset dataset = words();
    dataset.edge_weights.assign(dataset.edges.size(), 0.3F);
    return dataset;
}

// Measured numbers, negative ones and a missing one among them; words and categories in a mixed table.
Dataset numbers() {
    Dataset dataset = words();
    dataset.features.columns = 4;
    dataset.features.offsets = {0};
    dataset.features.indices.clear();
    dataset.features.values.clear();
    for (Index node = 0; node < dataset.nodes; ++node) {
        for (Index column = 0; column < 4; ++column) {
            const float value = std::sin(static_cast<float>(node * 4 + column)) * 3.1F;
            const bool plain = column < 2;
            if (!plain && value < 0) continue;
            dataset.features.indices.push_back(column);
            dataset.features.values.push_back(node == 7 && column == 0 ? std::nanf("")
                                              : plain                  ? value
                                                                       : 1.0F);
        }
        dataset.features.offsets.push_back(dataset.features.entries());
    }
    dataset.feature_kinds = {FeatureKind::number, FeatureKind::number, FeatureKind::category,
                             FeatureKind::word};
    dataset.feature_names = {"a", "b", "c", "d"};
    return dataset;
}

Dataset unlabelled_without_features() {
    Dataset dataset = words();
    dataset.features = {dataset.nodes, 0, std::vector<std::int64_t>(41, 0), {}, {}};
    dataset.feature_names.clear();
    return dataset;
}

std::vector<Dataset> datasets() {
    return {words(), with_weights(words()), directed(), equal_weights(), numbers(), with_weights(numbers())};
}

void expect_rows(const CsrMatrix<float>& found, const CsrMatrix<float>& all, Index first, Index end) {
    ASSERT_EQ(found.rows, end - first);
    ASSERT_EQ(found.columns, all.columns);
    for (Index row = first; row < end; ++row) {
        EXPECT_TRUE(std::ranges::equal(found.row(row - first).indices, all.row(row).indices)) << row;
        EXPECT_TRUE(std::ranges::equal(found.row(row - first).values, all.row(row).values)) << row;
    }
}

CsrMatrix<float> matrix_of(const Graph& graph) {
    std::vector<Triplet<float>> entries;
    for (Index node = 0; node < graph.nodes(); ++node) {
        for (std::size_t e = 0; e < graph.neighbors(node).size(); ++e)
            entries.push_back(
                {node, graph.neighbors(node)[e], graph.weighted() ? graph.weights(node)[e] : 1.0F});
        if (graph.has_self_loop(node))
            entries.push_back({node, node, static_cast<float>(graph.loop_weight(node))});
    }
    return csr_from_triplets(graph.nodes(), graph.nodes(), std::move(entries));
}

TEST(ShardReader, EveryRangeHasTheRowsOfTheWhole) {
    for (const Dataset& dataset : datasets()) {
        const TemporaryDirectory directory;
        write_shards(directory / "s", dataset, {even_blocks(dataset.nodes, 7), "keep"});
        const ShardReader reader(directory / "s");
        const PreparedGraph whole = prepare_graph(read_shards(directory / "s"));
        const CsrMatrix<float> adjacency = matrix_of(whole.graph);
        for (Index first = 0; first <= dataset.nodes; ++first) {
            for (Index end = first; end <= dataset.nodes; end += 3) {
                expect_rows(reader.adjacency(first, end), adjacency, first, end);
                expect_rows(reader.features(first, end), *whole.features.scaled, first, end);
                if (dataset.directed) expect_rows(reader.arcs(first, end), *whole.arcs, first, end);
            }
        }
        EXPECT_EQ(reader.weighted(), whole.graph.weighted());
        EXPECT_EQ(reader.weight_unit(), whole.graph.weight_unit());
        EXPECT_EQ(reader.feature_count(), whole.features.scaled->columns);
        EXPECT_EQ(reader.content(), whole.content_hash);
        EXPECT_EQ(reader.facts().largest_norm, facts_of(*whole.features.scaled).largest_norm);
        EXPECT_EQ(reader.facts().non_negative, facts_of(*whole.features.scaled).non_negative);
    }
}

// Sharded or not: the same graph and the same features.
TEST(ShardReader, AFittedScalingChangesNothing) {
    for (const Dataset& dataset : datasets()) {
        const TemporaryDirectory directory;
        write_shards(directory / "s", dataset, {even_blocks(dataset.nodes, 7), "keep"});
        const PreparedGraph before = prepare_graph(Dataset(dataset));
        const PreparedGraph after = prepare_graph(read_shards(directory / "s"));
        EXPECT_EQ(after.features.scaled->values, before.features.scaled->values);
        EXPECT_EQ(after.features.scaled->indices, before.features.scaled->indices);
        EXPECT_EQ(after.features.scaling.note, before.features.scaling.note);
        EXPECT_EQ(after.features.scaling.description, before.features.scaling.description);
        EXPECT_EQ(after.dataset.feature_names, before.dataset.feature_names);
        EXPECT_EQ(after.graph.weight_unit(), before.graph.weight_unit());
        EXPECT_NE(after.content_hash, before.content_hash) << "named by its shards";
    }
}

TEST(ShardReader, TheOutlineHasWhatIsKnownOfAllNodes) {
    const TemporaryDirectory directory;
    const Dataset dataset = numbers();
    write_shards(directory / "s", dataset, {even_blocks(dataset.nodes, 7), "keep"});
    const ShardReader reader(directory / "s");
    const Dataset outline = reader.outline();
    EXPECT_EQ(outline.nodes, dataset.nodes);
    EXPECT_EQ(outline.labels, dataset.labels);
    EXPECT_EQ(outline.class_names, dataset.class_names);
    EXPECT_EQ(outline.feature_names, dataset.feature_names);
    EXPECT_EQ(outline.blocks.bounds, even_blocks(dataset.nodes, 7).bounds);
    EXPECT_EQ(outline.content, read_shards(directory / "s").content);
    ASSERT_NE(outline.fitted_scaling, nullptr);
    EXPECT_TRUE(outline.edges.empty());
    EXPECT_EQ(reader.list_hash(), file_sha256(directory / "s" / "shards.json"));
    EXPECT_EQ(reader.ids(5, 9), (std::vector<std::string>{"5", "6", "7", "8"}));
    EXPECT_EQ(reader.block_work().size(), 6U);
}

TEST(ShardReader, WhatIsDroppedOrScaledOtherwiseHasAnotherName) {
    const TemporaryDirectory directory;
    write_shards(directory / "s", with_weights(words()), {even_blocks(40, 7), "keep"});
    Dataset dataset = read_shards(directory / "s");
    const std::string content = dataset.content;
    set_scale(dataset, Scale::automatic);
    EXPECT_EQ(dataset.content, content) << "the scale that it has";
    Dataset plain = dataset;
    drop_weights(plain);
    EXPECT_NE(plain.content, content);
    EXPECT_EQ(prepare_graph(plain).graph.weight_unit(), 1.0);
    set_scale(dataset, Scale::none);
    EXPECT_NE(dataset.content, content);
    EXPECT_EQ(prepare_graph(dataset).features.scaling.scale, Scale::none);
    forget_content(dataset);
    EXPECT_TRUE(dataset.blocks.bounds.empty());
    EXPECT_EQ(prepare_graph(dataset).content_hash,
              WeightCache::content_hash(graph_of(dataset), dataset.features));
}

TEST(ShardReader, StructuralFeaturesAreNamedByTheGraph) {
    const TemporaryDirectory directory;
    write_shards(directory / "s", unlabelled_without_features(), {even_blocks(40, 7), "keep"});
    const PreparedGraph graph = prepare_graph(read_shards(directory / "s"));
    EXPECT_TRUE(graph.features.structural);
    EXPECT_EQ(weight_content(graph), weight_content(prepare_graph(unlabelled_without_features())));
    const ShardReader reader(directory / "s");
    EXPECT_EQ(graph.content_hash, reader.content())
        << "runs on shards know them again, made of one or many parts";
    EXPECT_EQ(reader.features(3, 9).columns, 0);
}

TEST(ShardReader, EveryDamagedFileIsNamed) {
    const TemporaryDirectory directory;
    write_shards(directory / "s", directed(), {even_blocks(40, 7), "keep"});
    const auto read_all = [&] {
        const ShardReader reader(directory / "s");
        reader.outline();
        reader.adjacency(0, 40);
        reader.arcs(0, 40);
        reader.features(0, 40);
    };
    for (const fs::path& file : shard_files(directory / "s")) {
        if (file.filename() == "shards.json" || file.filename() == "ids.txt") continue;
        const std::string content = read_file(file);
        std::string damaged = content;
        damaged.back() = static_cast<char>(damaged.back() ^ 1);
        write_text_atomically(file, damaged);
        EXPECT_THAT(input_error(read_all), HasSubstr(file.string() + ": is damaged"));
        fs::remove(file);
        EXPECT_THAT(input_error(read_all), HasSubstr(file.string()));
        write_text_atomically(file, content);
    }
    read_all();
}

TEST(ShardReader, RangesAreChecked) {
    const TemporaryDirectory directory;
    write_shards(directory / "s", words(), {even_blocks(40, 7), "keep"});
    const ShardReader reader(directory / "s");
    EXPECT_THAT(input_error([&] { reader.adjacency(0, 41); }), HasSubstr("nodes 0..41 of 40"));
    EXPECT_THAT(input_error([&] { reader.features(-1, 4); }), HasSubstr("nodes -1..4 of 40"));
    EXPECT_THAT(input_error([&] { reader.features(5, 4); }), HasSubstr("nodes 5..4 of 40"));
    EXPECT_THAT(input_error([&] { reader.arcs(0, 4); }), HasSubstr("the graph has no directions"));
}

}  // namespace
}  // namespace hwgcn::shard_reader_test
