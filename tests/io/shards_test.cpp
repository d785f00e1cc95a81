// Datasets in blocks: written, read, reordered and refused.
#include "io/shards/shards.hpp"

#include <cmath>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/io/readers.hpp"

#include "base/files/atomic_file.hpp"
#include "base/files/input_file.hpp"
#include "dataset/small_splits.hpp"
#include "dataset/table_column.hpp"
#include "io/formats.hpp"
#include "io/merged_edges.hpp"
#include "io/shards/shard_list.hpp"
#include "test_data.hpp"

namespace hwgcn::shards_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::input_error;
using testing::TemporaryDirectory;

// Everything that a dataset can have: directions, weights, a loop, repeated edges, signed and missing
// features, a node without features, unlabelled nodes, ids that are no numbers, a split.
Dataset rich_dataset() {
    Dataset dataset;
    dataset.name = "rich";
    dataset.source = "here";
    dataset.nodes = 5;
    dataset.edges = {{0, 1}, {1, 0}, {3, 2}, {3, 2}, {4, 4}, {2, 0}};
    dataset.edge_weights = {1.0F, 2.5F, 0.5F, 0.25F, 3.0F, 4.0F};
    dataset.directed = true;
    dataset.features = {
        5, 3, {0, 2, 3, 3, 5, 6}, {0, 2, 1, 0, 1, 2}, {-1.5F, 2.0F, std::nanf(""), 1e-30F, 3.0F, 7.0F}};
    dataset.feature_kinds = {FeatureKind::number, FeatureKind::word, FeatureKind::category};
    dataset.feature_names = {"a", "b \"quoted\"", "\xc3\xa9=yes"};
    dataset.columns = category_columns(dataset.feature_names, dataset.feature_kinds);
    dataset.scale = Scale::standard;
    dataset.labels = {1, 0, unlabelled, 1, 0};
    dataset.class_names = {"no", "yes"};
    dataset.node_ids = {"x", "y, z", "\xc3\xbc", "", " 7"};
    dataset.published_split = Split{"mine", {0, 4}, {3}, {1}};
    return dataset;
}

Dataset undirected_dataset() {
    Dataset dataset = rich_dataset();
    dataset.directed = false;
    return dataset;
}

// As edges are kept: each once.
Dataset merged(const Dataset& dataset) {
    std::vector<Index> order(static_cast<std::size_t>(dataset.nodes));
    for (std::size_t k = 0; k < order.size(); ++k)
        order[k] = static_cast<Index>(k);
    return reordered(dataset, order);
}

std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
    std::vector<std::uint32_t> bits;
    for (const float value : values)
        bits.push_back(std::bit_cast<std::uint32_t>(value));
    return bits;
}

void expect_same(const Dataset& found, const Dataset& expected) {
    EXPECT_EQ(found.nodes, expected.nodes);
    EXPECT_EQ(found.edges, expected.edges);
    EXPECT_EQ(found.edge_weights, expected.edge_weights);
    EXPECT_EQ(found.directed, expected.directed);
    EXPECT_EQ(found.features.offsets, expected.features.offsets);
    EXPECT_EQ(found.features.indices, expected.features.indices);
    EXPECT_EQ(found.features.columns, expected.features.columns);
    EXPECT_EQ(bits_of(found.features.values), bits_of(expected.features.values));
    EXPECT_EQ(found.feature_kinds, expected.feature_kinds);
    EXPECT_EQ(found.feature_names, expected.feature_names);
    ASSERT_EQ(found.columns.size(), expected.columns.size());
    for (std::size_t c = 0; c < found.columns.size(); ++c) {
        EXPECT_EQ(found.columns[c].name, expected.columns[c].name);
        EXPECT_EQ(found.columns[c].categories, expected.columns[c].categories);
        EXPECT_EQ(found.columns[c].first_feature, expected.columns[c].first_feature);
    }
    EXPECT_EQ(found.scale, expected.scale);
    EXPECT_EQ(found.labels, expected.labels);
    EXPECT_EQ(found.class_names, expected.class_names);
    EXPECT_EQ(found.node_ids, expected.node_ids);
    ASSERT_EQ(found.published_split.has_value(), expected.published_split.has_value());
    if (found.published_split) {
        EXPECT_EQ(found.published_split->name, expected.published_split->name);
        EXPECT_TRUE(testing::same_nodes(*found.published_split, *expected.published_split));
    }
}

