// Datasets written as CSV, and what the reader makes of them.
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "hwgcn/io/writers.hpp"

#include "base/files/atomic_file.hpp"
#include "base/files/input_file.hpp"
#include "io/csv/csv_reader.hpp"
#include "io/expect_input_error.hpp"
#include "test_data.hpp"

namespace hwgcn::csv_writer_test {
namespace {

using testing::expect_input_error;
using Names = std::vector<std::string>;

// What a reader makes of a dataset does not depend on how it was written: compare through original names.
void expect_same(const Dataset& read, const Dataset& written) {
    RC_ASSERT(read.nodes == written.nodes);
    RC_ASSERT(read.edges == written.edges);
    RC_ASSERT(read.features.columns == written.features.columns);
    RC_ASSERT(read.features.offsets == written.features.offsets);
    RC_ASSERT(read.features.indices == written.features.indices);
    RC_ASSERT(read.features.values == written.features.values);
    const auto class_of = [](const Dataset& dataset, Index node) {
        const Index label = dataset.labels[node];
        return label == unlabelled ? std::optional<std::string>() : dataset.class_names[label];
    };
    for (Index node = 0; node < written.nodes; ++node) {
        RC_ASSERT(node_id(read, node) == node_id(written, node));
        RC_ASSERT(class_of(read, node) == class_of(written, node));
    }
}

// Names that are easy to lose on the way through a text file.
rc::Gen<std::string> nasty_name() {
    const auto piece =
        rc::gen::element<std::string>("a", "b", ",", ";", "\t", "\"", "\n", "\r", " ", "#", "%", "'", "\\",
                                      "source", "target", "id", "0", "-1", "\xc3\xa9", "\xe4\xb8\xad");
    return rc::gen::map(rc::gen::nonEmpty(rc::gen::container<Names>(piece)),
                        [](const Names& pieces) { return fmt::format("{}", fmt::join(pieces, "")); });
}

Dataset random_dataset() {
    Dataset dataset;
    dataset.name = "random";
    dataset.source = "test";
    const auto ids = *rc::gen::nonEmpty(rc::gen::unique<Names>(nasty_name()));
    dataset.node_ids = ids;
    dataset.nodes = static_cast<Index>(ids.size());
    const auto classes = *rc::gen::unique<Names>(
        rc::gen::suchThat(nasty_name(), [](const std::string& name) { return name != "-1"; }));
    dataset.class_names = classes;
    const auto node = rc::gen::inRange<Index>(0, dataset.nodes);
    const auto ends = *rc::gen::container<std::vector<std::pair<Index, Index>>>(rc::gen::pair(node, node));
    for (const auto& [from, to] : ends)
        dataset.edges.push_back({from, to});
    const auto width = *rc::gen::inRange<Index>(0, 5);
    std::vector<Triplet<float>> triplets;
    for (Index i = 0; i < dataset.nodes; ++i) {
        dataset.labels.push_back(*rc::gen::inRange<Index>(-1, dataset.classes()));
        for (Index j = 0; j < width; ++j) {
            const auto bits = *rc::gen::inRange<std::uint32_t>(0, 0x7F800000);  // any finite float from 0 up
            float value = 0;
            std::memcpy(&value, &bits, sizeof value);
            if (value != 0.0f) triplets.push_back({i, j, value});
        }
    }
    dataset.features = csr_from_triplets(dataset.nodes, width, triplets);
    if (*rc::gen::arbitrary<bool>()) {
        const auto names = *rc::gen::container<Names>(
            static_cast<std::size_t>(width),
            rc::gen::oneOf(nasty_name(), rc::gen::element<std::string>("label", "Class", "")));
        dataset.feature_names = names;
    }
    return dataset;
}

RC_GTEST_PROP(CsvReader, WrittenDatasetsAreReadBackExactly, ()) {
    const Dataset dataset = random_dataset();
    const testing::TemporaryDirectory folder;
    write_csv_dataset(folder.path(), dataset);
    CsvFiles files;
    files.edges = folder / "edges.csv";
    files.nodes = folder / "nodes.csv";
    expect_same(read_csv_dataset(files), dataset);
}

TEST(CsvWriter, WritesPlainTextThatPeopleCanRead) {
    Dataset dataset;
    dataset.name = "tiny";
    dataset.source = "test";
    dataset.nodes = 2;
    dataset.edges = {{0, 1}};
    dataset.labels = {0, unlabelled};
    dataset.class_names = {"x, y"};
    dataset.features = csr_from_triplets(2, 3, {{0, 1, 0.1f}, {1, 0, 1.0f}});
    const testing::TemporaryDirectory folder;
    write_csv_dataset(folder / "new", dataset);
    EXPECT_EQ(read_file(folder / "new/edges.csv"), "source,target\n0,1\n");
    EXPECT_EQ(read_file(folder / "new/nodes.csv"),
              "id,label,feature_0,feature_1,feature_2\n0,\"x, y\",0,0.1,0\n1,,1,0,0\n");
    std::set<std::string> names;
    for (const auto& item : std::filesystem::directory_iterator(folder / "new"))
        names.insert(item.path().filename().string());
    EXPECT_EQ(names, (std::set<std::string>{"edges.csv", "nodes.csv"}));
}

TEST(CsvWriter, RefusesClassesThatWouldBeReadAsUnlabelled) {
    Dataset dataset;
    dataset.name = "odd";
    dataset.nodes = 1;
    dataset.labels = {0};
    dataset.class_names = {"NaN"};
    dataset.features = csr_from_triplets(1, 0, {});
    const testing::TemporaryDirectory folder;
    expect_input_error([&] { write_csv_dataset(folder.path(), dataset); }, {"class 'NaN' of odd"});
    EXPECT_FALSE(std::filesystem::exists(folder / "nodes.csv"));
}

TEST(CsvWriter, AFolderThatCannotBeMadeIsARunError) {
    const testing::TemporaryDirectory folder;
    write_text_atomically(folder / "file", "x");
    Dataset dataset;
    dataset.nodes = 1;
    dataset.labels = {unlabelled};
    dataset.features = csr_from_triplets(1, 0, {});
    EXPECT_THROW(write_csv_dataset(folder / "file/sub", dataset), ExecutionError);
}

}  // namespace
}  // namespace hwgcn::csv_writer_test
