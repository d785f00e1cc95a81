#include <cstdio>
#include <numeric>

#include <gmock/gmock.h>

#include "base/random_stream.hpp"
#include "methods/linear/logistic_regression.hpp"
#include "methods/small_graphs.hpp"

namespace hwgcn::testing::linear_test {
namespace {

using ::testing::HasSubstr;

// Four dense columns of very different units, of which the first two tell three classes apart, more or less.
struct Table {
    std::vector<Index> labels;
    SmallGraph graph;

    explicit Table(Index nodes = 200, const std::vector<double>& units = {1, 1, 1, 1}, double noise = 1.0)
        : graph(nodes, path(nodes), 3, features(nodes, units, noise, labels)) {}

    static CsrMatrix<float> features(Index nodes, const std::vector<double>& units, double noise,
                                     std::vector<Index>& labels) {
        CsrMatrix<float> rows{nodes, 4, {0}, {}, {}};
        RandomStream random(11, 0);
        for (Index i = 0; i < nodes; ++i) {
            labels.push_back(i % 3);
            for (Index f = 0; f < 4; ++f) {
                double value = noise * (random.uniform() + random.uniform() + random.uniform() - 1.5);
                if (f == 0) value += i % 3 == 1 ? 1 : 0;
                if (f == 1) value += i % 3 == 2 ? 1 : -0.5;
                rows.indices.push_back(f);
                rows.values.push_back(static_cast<float>(units[f] * (value + 3)));
            }
            rows.offsets.push_back(rows.entries());
        }
        return rows;
    }

