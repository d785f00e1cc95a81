// Weights for a graph that has grown.
#include <numeric>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "weights/weight_inputs.hpp"

namespace hwgcn::extend_weights_test {
namespace {

using testing::Input;

constexpr Index old_nodes = 280;

// A dataset of 300 nodes, and what it was before the last 20 of them came.
Dataset grown() {
    return make_synthetic({.nodes = 300, .vocabulary = 120, .words = 12, .seed = 5});
}

Dataset before() {
    Dataset dataset = grown();
    dataset.nodes = dataset.features.rows = old_nodes;
    dataset.labels.resize(old_nodes);
    dataset.features.offsets.resize(old_nodes + 1);
    dataset.features.indices.resize(dataset.features.offsets.back());
    dataset.features.values.resize(dataset.features.offsets.back());
    std::erase_if(dataset.edges, [](const Edge& edge) { return std::max(edge.from, edge.to) >= old_nodes; });
    return dataset;
}

std::vector<Index> numbers(Index first, Index end) {
    std::vector<Index> nodes(static_cast<std::size_t>(end - first));
    std::iota(nodes.begin(), nodes.end(), first);
    return nodes;
}

TEST(ExtendWeights, SolvesNewNodesAsTheWholeGraphDoesAndLeavesTheOthers) {
    const Input old_input(before());
    const Input new_input(grown());
    const WeightOptions options{.order = 3, .keep = {0.5, 0.2}};
    const LearnedWeights known = learn_weights(old_input.graph, old_input.features, options);
    const LearnedWeights whole = learn_weights(new_input.graph, new_input.features, options);
    const LearnedWeights extended =
        extend_weights(known, new_input.graph, new_input.features, options, numbers(old_nodes, 300));
    ASSERT_EQ(extended.orders.size(), 2U);
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(extended.orders[k].matrix.columns, 300);
        for (Index node = 0; node < 300; ++node) {
            const LearnedWeights& expected = node < old_nodes ? known : whole;
            const SparseRow<double> row = extended.orders[k].matrix.row(node);
            const SparseRow<double> other = expected.orders[k].matrix.row(node);
            EXPECT_TRUE(std::ranges::equal(row.indices, other.indices)) << node;
            EXPECT_TRUE(std::ranges::equal(row.values, other.values)) << node;
        }
    }
}

TEST(ExtendWeights, OfAllNodesAreThoseOfTheWholeGraph) {
    const Input old_input(before());
    const Input new_input(grown());
    const WeightOptions options{.order = 4};
    const LearnedWeights known = learn_weights(old_input.graph, old_input.features, options);
    const LearnedWeights whole = learn_weights(new_input.graph, new_input.features, options);
    for (const int threads : {1, 3}) {
        const LearnedWeights extended = extend_weights(known, new_input.graph, new_input.features, options,
                                                       numbers(0, 300), {.threads = threads});
        for (std::size_t k = 0; k < extended.orders.size(); ++k) {
            EXPECT_EQ(extended.orders[k].matrix.indices, whole.orders[k].matrix.indices);
            EXPECT_EQ(extended.orders[k].matrix.values, whole.orders[k].matrix.values);
            EXPECT_EQ(extended.orders[k].ring_sizes, whole.orders[k].ring_sizes);
        }
    }
}

TEST(ExtendWeights, ExpectsEveryNewNode) {
    const Input old_input(before());
    const Input new_input(grown());
    const LearnedWeights known = learn_weights(old_input.graph, old_input.features, {.order = 2});
    EXPECT_THROW(
        extend_weights(known, new_input.graph, new_input.features, {.order = 2}, numbers(old_nodes, 299)),
        InputError);
}

}  // namespace
}  // namespace hwgcn::extend_weights_test
