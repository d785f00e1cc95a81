// Operators of weighted and of directed graphs, against dense matrices that follow the definitions.
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "hwgcn/weights/learn_weights.hpp"

#include "graph/random_graph.hpp"
#include "operators/propagation.hpp"
#include "operators/random_weights.hpp"

namespace hwgcn::weighted_propagation_test {
namespace {

using testing::dense;
using testing::DenseDouble;
using testing::random_edges;
using testing::random_weights;
using testing::zeros;

struct Sample {
    Dataset dataset;
    DenseDouble arcs;  // sums per direction
    DenseDouble a;     // of the undirected graph, divided by the mean
    double unit = 1;
};

Sample random_sample(Index nodes, int edges, std::uint64_t seed) {
    Sample sample;
    sample.dataset.nodes = nodes;
    sample.dataset.edges = random_edges(nodes, edges, seed);
    sample.dataset.edges.push_back({0, 1});
    sample.arcs = zeros(nodes, nodes);
    sample.a = zeros(nodes, nodes);
    RandomStream random(seed, 9);
    for (const Edge& edge : sample.dataset.edges) {
        const auto weight = static_cast<float>(0.1 + 3 * random.uniform());
        sample.dataset.edge_weights.push_back(weight);
        sample.arcs[edge.from][edge.to] += weight;
    }
    double sum = 0, count = 0;
    for (Index i = 0; i < nodes; ++i) {
        for (Index j = 0; j < nodes; ++j) {
            const double there = sample.arcs[i][j], back = sample.arcs[j][i];
            sample.a[i][j] = there > 0 && back > 0 ? (there + back) / 2 : there + back;
            if (i < j && sample.a[i][j] > 0) {
                sum += sample.a[i][j];
                ++count;
            }
        }
    }
    sample.unit = sum / count;
    for (auto& row : sample.a) {
        for (double& weight : row)
            weight /= sample.unit;
    }
    return sample;
}

void expect_near(const DenseDouble& found, const DenseDouble& expected) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
        for (std::size_t j = 0; j < expected.size(); ++j)
            RC_ASSERT(std::abs(found[i][j] - expected[i][j]) < 2e-6);
    }
}

std::vector<double> row_sums(const DenseDouble& matrix) {
    std::vector<double> sums;
    for (const auto& row : matrix) {
        sums.push_back(0);
        for (const double value : row)
            sums.back() += value;
    }
    return sums;
}

TEST(WeightedPropagation, AgreesWithTheDenseDefinition) {
    const bool holds = rc::check([] {
        const Index nodes = *rc::gen::inRange(2, 14);
        const auto seed = *rc::gen::arbitrary<std::uint64_t>();
        const Sample sample = random_sample(nodes, *rc::gen::inRange(2, 50), seed);
        const LearnedWeights weights = random_weights(nodes, *rc::gen::inRange(0, 3), 0.2, seed);
        DenseDouble w = sample.a;
        for (Index i = 0; i < nodes; ++i) {
            w[i][i] += 1;
            for (const OrderWeights& order : weights.orders) {
                for (Index j = 0; j < nodes; ++j)
                    w[i][j] += dense(order.matrix)[i][j];
            }
        }
        const std::vector<double> d = row_sums(w);
        for (Index i = 0; i < nodes; ++i) {
            for (Index j = 0; j < nodes; ++j)
                w[i][j] /= std::sqrt(d[i] * d[j]);
        }
        const Propagation found = build_propagation(graph_of(sample.dataset), weights);
        expect_near(dense(*found.matrix), w);
        expect_near(dense(transposed(*found.transposed)), w);
    });
    EXPECT_TRUE(holds);
}

TEST(WeightedPropagation, TheWeightedGraphIsWithoutItsDiagonal) {
    const Sample sample = random_sample(8, 30, 4);
    const DenseDouble found = dense(*weighted_graph(graph_of(sample.dataset)).matrix);
    for (Index i = 0; i < 8; ++i) {
        for (Index j = 0; j < 8; ++j)
            EXPECT_NEAR(found[i][j], i == j ? 0.0 : sample.a[i][j], 1e-5);
    }
}

TEST(DirectedPropagation, IsTheMeanOverANodeAndItsNeighborsOfOneDirection) {
    const bool holds = rc::check([] {
        const Index nodes = *rc::gen::inRange(2, 14);
        Sample sample = random_sample(nodes, *rc::gen::inRange(2, 50), *rc::gen::arbitrary<std::uint64_t>());
        const bool weighted = *rc::gen::arbitrary<bool>();
        if (!weighted) sample.dataset.edge_weights.clear();
        const CsrMatrix<float> arcs = arcs_of(sample.dataset, graph_of(sample.dataset).weight_unit());
        for (const Direction direction : {Direction::in, Direction::out}) {
            DenseDouble expected = zeros(nodes, nodes);
            for (Index i = 0; i < nodes; ++i) {
                for (Index j = 0; j < nodes; ++j) {
                    const double arc = direction == Direction::out ? sample.arcs[i][j] : sample.arcs[j][i];
                    expected[i][j] = weighted ? arc / sample.unit : (arc > 0 ? 1.0 : 0.0);
                }
                expected[i][i] += 1;
            }
            const std::vector<double> d = row_sums(expected);
            for (Index i = 0; i < nodes; ++i) {
                for (double& value : expected[i])
                    value /= d[i];
            }
            const Propagation found = build_directed_propagation(arcs, direction);
            validate_csr(*found.matrix, "operator");
            expect_near(dense(*found.matrix), expected);
            expect_near(dense(transposed(*found.transposed)), expected);
        }
    });
    EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace hwgcn::weighted_propagation_test