TEST(Shards, GiveBackWhatWasWritten) {
    for (const Dataset& dataset : {rich_dataset(), undirected_dataset(), make_karate(), make_synthetic({})}) {
        for (const Index size : {Index{1}, Index{2}, dataset.nodes}) {
            const TemporaryDirectory directory;
            const ShardLayout layout{even_blocks(dataset.nodes, size), "keep"};
            write_shards(directory / "s", dataset, layout);
            Dataset expected = merged(dataset);
            expected.node_ids = dataset.node_ids;  // those that are numbers are not written
            expect_same(read_shards(directory / "s"), expected);
            EXPECT_EQ(read_shard_layout(directory / "s").blocks.bounds, layout.blocks.bounds);
            EXPECT_EQ(read_shard_layout(directory / "s").order, "keep");
        }
    }
}

TEST(Shards, AreFoundLikeAnyDataset) {
    const TemporaryDirectory directory;
    write_shards(directory / "mine", make_karate(), {even_blocks(34, 10), "keep"});
    std::size_t recognised = 0;
    for (const Format& format : formats()) {
        if (!format.recognise(directory / "mine")) continue;
        ++recognised;
        EXPECT_EQ(format.name, "shards");
        EXPECT_EQ(format.files(directory / "mine").size(), 1U + 4 * 7);  // and four parts of seven files
        for (const fs::path& file : format.files(directory / "mine"))
            EXPECT_TRUE(fs::exists(file)) << file;
    }
    EXPECT_EQ(recognised, 1U);
}

// Neighbors, features and labels by id, which no order changes.
using Known = std::map<std::string, std::tuple<std::multiset<std::pair<std::string, float>>,
                                               std::vector<Index>, std::vector<std::uint32_t>, Index>>;
Known known_by_id(const Dataset& dataset) {
    Known known;
    for (Index node = 0; node < dataset.nodes; ++node) {
        const SparseRow<float> row = dataset.features.row(node);
        known[node_id(dataset, node)] = {{},
                                         {row.indices.begin(), row.indices.end()},
                                         bits_of({row.values.begin(), row.values.end()}),
                                         dataset.labels[node]};
    }
    for (std::size_t e = 0; e < dataset.edges.size(); ++e) {
        const auto [from, to] = dataset.edges[e];
        const float weight = dataset.edge_weights.empty() ? 1.0F : dataset.edge_weights[e];
        std::get<0>(known[node_id(dataset, from)]).insert({node_id(dataset, to), weight});
        if (!dataset.directed && from != to)
            std::get<0>(known[node_id(dataset, to)]).insert({node_id(dataset, from), weight});
    }
    return known;
}

TEST(Shards, AnotherOrderIsTheSameDatasetByIds) {
    for (const Dataset& dataset : {rich_dataset(), undirected_dataset(), make_karate()}) {
        std::vector<Index> order;
        for (Index k = 0; k < dataset.nodes; ++k)
            order.push_back((k * 3 + 2) % dataset.nodes);
        const Dataset other = reordered(dataset, order);
        EXPECT_EQ(node_id(other, 0), node_id(dataset, 2));
        EXPECT_EQ(known_by_id(other), known_by_id(merged(dataset)));
        if (!dataset.published_split) continue;
        std::set<std::string> train;
        for (const Index node : other.published_split->train)
            train.insert(node_id(other, node));
        EXPECT_EQ(train, (std::set<std::string>{"x", " 7"}));
        EXPECT_TRUE(std::ranges::is_sorted(other.published_split->train));
    }
}

TEST(Shards, AnOrderHasEveryNodeOnce) {
    const Dataset dataset = rich_dataset();
    for (const std::vector<Index>& bad :
         {std::vector<Index>{0, 1, 2, 3}, {0, 1, 2, 3, 3}, {0, 1, 2, 3, 5}, {-1, 0, 1, 2, 3}})
        EXPECT_THAT(input_error([&] { reordered(dataset, bad); }), HasSubstr("each of the 5 nodes once"));
}

