#include "operators/receptive_field.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "hwgcn/weights/learn_weights.hpp"

#include "graph/random_graph.hpp"
#include "io/expect_input_error.hpp"
#include "operators/propagation.hpp"
#include "operators/random_weights.hpp"

namespace hwgcn::receptive_field_test {
namespace {

using testing::dense;
using testing::expect_input_error;

using SharedMatrix = std::shared_ptr<const CsrMatrix<float>>;
using Rows = std::vector<std::vector<float>>;

SharedMatrix some_features(Index nodes, std::uint64_t seed = 1) {
    return std::make_shared<const CsrMatrix<float>>(testing::random_features(nodes, 6, 0.4, seed));
}

// The oracle of a product: entry after entry, as they are stored.
Rows product(const CsrMatrix<float>& matrix, const Rows& dense_rows) {
    Rows result;
    for (Index i = 0; i < matrix.rows; ++i) {
        std::vector<float> sum(dense_rows.empty() ? 0 : dense_rows[0].size(), 0.0F);
        const SparseRow<float> row = matrix.row(i);
        for (std::size_t e = 0; e < row.size(); ++e) {
            for (std::size_t c = 0; c < sum.size(); ++c)
                sum[c] += row.values[e] * dense_rows.at(row.indices[e])[c];
        }
        result.push_back(std::move(sum));
    }
    return result;
}

Rows random_rows(Index rows, std::size_t columns, std::uint64_t seed) {
    RandomStream random(seed, 3);
    Rows result(static_cast<std::size_t>(rows), std::vector<float>(columns));
    for (std::vector<float>& row : result) {
        for (float& value : row)
            value = static_cast<float>(2 * random.uniform() - 1);
    }
    return result;
}

Rows chosen(const Rows& rows, const std::vector<Index>& numbers) {
    Rows result;
    for (const Index number : numbers)
        result.push_back(rows[number]);
    return result;
}

bool same_bits(const Rows& a, const Rows& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
    });
}

struct RandomCase {
    Propagation propagation;
    SharedMatrix features;
    std::vector<Index> outputs;  // in any order
    int steps;
    std::uint64_t seed;
};

RandomCase random_case() {
    const Index nodes = *rc::gen::inRange(1, 25);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const Graph graph(nodes, testing::random_edges(nodes, *rc::gen::inRange(0, 2 * nodes), seed));
    const auto orientation =
        *rc::gen::element(Orientation::paper, Orientation::transposed, Orientation::symmetric);
    const LearnedWeights weights = testing::random_weights(nodes, *rc::gen::inRange(0, 3), 0.03, seed);
    std::vector<Index> outputs(static_cast<std::size_t>(nodes));
    std::iota(outputs.begin(), outputs.end(), 0);
    RandomStream random(seed, 4);
    for (std::size_t k = outputs.size(); k > 1; --k)
        std::swap(outputs[k - 1], outputs[random.below(k)]);
    outputs.resize(*rc::gen::inRange<std::size_t>(0, outputs.size() + 1));
    return {build_propagation(graph, weights, {orientation}), some_features(nodes, seed), outputs,
            *rc::gen::inRange(0, 5), seed};
}

ReceptiveField field_of(const RandomCase& c) {
    return receptive_field(c.propagation, c.features, c.outputs, c.steps);
}

TEST(ReceptiveField, GivesTheRowsOfTheFullProductBitForBit) {
    const bool holds = rc::check([] {
        const RandomCase c = random_case();
        const ReceptiveField field = field_of(c);
        const Rows start = random_rows(c.propagation.nodes(), 3, c.seed);
        Rows full = start;
        for (int k = 0; k < c.steps; ++k)
            full = product(*c.propagation.matrix, full);
        Rows sliced = chosen(start, *field.inputs);
        for (const Step& step : field.steps)
            sliced = product(*step.forward.matrix, sliced);
        RC_ASSERT(same_bits(sliced, chosen(full, *field.outputs)));
    });
    EXPECT_TRUE(holds);
}

