#include <algorithm>

#include <gmock/gmock.h>

#include "methods/small_graphs.hpp"

namespace hwgcn::testing::label_propagation_test {
namespace {

// To the limit, with other settings where they are given.
DenseMatrix exact_shares(const SmallGraph& graph, const KnownLabels& known,
                         const std::vector<Setting>& changes) {
    MethodSettings settings("lp", "");
    settings.apply({{"solver_tolerance", "1e-10"}, {"solver_iterations", "1000000"}});
    settings.apply(changes);
    return learn_and_predict(*make_classic_method(settings), graph, known);
}

const Setting free_masses{"lp_masses", "free"};
constexpr const char* rules[] = {"harmonic", "spreading"};

KnownLabels trained_on(std::vector<Index> nodes, std::vector<Index> labels) {
    return {{std::move(nodes), std::move(labels)}, {}};
}

TEST(LabelPropagation, OnAPathBetweenTwoLabelsTheSharesAreLinear) {
    const SmallGraph graph(6, path(6), 2);
    const DenseMatrix shares = exact_shares(graph, trained_on({0, 5}, {0, 1}), {free_masses});
    for (Index i = 0; i < 6; ++i)
        EXPECT_NEAR(shares.at(i, 1), static_cast<double>(i) / 5, 1e-6);
}

TEST(LabelPropagation, EveryNodeWithoutALabelHasTheMeanOfItsNeighbors) {
    const SmallGraph graph(80, random_edges(80, 200, 4), 3);
    const KnownLabels known = trained_on({3, 11, 20, 41, 60}, {0, 1, 2, 0, 1});
    const DenseMatrix shares = exact_shares(graph, known, {free_masses});
    expect_probabilities(shares);
    for (Index i = 0; i < 80; ++i) {
        const auto place = std::ranges::find(known.train.nodes, i);
        const SparseRow<float> row = graph.weights.matrix->row(i);
        for (Index c = 0; c < 3; ++c) {
            if (place != known.train.nodes.end()) {
                const Index label = known.train.labels[place - known.train.nodes.begin()];
                EXPECT_EQ(shares.at(i, c), label == c ? 1.0F : 0.0F) << "labels are clamped";
            } else if (row.size() > 0) {
                double mean = 0;
                for (const Index neighbor : row.indices)
                    mean += static_cast<double>(shares.at(neighbor, c)) / static_cast<double>(row.size());
                EXPECT_NEAR(shares.at(i, c), mean, 1e-5);
            }
        }
    }
}

TEST(LabelPropagation, SpreadingIsItsClosedForm) {
    constexpr Index nodes = 40;
    const SmallGraph graph(nodes, random_edges(nodes, 90, 8), 2);
    const DenseMatrix shares = exact_shares(graph, trained_on({1, 2, 3}, {0, 1, 1}),
                                            {free_masses, {"lp_rule", "spreading"}, {"lp_share", "0.9"}});
    const CsrMatrix<float>& w = *graph.weights.matrix;
    std::vector<std::vector<double>> a(nodes, std::vector<double>(nodes));
    for (Index i = 0; i < nodes; ++i) {
        a[i][i] = 1.0;
        for (const Index j : w.row(i).indices)
            a[i][j] -=
                0.9 / std::sqrt(static_cast<double>(w.row(i).size()) * static_cast<double>(w.row(j).size()));
    }
    std::vector<double> first(nodes), second(nodes);
    first[1] = second[2] = second[3] = 1.0;
    first = solve_dense(a, first);
    second = solve_dense(a, second);
    for (Index i = 0; i < nodes; ++i) {
        if (first[i] + second[i] > 1e-9) {
            EXPECT_NEAR(shares.at(i, 0), first[i] / (first[i] + second[i]), 1e-5);
        }
    }
}

TEST(LabelPropagation, IterationAndClosedFormHaveTheSameLimit) {
    const SmallGraph graph(120, random_edges(120, 260, 2), 3);
    const KnownLabels known = trained_on({5, 6, 7, 8}, {0, 1, 2, 2});
    for (const std::string rule : rules) {
        const DenseMatrix closed = exact_shares(graph, known, {{"lp_rule", rule}});
        const DenseMatrix iterated =
            exact_shares(graph, known, {{"lp_rule", rule}, {"lp_solver", "iteration"}});
        for (Index i = 0; i < 120; ++i) {
            for (Index c = 0; c < 3; ++c)
                EXPECT_NEAR(closed.at(i, c), iterated.at(i, c), 1e-5);
        }
    }
}

// The masses are those of f before its rows were scaled to one: undone by the largest share of each row.
TEST(LabelPropagation, ClassMassesAreTheSharesOfTheTrainingLabels) {
    const SmallGraph graph(60, random_edges(60, 150, 9), 2);
    const KnownLabels known = trained_on({0, 1, 2, 3}, {0, 0, 0, 1});
    for (const std::string rule : rules) {
        const DenseMatrix free = exact_shares(graph, known, {free_masses, {"lp_rule", rule}});
        const DenseMatrix scaled = exact_shares(graph, known, {{"lp_rule", rule}});
        // One factor for all odds: scaled odds = factor * free odds.
        double factor = 0;
        for (Index i = 4; i < 60; ++i) {
            if (free.at(i, 0) < 1e-3F || free.at(i, 1) < 1e-3F) continue;
            const double odds = static_cast<double>(free.at(i, 1)) / static_cast<double>(free.at(i, 0));
            const double now = static_cast<double>(scaled.at(i, 1)) / static_cast<double>(scaled.at(i, 0));
            if (factor == 0) factor = now / odds;
            EXPECT_NEAR(now / odds, factor, 1e-3 * factor) << i;
        }
        if (rule == "spreading") continue;  // rows of f do not sum to one there
        double first = 0, second = 0;
        for (Index i = 4; i < 60; ++i) {
            if (graph.weights.matrix->row(i).size() == 0) continue;
            first += static_cast<double>(free.at(i, 0));
            second += static_cast<double>(free.at(i, 1));
        }
        EXPECT_NEAR(factor, (0.25 / second) / (0.75 / first), 1e-3 * factor);
    }
}

TEST(LabelPropagation, TheMassesOfSpreadingLeaveTrainingNodesOut) {
    // 0 - 1 - 2 with labels at both ends: the middle node's masses are equal, and so are its shares.
    const SmallGraph graph(4, {{0, 1}, {1, 2}, {0, 3}}, 2);
    const DenseMatrix shares =
        exact_shares(graph, trained_on({0, 2, 3}, {0, 1, 0}), {{"lp_rule", "spreading"}});
    EXPECT_NEAR(shares.at(1, 0), 2.0 / 3, 1e-6) << "its mass is all there is: the shares of the labels";
}

TEST(LabelPropagation, NodesThatNoLabelReachesGetTheSharesOfTheTrainingLabels) {
    std::vector<Edge> edges = path(4);
    edges.push_back({4, 5});  // a component of its own; node 6 is alone
    const SmallGraph graph(7, edges, 3);
    const KnownLabels known = trained_on({0, 1, 2}, {0, 0, 1});
    for (const std::string rule : rules) {
        const auto method = make_classic_method("lp", {{"lp_rule", rule}});
        const ClassicModel model = method->learn(graph.view(), known, 0, {1});
        const DenseMatrix& shares = model.parameters[0].value;
        expect_probabilities(shares);
        for (const Index node : {4, 5, 6}) {
            EXPECT_NEAR(shares.at(node, 0), 2.0 / 3, 1e-6);
            EXPECT_NEAR(shares.at(node, 1), 1.0 / 3, 1e-6);
            EXPECT_EQ(shares.at(node, 2), 0.0F) << "a class without training nodes";
        }
        ASSERT_EQ(model.notes.size(), 1U);
        EXPECT_THAT(model.notes[0], ::testing::HasSubstr("3 nodes are not connected with any training node"));
    }
}

TEST(LabelPropagation, SaysWhenItsIterationsDidNotSuffice) {
    const auto method = make_classic_method("lp", {{"lp_solver", "iteration"}, {"solver_iterations", "2"}});
    const SmallGraph graph(50, path(50), 2);
    const ClassicModel model = method->learn(graph.view(), trained_on({0, 49}, {0, 1}), 0, {1});
    ASSERT_EQ(model.notes.size(), 1U);
    EXPECT_THAT(model.notes[0], ::testing::HasSubstr("after 2 iterations; `solver_iterations` allows more"));
    EXPECT_THAT(model.summary, ::testing::HasSubstr("2 iterations, residual"));
}

}  // namespace
}  // namespace hwgcn::testing::label_propagation_test