TEST(Shards, BlocksAreA64thOfTheNodesOr16384) {
    EXPECT_EQ(usual_block_size(1), 1);
    EXPECT_EQ(usual_block_size(64), 1);
    EXPECT_EQ(usual_block_size(65), 2);
    EXPECT_EQ(usual_block_size(1'000'000), 15'625);
    EXPECT_EQ(usual_block_size(100'000'000), 16'384);
    EXPECT_EQ(even_blocks(10, 4).bounds, (std::vector<Index>{0, 4, 8, 10}));
    EXPECT_EQ(even_blocks(2'000'000'000, 16'384).count(), 122'071);
}

// A folder whose list is read, changed and written again.
class ChangedList {
  public:
    ChangedList() { write_shards(folder(), undirected_dataset(), {even_blocks(5, 2), "keep"}); }

    fs::path folder() const { return directory_ / "s"; }
    bool signing = true;  // the changed list gets a checksum that is right
    std::string error_after(const std::function<void(nlohmann::ordered_json&)>& change) const {
        const std::string before = read_file(folder() / "shards.json");
        nlohmann::ordered_json json = nlohmann::ordered_json::parse(before);
        change(json);
        if (signing) json["sha256"] = shard_list_checksum(json);
        write_text_atomically(folder() / "shards.json", json.dump());
        const std::string message = input_error([&] { read_shards(folder()); });
        write_text_atomically(folder() / "shards.json", before);
        return message;
    }

  private:
    TemporaryDirectory directory_;
};

TEST(Shards, AListThatIsNotRightIsRefused) {
    using Json = nlohmann::ordered_json;
    const ChangedList list;
    const auto set = [&](const char* key, const Json& value) {
        return list.error_after([&](Json& json) { json[key] = value; });
    };
    EXPECT_THAT(set("format", "something"), HasSubstr("shards.json: is not a list of shards"));
    EXPECT_THAT(set("version", 1), HasSubstr("has version 1; this program reads the versions 2 and 3"));
    for (const Json& bounds : {Json({0, 2, 4}), Json({0, 3, 2, 5}), Json({1, 5}), Json({0, 0, 5}), Json({0}),
                               Json::array(), Json({0, 5.5, 5}), Json("5"), Json({0, 1e300, 5})})
        EXPECT_THAT(set("bounds", bounds), HasSubstr("\"bounds\" should"));
    for (const Json& nodes : {Json(6), Json(-1), Json(1e18), Json("5"), Json(nullptr)})
        EXPECT_THAT(set("nodes", nodes), HasSubstr("should"));
    EXPECT_THAT(set("parts", Json::array()), HasSubstr("should list 3 parts"));
    EXPECT_THAT(set("parts", {1, 2, 3}), HasSubstr("part 0 has no hashes"));
    EXPECT_THAT(set("classes", {1}), HasSubstr("\"classes\" should be a list of texts"));
    EXPECT_THAT(set("classes", Json::array()), HasSubstr("node x: class 1 is outside"));
    EXPECT_THAT(set("feature_kinds", {9, 9, 9}), HasSubstr("\"feature_kinds\" should"));
    EXPECT_THAT(set("features", 2), HasSubstr("\"scaling\" should say"));
    EXPECT_THAT(set("scale", "huge"), HasSubstr("huge"));
    for (const char* key : {"least", "kind", "features", "given"}) {
        const auto change = [&](Json& json) { json["scaling"][key] = Json({1, 2}); };
        EXPECT_THAT(list.error_after(change), HasSubstr("\"scaling\" should say"));
    }
    EXPECT_THAT(set("scaling", 1), HasSubstr("\"scaling\" should say"));
    for (const Json& unit : {Json(-1), Json("1"), Json(nullptr)})
        EXPECT_THAT(set("weight_unit", unit), HasSubstr("\"weight_unit\" should be a number"));
    EXPECT_THAT(list.error_after([](Json& json) { json.erase("scale"); }), HasSubstr("\"scale\" is missing"));
    EXPECT_THAT(list.error_after([](Json& json) { json.erase("ids"); }), HasSubstr("\"ids\" is missing"));
}

// Nothing that is not a change in white space goes unnoticed: numbers, texts and lists that are not hashes of
// files.
TEST(Shards, AListThatWasEditedIsRefused) {
    using Json = nlohmann::ordered_json;
    ChangedList list;
    list.signing = false;
    const std::vector<std::function<void(Json&)>> changes = {
        [](Json& json) { json["weight_unit"] = 2 * json["weight_unit"].get<double>(); },
        [](Json& json) { json["weights_differ"] = false; },
        [](Json& json) { json["classes"][0] = "maybe"; },
        [](Json& json) { json["scaling"]["factor"][0] = 3.0; },
        [](Json& json) { json["order"] = "greedy"; },
        [](Json& json) { json["sha256"] = std::string(64, '0'); },
    };
    for (const auto& change : changes)
        EXPECT_THAT(list.error_after(change), HasSubstr("shards.json: was changed or is damaged"));
    EXPECT_THAT(list.error_after([](Json& json) { json.erase("sha256"); }),
                HasSubstr("\"sha256\" is missing"));
    EXPECT_EQ(read_shards(list.folder()).nodes, 5);
}

TEST(Shards, AListOfAnOlderVersionIsReadWithANoteAndHasTheSameContent) {
    const TemporaryDirectory directory;
    const fs::path file = directory / "s" / "shards.json";
    write_shards(directory / "s", undirected_dataset(), {even_blocks(5, 2), "keep"});
    const Dataset now = read_shards(directory / "s");
    EXPECT_TRUE(now.notes.empty());
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(read_file(file));
    json["version"] = 2;
    json.erase("sha256");
    write_text_atomically(file, json.dump(2));
    const Dataset old = read_shards(directory / "s");
    EXPECT_EQ(old.content, now.content);
    ASSERT_EQ(old.notes.size(), 1U);
    EXPECT_THAT(old.notes[0], HasSubstr("shards.json has no checksum of its own"));
}

// A pipe without a writer would be waited for for ever.
TEST(Shards, APipeInThePlaceOfAFileIsRefused) {
    for (const std::string name : {"shards.json", "part-0000/neighbors.npy", "part-0001/ids.txt"}) {
        const TemporaryDirectory directory;
        write_shards(directory / "s", rich_dataset(), {even_blocks(5, 2), "keep"});
        fs::remove(directory / "s" / name);
        ASSERT_EQ(::mkfifo((directory / "s" / name).c_str(), 0600), 0);
        EXPECT_THAT(input_error([&] { read_shards(directory / "s"); }), HasSubstr("is not a regular file"));
        EXPECT_THAT(input_error([&] {
                        const ShardReader reader(directory / "s");
                        reader.adjacency(0, 5);
                        reader.ids(0, 5);
                    }),
                    HasSubstr("is not a regular file"));
    }
}

// Edges that lead one way in the place of neighbors.
TEST(Shards, AGraphWhoseEdgesHaveOneEndIsRefused) {
    const TemporaryDirectory directory;
    write_shards(directory / "s", rich_dataset(), {even_blocks(5, 2), "keep"});  // directed
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(read_file(directory / "s" / "shards.json"));
    for (nlohmann::ordered_json& part : json["parts"]) {
        for (const std::string ending : {"_offsets.npy", ".npy", "_weights.npy"}) {
            const fs::path folder = directory / "s" / part["folder"].get<std::string>();
            fs::copy_file(folder / ("arcs" + ending), folder / ("neighbors" + ending),
                          fs::copy_options::overwrite_existing);
            part["sha256"]["neighbors" + ending] = part["sha256"]["arcs" + ending];
        }
    }
    json["sha256"] = shard_list_checksum(json);
    write_text_atomically(directory / "s" / "shards.json", json.dump());
    EXPECT_THAT(input_error([&] { read_shards(directory / "s"); }),
                HasSubstr("missing at one of their ends"));
}

TEST(Shards, EveryDamagedFileIsNamed) {
    const TemporaryDirectory directory;
    write_shards(directory / "s", rich_dataset(), {even_blocks(5, 2), "keep"});
    for (const fs::path& file : shard_files(directory / "s")) {
        if (file.filename() == "shards.json") continue;
        const std::string content = read_file(file);
        std::string damaged = content;
        damaged.back() = static_cast<char>(damaged.back() ^ 1);
        write_text_atomically(file, damaged);
        EXPECT_THAT(input_error([&] { read_shards(directory / "s"); }),
                    HasSubstr(file.string() + ": is damaged"));
        fs::remove(file);
        EXPECT_THAT(input_error([&] { read_shards(directory / "s"); }), HasSubstr(file.string()));
        write_text_atomically(file, content);
    }
    EXPECT_EQ(read_shards(directory / "s").nodes, 5);
}

TEST(Shards, AnIdWithALineBreakCannotBeWritten) {
    const TemporaryDirectory directory;
    Dataset dataset = rich_dataset();
    dataset.node_ids[1] = "two\nlines";
    EXPECT_THAT(input_error([&] {
                    write_shards(directory / "s", dataset, {even_blocks(5, 2), "keep"});
                }),
                HasSubstr("rich: the id of a node has a line break"));
    EXPECT_FALSE(fs::exists(directory / "s"));
}

}  // namespace
}  // namespace hwgcn::shards_test
