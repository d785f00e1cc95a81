#include "hwgcn/dataset/dataset.hpp"

#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "io/expect_input_error.hpp"

namespace hwgcn::dataset_test {
namespace {

Dataset valid_dataset() {
    Dataset dataset;
    dataset.source = "some/file";
    dataset.nodes = 2;
    dataset.edges = {{0, 1}, {1, 1}};
    dataset.features = {2, 3, {0, 1, 2}, {2, 0}, {1, 2}};
    dataset.labels = {0, unlabelled};
    dataset.class_names = {"only"};
    dataset.node_ids = {"a", "b"};
    dataset.feature_names = {"x", "y", "z"};
    dataset.published_split = Split{"s", {0}, {}, {}};
    return dataset;
}

TEST(ValidateDataset, AcceptsAValidOne) {
    EXPECT_NO_THROW(validate_dataset(valid_dataset()));
}

TEST(ValidateDataset, RefusesEveryBrokenField) {
    const auto expect_refused = [](const std::function<void(Dataset&)>& harm, std::string_view message) {
        Dataset dataset = valid_dataset();
        harm(dataset);
        testing::expect_input_error([&] { validate_dataset(dataset); }, {"some/file: ", message});
    };
    expect_refused([](Dataset& d) { d.nodes = 0; }, "has 0 nodes, expected at least one");
    expect_refused([](Dataset& d) { d.nodes = 3; }, "has 2 feature rows for 3 nodes");
    expect_refused([](Dataset& d) { d.labels.pop_back(); }, "has 1 labels, expected 2");
    expect_refused([](Dataset& d) { d.labels[0] = 1; }, "node a: class 1 is outside 0..0");
    expect_refused([](Dataset& d) { d.labels[1] = -2; }, "node b: class -2 is outside");
    expect_refused([](Dataset& d) { d.edges[0].to = 2; }, "edge 0-2: node 2 is outside 0..1");
    expect_refused([](Dataset& d) { d.edges[0].from = -1; }, "edge -1-1: node -1 is outside 0..1");
    expect_refused([](Dataset& d) { d.node_ids.pop_back(); }, "has 1 node ids, expected 2");
    expect_refused([](Dataset& d) { d.node_ids[1] = "a"; }, "two nodes have the id 'a'");
    expect_refused([](Dataset& d) { d.feature_names.pop_back(); }, "has 2 feature names, expected 3");
    expect_refused([](Dataset& d) { d.features.indices[0] = 3; },
                   "features: row 0: column 3 is outside 0..2");
    expect_refused([](Dataset& d) { d.features.values[0] = std::numeric_limits<float>::infinity(); },
                   "node a: feature 2 is inf");
}

TEST(ValidateDataset, RefusesASplitOfUnlabelledNodes) {
    Dataset dataset = valid_dataset();
    dataset.published_split->test = {1};
    EXPECT_THROW(validate_dataset(dataset), InputError);
}

TEST(NodeId, IsTheNumberWhereThereAreNoNames) {
    Dataset dataset = valid_dataset();
    EXPECT_EQ(node_id(dataset, 1), "b");
    dataset.node_ids.clear();
    EXPECT_EQ(node_id(dataset, 1), "1");
}

}  // namespace
}  // namespace hwgcn::dataset_test