TEST(ReceptiveField, HoldsExactlyTheNodesThatItsStepsTouch) {
    const bool holds = rc::check([] {
        const RandomCase c = random_case();
        const ReceptiveField field = field_of(c);
        RC_ASSERT(field.nodes == c.propagation.nodes());
        RC_ASSERT(field.steps.size() == static_cast<std::size_t>(c.steps));
        std::set<Index> nodes(c.outputs.begin(), c.outputs.end());
        const auto is_list_of_nodes = [&](const std::vector<Index>& list) {
            return std::equal(list.begin(), list.end(), nodes.begin(), nodes.end());
        };
        RC_ASSERT(is_list_of_nodes(*field.outputs));
        for (auto step = field.steps.rbegin(); step != field.steps.rend(); ++step) {
            RC_ASSERT(is_list_of_nodes(*step->outputs));
            for (const Index output : *step->outputs) {
                for (const Index column : c.propagation.matrix->row(output).indices)
                    nodes.insert(column);
            }
            RC_ASSERT(is_list_of_nodes(*step->inputs));
        }
        RC_ASSERT(is_list_of_nodes(*field.inputs));
    });
    EXPECT_TRUE(holds);
}

TEST(ReceptiveField, StepsAreCompleteRowsThatSayWhereTheyComeFrom) {
    const bool holds = rc::check([] {
        const RandomCase c = random_case();
        const CsrMatrix<float>& whole = *c.propagation.matrix;
        for (const Step& step : field_of(c).steps) {
            const CsrMatrix<float>& matrix = *step.forward.matrix;
            validate_csr(matrix, "step");
            RC_ASSERT(static_cast<std::size_t>(matrix.rows) == step.outputs->size());
            RC_ASSERT(static_cast<std::size_t>(matrix.columns) == step.inputs->size());
            RC_ASSERT(step.forward.origin.size() == step.outputs->size());
            RC_ASSERT(step.position.size() == step.outputs->size());
            for (Index r = 0; r < matrix.rows; ++r) {
                const Index node = (*step.outputs)[r];
                RC_ASSERT(step.inputs->at(step.position[r]) == node);
                RC_ASSERT(step.forward.origin[r] == whole.offsets[node]);
                const SparseRow<float> found = matrix.row(r);
                const SparseRow<float> expected = whole.row(node);
                RC_ASSERT(found.size() == expected.size());
                for (std::size_t e = 0; e < found.size(); ++e) {
                    RC_ASSERT(found.values[e] == expected.values[e]);
                    RC_ASSERT((*step.inputs)[found.indices[e]] == expected.indices[e]);
                }
            }
        }
    });
    EXPECT_TRUE(holds);
}

TEST(ReceptiveField, TransposedStepsAreTheStepsTurned) {
    const bool holds = rc::check([] {
        for (const Step& step : field_of(random_case()).steps) {
            const CsrMatrix<float>& matrix = *step.forward.matrix;
            validate_csr(*step.transposed, "transposed step");
            RC_ASSERT(step.transposed->rows == matrix.columns);
            RC_ASSERT(step.transposed->columns == matrix.rows);
            const auto forward = dense(matrix);
            const auto turned = dense(*step.transposed);
            for (Index i = 0; i < matrix.rows; ++i) {
                for (Index j = 0; j < matrix.columns; ++j)
                    RC_ASSERT(forward[i][j] == turned[j][i]);
            }
        }
    });
    EXPECT_TRUE(holds);
}

TEST(ReceptiveField, FeaturesAreTheRowsOfItsInputs) {
    const bool holds = rc::check([] {
        const RandomCase c = random_case();
        const ReceptiveField field = field_of(c);
        const CsrMatrix<float>& found = *field.features.matrix;
        validate_csr(found, "features");
        RC_ASSERT(static_cast<std::size_t>(found.rows) == field.inputs->size());
        RC_ASSERT(found.columns == c.features->columns);
        RC_ASSERT(field.features.origin.size() == field.inputs->size());
        for (Index r = 0; r < found.rows; ++r) {
            const Index node = (*field.inputs)[r];
            const SparseRow<float> row = found.row(r);
            const SparseRow<float> expected = c.features->row(node);
            RC_ASSERT(field.features.origin[r] == c.features->offsets[node]);
            RC_ASSERT(std::equal(row.indices.begin(), row.indices.end(), expected.indices.begin(),
                                 expected.indices.end()));
            RC_ASSERT(std::equal(row.values.begin(), row.values.end(), expected.values.begin(),
                                 expected.values.end()));
        }
    });
    EXPECT_TRUE(holds);
}