    // Every k-th node has a known label.
    KnownLabels known(Index step, Index validation_step = 0) const {
        KnownLabels result;
        for (Index i = 0; i < graph.features.rows; ++i) {
            LabelledNodes* part = i % step == 0 ? &result.train : nullptr;
            if (part == nullptr && validation_step > 0 && i % validation_step == 0) part = &result.validation;
            if (part == nullptr) continue;
            part->nodes.push_back(i);
            part->labels.push_back(labels[i]);
        }
        return result;
    }
};

ClassicModel learned(const Table& table, const KnownLabels& known, int threads = 1) {
    return make_classic_method("linear", {})->learn(table.graph.view(), known, 0, {threads});
}

DenseMatrix predicted(const Table& table, const KnownLabels& known, int threads = 1) {
    return learn_and_predict(*make_classic_method("linear", {}), table.graph, known, 0, threads);
}

double strength_of(const ClassicModel& model) {
    double strength = 0;
    EXPECT_EQ(std::sscanf(model.summary.c_str(), "L2 strength %lf", &strength), 1) << model.summary;
    return strength;
}

// At the minimum, strength/n theta = mean of x (indicator - p) on columns of mean 0 and deviation 1 that are
// divided by the root of their number, as this test makes them in a way of its own.
TEST(Linear, StandsWhereTheGradientIsZero) {
    const Table table(200, {1, 50, 0.01, 7});
    const KnownLabels known = table.known(1);
    const ClassicModel model = learned(table, known);
    const DenseMatrix p =
        make_classic_method("linear", {})->probabilities(table.graph.view(), model.parameters, {1});
    const double strength = strength_of(model);
    for (Index f = 0; f < 4; ++f) {
        std::vector<double> x;
        for (Index i = 0; i < 200; ++i)
            x.push_back(static_cast<double>(table.graph.features.values[4 * i + f]));
        const double mean = std::accumulate(x.begin(), x.end(), 0.0) / 200;
        double variance = 0;
        for (const double number : x)
            variance += (number - mean) * (number - mean) / 200;
        const double scale = std::sqrt(4 * variance);
        for (Index c = 0; c < 3; ++c) {
            double pull = 0;
            for (Index i = 0; i < 200; ++i)
                pull += (x[i] - mean) / scale *
                        ((table.labels[i] == c ? 1.0 : 0.0) - static_cast<double>(p.at(i, c))) / 200;
            const double theta = static_cast<double>(model.parameters[0].value.at(f, c)) * scale;
            EXPECT_NEAR(strength / 200 * theta, pull, 1e-5) << f << ' ' << c;
        }
    }
    EXPECT_THAT(model.summary, HasSubstr("5 folds"));
    EXPECT_TRUE(model.notes.empty());
}

TEST(Linear, UnitsOfColumnsChangeNothing) {
    const Table plain(150), odd(150, {1e4, 1e-3, 1, 30});
    const DenseMatrix a = predicted(plain, plain.known(4)), b = predicted(odd, odd.known(4));
    for (Index i = 0; i < 150; ++i) {
        for (Index c = 0; c < 3; ++c)
            EXPECT_NEAR(a.at(i, c), b.at(i, c), 1e-3);
    }
    EXPECT_GT(accuracy(a, {all_indices(150), plain.labels}), 0.75);
}

TEST(Linear, FewNoisyLabelsAreShrunkAndManyClearOnesAreNot) {
    Table noise(90, {1, 1, 1, 1}, 1.0);
    RandomStream random(5, 0);
    random.shuffle(std::span(noise.labels));
    EXPECT_GT(strength_of(learned(noise, noise.known(2))), 8);
    const Table clear(600, {1, 1, 1, 1}, 0.3);
    EXPECT_LT(strength_of(learned(clear, clear.known(2))), 0.1);
}

TEST(Linear, ValidationNodesHaveASayInTheStrength) {
    const Table table(300);
    const ClassicModel model = learned(table, table.known(10, 7));
    EXPECT_THAT(model.summary, HasSubstr("5 folds and 38 validation nodes"));
}

TEST(Linear, OneClassAndSingleLabelsGiveProbabilities) {
    const Table table(60);
    for (const std::vector<Index>& nodes : {std::vector<Index>{0}, {0, 3}, {0, 3, 6, 9, 12}, {0, 1, 2}}) {
        KnownLabels known;
        for (const Index node : nodes) {
            known.train.nodes.push_back(node);
            known.train.labels.push_back(table.labels[node]);
        }
        const DenseMatrix p = predicted(table, known);
        expect_probabilities(p);
        if (nodes.size() == 3) continue;
        for (Index i = 0; i < 60; ++i)
            EXPECT_GT(p.at(i, 0), 0.9F) << "no other class was seen";
    }
}

// A label that counts three times is three labels.
TEST(Linear, AWeightIsSoManyExamples) {
    const CsrMatrix<float> rows = random_features(40, 8, 0.5, 3);
    std::vector<Index> labels, thrice = all_indices(40);
    std::vector<double> weights;
    for (Index i = 0; i < 40; ++i) {
        labels.push_back((i * i + i / 3) % 3);
        weights.push_back((i < 10 ? 3.0 : 1.0) * 40 / 60);
    }
    for (Index i = 0; i < 10; ++i)
        thrice.insert(thrice.end(), {i, i});
    const CsrMatrix<float> more = sparse_rows(rows, thrice);
    std::vector<Index> more_labels;
    for (const Index i : thrice)
        more_labels.push_back(labels[i]);
    const std::vector<double> start(27);
    const Minimum a = minimize_logistic_loss({rows, labels, 3, weights}, {0.01, 0.01}, start, {1e-9}, {1});
    const Minimum b = minimize_logistic_loss({more, more_labels, 3}, {0.01, 0.01}, start, {1e-9}, {1});
    for (std::size_t k = 0; k < start.size(); ++k)
        EXPECT_NEAR(a.x[k], b.x[k], 1e-6);
}

// Enough examples for several pieces.
TEST(Linear, ThreadsChangeNoBitAndPiecesMakeTheWhole) {
    const Table table(50000);
    const KnownLabels known = table.known(1);
    const ClassicModel one = learned(table, known, 1), three = learned(table, known, 3);
    for (std::size_t k = 0; k < 2; ++k)
        EXPECT_TRUE(
            std::ranges::equal(one.parameters[k].value.numbers(), three.parameters[k].value.numbers()));
    EXPECT_GT(accuracy(predicted(table, known), {all_indices(50000), table.labels}), 0.8);
    const LabelledRows rows{table.graph.features, table.labels, 3};
    const std::vector<double> theta = {0.1, 0.2, -0.1, 0, 0.3, 0.1, 0.2, -0.2, 0, 0, 0, 0.1, 0.3, 0, -0.3};
    const Minimum start = minimize_logistic_loss(rows, {1e-300, 1e-300}, theta, {1e9}, {2});
    EXPECT_NEAR(start.value, total_logistic_loss(rows, theta) / 50000, 1e-12);
    double largest = 0;  // of the gradient, by differences of the sum that has no pieces
    for (std::size_t k = 0; k < theta.size(); ++k) {
        std::vector<double> above = theta, below = theta;
        above[k] += 1e-4;
        below[k] -= 1e-4;
        const double rise = total_logistic_loss(rows, above) - total_logistic_loss(rows, below);
        largest = std::max(largest, std::abs(rise) / 50000 / 2e-4);
    }
    EXPECT_NEAR(start.gradient, largest, 1e-6);
}

}  // namespace
}  // namespace hwgcn::testing::linear_test