// 0 - 1 - 2 - 3 - 4 and 5 - 6, and 7 alone.
Propagation path_and_pair() {
    return build_propagation(Graph(8, std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {5, 6}}));
}

using Nodes = std::vector<Index>;

TEST(ReceptiveField, GrowsByOneNeighborhoodPerStep) {
    const ReceptiveField field = receptive_field(path_and_pair(), some_features(8), Nodes{5, 0}, 2);
    ASSERT_EQ(field.steps.size(), 2U);
    EXPECT_EQ(*field.outputs, (Nodes{0, 5}));
    EXPECT_EQ(*field.steps[1].inputs, (Nodes{0, 1, 5, 6}));
    EXPECT_EQ(field.steps[1].position, (Nodes{0, 2}));
    EXPECT_EQ(field.steps[1].forward.matrix->indices, (Nodes{0, 1, 2, 3}));
    EXPECT_EQ(field.steps[0].outputs, field.steps[1].inputs);
    EXPECT_EQ(*field.inputs, (Nodes{0, 1, 2, 5, 6}));
    EXPECT_EQ(field.inputs, field.steps[0].inputs);
}

TEST(ReceptiveField, OfAllNodesSharesTheOperatorAndTheFeatures) {
    const Graph graph(8, testing::random_edges(8, 12, 5));
    const Propagation propagation = build_propagation(graph, testing::random_weights(8, 1, 0.2, 5));
    const SharedMatrix features = some_features(8);
    const ReceptiveField field = whole_field(propagation, features, 3);
    const auto without_last = [](const std::vector<std::int64_t>& offsets) {
        return std::vector<std::int64_t>(offsets.begin(), offsets.end() - 1);
    };
    ASSERT_EQ(field.steps.size(), 3U);
    for (const Step& step : field.steps) {
        EXPECT_EQ(step.forward.matrix, propagation.matrix);
        EXPECT_EQ(step.transposed, propagation.transposed);
        EXPECT_EQ(step.forward.origin, without_last(propagation.matrix->offsets));
        EXPECT_EQ(step.inputs, field.outputs);
        EXPECT_EQ(step.outputs, field.outputs);
        EXPECT_EQ(step.position, (Nodes{0, 1, 2, 3, 4, 5, 6, 7}));
    }
    EXPECT_EQ(field.features.matrix, features);
    EXPECT_EQ(field.features.origin, without_last(features->offsets));
    EXPECT_EQ(*field.outputs, (Nodes{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(ReceptiveField, SharesTheOperatorFromTheStepThatReachesAllNodes) {
    const Propagation star = build_propagation(Graph(4, std::vector<Edge>{{0, 1}, {0, 2}, {0, 3}}));
    const SharedMatrix features = some_features(4);
    const ReceptiveField field = receptive_field(star, features, Nodes{0}, 3);
    EXPECT_EQ(field.steps[2].forward.matrix->rows, 1);
    EXPECT_EQ(field.steps[2].forward.matrix->columns, 4);
    for (const int whole : {0, 1}) {
        EXPECT_EQ(field.steps[whole].forward.matrix, star.matrix);
        EXPECT_EQ(field.steps[whole].transposed, star.transposed);
    }
    EXPECT_EQ(field.features.matrix, features);
}

TEST(ReceptiveField, SharesTheMatricesOfStepsBetweenTheSameNodes) {
    const ReceptiveField field = receptive_field(path_and_pair(), some_features(8), Nodes{5}, 4);
    EXPECT_EQ(*field.steps[3].outputs, (Nodes{5}));
    EXPECT_EQ(*field.inputs, (Nodes{5, 6}));
    for (const int k : {0, 1}) {
        EXPECT_EQ(field.steps[k].forward.matrix, field.steps[2].forward.matrix);
        EXPECT_EQ(field.steps[k].transposed, field.steps[2].transposed);
        EXPECT_EQ(field.steps[k].inputs, field.steps[2].inputs);
        EXPECT_EQ(field.steps[k].forward.origin, field.steps[2].forward.origin);
    }
    EXPECT_NE(field.steps[2].forward.matrix, field.steps[3].forward.matrix);
}

TEST(ReceptiveField, OfAnIsolatedNodeIsTheNodeItself) {
    const ReceptiveField field = receptive_field(path_and_pair(), some_features(8), Nodes{7}, 2);
    EXPECT_EQ(*field.inputs, (Nodes{7}));
    EXPECT_EQ(field.steps[0].forward.matrix, field.steps[1].forward.matrix);
    EXPECT_EQ(field.steps[1].forward.matrix->values, (std::vector<float>{1.0F}));
}

TEST(ReceptiveField, KeepsOutputsAmongTheInputsOfAnOperatorWithoutDiagonal) {
    const auto matrix =
        std::make_shared<const CsrMatrix<float>>(CsrMatrix<float>{3, 3, {0, 1, 1, 2}, {1, 0}, {2.0F, 3.0F}});
    const Propagation shift{matrix, std::make_shared<const CsrMatrix<float>>(transposed(*matrix))};
    const ReceptiveField field = receptive_field(shift, some_features(3), Nodes{2}, 1);
    EXPECT_EQ(*field.inputs, (Nodes{0, 2}));
    EXPECT_EQ(field.steps[0].position, (Nodes{1}));
    EXPECT_EQ(field.steps[0].forward.matrix->indices, (Nodes{0}));
}

TEST(ReceptiveField, WithoutStepsHoldsOnlyTheFeaturesOfItsOutputs) {
    const ReceptiveField field = receptive_field(path_and_pair(), some_features(8), Nodes{6, 2}, 0);
    EXPECT_TRUE(field.steps.empty());
    EXPECT_EQ(*field.inputs, (Nodes{2, 6}));
    EXPECT_EQ(field.inputs, field.outputs);
    EXPECT_EQ(field.features.matrix->rows, 2);
}

TEST(ReceptiveField, OfNoOutputsIsEmpty) {
    const ReceptiveField field = receptive_field(path_and_pair(), some_features(8), Nodes{}, 2);
    ASSERT_EQ(field.steps.size(), 2U);
    for (const Step& step : field.steps) {
        validate_csr(*step.forward.matrix, "step");
        EXPECT_EQ(step.forward.matrix->rows, 0);
        EXPECT_EQ(step.forward.matrix->columns, 0);
        EXPECT_TRUE(step.forward.origin.empty());
    }
    EXPECT_TRUE(field.inputs->empty());
    EXPECT_EQ(field.features.matrix->rows, 0);
    EXPECT_EQ(field.nodes, 8);
}

TEST(ReceptiveField, OfAGraphWithoutNodesIsEmpty) {
    const ReceptiveField field = whole_field(build_propagation(Graph(0, {})), some_features(0), 2);
    EXPECT_EQ(field.nodes, 0);
    EXPECT_TRUE(field.inputs->empty());
    EXPECT_EQ(field.steps.size(), 2U);
}

TEST(ReceptiveField, RefusesOutputsThatDoNotExistOrAreRepeated) {
    const auto ask = [](const Nodes& outputs) {
        return [outputs] { receptive_field(path_and_pair(), some_features(8), outputs, 1); };
    };
    expect_input_error(ask({0, 8}), {"output node 8", "outside 0..7"});
    expect_input_error(ask({-1, 2}), {"output node -1", "outside 0..7"});
    expect_input_error(ask({2147483647}), {"output node 2147483647", "outside 0..7"});
    expect_input_error(ask({3, 1, 3}), {"output node 3", "more than once"});
}

TEST(ReceptiveField, RefusesFeaturesOfAnotherGraphAndANegativeNumberOfSteps) {
    expect_input_error([] { receptive_field(path_and_pair(), some_features(7), Nodes{0}, 1); },
                       {"7 feature rows for 8 nodes"});
    expect_input_error([] { receptive_field(path_and_pair(), some_features(8), Nodes{0}, -1); },
                       {"steps: expected 0 or more, got -1"});
}

}  // namespace
}  // namespace hwgcn::receptive_field_test
