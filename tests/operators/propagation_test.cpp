#include "operators/propagation.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/io/readers.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "base/parameter.hpp"
#include "graph/random_graph.hpp"
#include "graph/smoothing.hpp"
#include "io/expect_input_error.hpp"
#include "operators/propagation_parameters.hpp"
#include "operators/random_weights.hpp"

namespace hwgcn::propagation_test {
namespace {

using testing::dense;
using testing::DenseDouble;
using testing::expect_input_error;
using testing::random_edges;
using testing::random_weights;
using testing::zeros;

constexpr Orientation all_orientations[] = {Orientation::paper, Orientation::transposed,
                                            Orientation::symmetric};

DenseDouble flipped(const DenseDouble& matrix) {
    DenseDouble result = matrix.empty()
                             ? matrix
                             : zeros(static_cast<Index>(matrix[0].size()), static_cast<Index>(matrix.size()));
    for (std::size_t i = 0; i < matrix.size(); ++i) {
        for (std::size_t j = 0; j < matrix[i].size(); ++j)
            result[j][i] = matrix[i][j];
    }
    return result;
}

// W~ = A + sum of the orders + I, with W replaced by (W + W')/2 where that is asked for.
DenseDouble dense_weights(Index nodes, const std::vector<Edge>& edges, const LearnedWeights& weights,
                          bool symmetric) {
    DenseDouble w = zeros(nodes, nodes);
    for (const Edge& e : edges)
        w[e.from][e.to] = w[e.to][e.from] = 1.0;
    for (const OrderWeights& order : weights.orders) {
        const DenseDouble add = dense(order.matrix);
        for (Index i = 0; i < nodes; ++i) {
            for (Index j = 0; j < nodes; ++j)
                w[i][j] += add[i][j];
        }
    }
    const DenseDouble other = flipped(w);
    for (Index i = 0; i < nodes; ++i) {
        for (Index j = 0; symmetric && j < nodes; ++j)
            w[i][j] = (w[i][j] + other[i][j]) / 2;
        w[i][i] += 1.0;
    }
    return w;
}

std::vector<double> row_sums(const DenseDouble& matrix) {
    std::vector<double> sums(matrix.size(), 0.0);
    for (std::size_t i = 0; i < matrix.size(); ++i) {
        for (const double value : matrix[i])
            sums[i] += value;
    }
    return sums;
}

// The oracle: the definition written down with dense matrices in double precision.
DenseDouble dense_operator(Index nodes, const std::vector<Edge>& edges, const LearnedWeights& weights,
                           Orientation orientation) {
    DenseDouble p = dense_weights(nodes, edges, weights, orientation == Orientation::symmetric);
    const std::vector<double> d = row_sums(p);
    for (Index i = 0; i < nodes; ++i) {
        for (Index j = 0; j < nodes; ++j)
            p[i][j] *= 1.0 / std::sqrt(d[i]) / std::sqrt(d[j]);
    }
    return orientation == Orientation::transposed ? flipped(p) : p;
}

// Equal up to one rounding to single precision, with entries exactly where the oracle has them.
bool is_rounded_once(const CsrMatrix<float>& found, const DenseDouble& expected) {
    std::int64_t entries = 0;
    const DenseDouble values = dense(found);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        for (std::size_t j = 0; j < expected[i].size(); ++j) {
            const double half_ulp = 0x1.0p-24 * expected[i][j] * (1 + 1e-6);
            if (std::abs(values[i][j] - expected[i][j]) > half_ulp) return false;
            entries += expected[i][j] != 0 ? 1 : 0;
        }
    }
    return found.entries() == entries && values.size() == expected.size();
}

struct RandomCase {
    Index nodes;
    std::vector<Edge> edges;
    LearnedWeights weights;
};

RandomCase random_case(int least_orders) {
    const Index nodes = *rc::gen::inRange(1, 20);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const int orders = *rc::gen::inRange(least_orders, 5);
    return {nodes, random_edges(nodes, *rc::gen::inRange(0, 3 * nodes), seed),
            random_weights(nodes, orders, *rc::gen::inRange(0, 5) / 10.0, seed)};
}

TEST(Propagation, FollowsItsDefinitionInEveryOrientation) {
    const bool holds = rc::check([] {
        const RandomCase c = random_case(0);
        for (const Orientation orientation : all_orientations) {
            const Propagation propagation =
                build_propagation(Graph(c.nodes, c.edges), c.weights, {orientation});
            validate_csr(*propagation.matrix, "operator");
            validate_csr(*propagation.transposed, "transposed operator");
            const DenseDouble expected = dense_operator(c.nodes, c.edges, c.weights, orientation);
            RC_ASSERT(is_rounded_once(*propagation.matrix, expected));
            RC_ASSERT(dense(*propagation.transposed) == flipped(dense(*propagation.matrix)));
            RC_ASSERT(propagation.nodes() == c.nodes);
        }
    });
    EXPECT_TRUE(holds);
}

// With D the row sums of W~: P D^1/2 1 = D^-1/2 W~ 1 = D^1/2 1.
TEST(Propagation, LeavesTheRootsOfTheRowSumsUnchanged) {
    const bool holds = rc::check([] {
        const RandomCase c = random_case(0);
        const Propagation propagation = build_propagation(Graph(c.nodes, c.edges), c.weights);
        const std::vector<double> d = row_sums(dense_weights(c.nodes, c.edges, c.weights, false));
        for (Index i = 0; i < c.nodes; ++i) {
            const SparseRow<float> row = propagation.matrix->row(i);
            double sum = 0;
            for (std::size_t e = 0; e < row.size(); ++e)
                sum += row.values[e] * std::sqrt(d[row.indices[e]]);
            RC_ASSERT(std::abs(sum - std::sqrt(d[i])) < 1e-6 * std::sqrt(d[i]));
        }
    });
    EXPECT_TRUE(holds);
}

TEST(Propagation, IsSymmetricToTheLastBitWhereOneMatrixServesBothWays) {
    const bool holds = rc::check([] {
        const RandomCase c = random_case(1);
        const Graph graph(c.nodes, c.edges);
        for (const Propagation& propagation :
             {build_propagation(graph), build_propagation(graph, {}, {Orientation::transposed}),
              build_propagation(graph, c.weights, {Orientation::symmetric})}) {
            RC_ASSERT(propagation.matrix == propagation.transposed);
            RC_ASSERT(dense(*propagation.matrix) == flipped(dense(*propagation.matrix)));
        }
    });
    EXPECT_TRUE(holds);
}

TEST(Propagation, OfTheTransposedOrientationIsThePapersWithItsMatricesExchanged) {
    const Graph graph(30, random_edges(30, 60, 3));
    const LearnedWeights weights = random_weights(30, 2, 0.2, 3);
    const Propagation paper = build_propagation(graph, weights);
    const Propagation turned = build_propagation(graph, weights, {Orientation::transposed});
    EXPECT_NE(paper.matrix, paper.transposed);
    EXPECT_NE(paper.matrix->values, paper.transposed->values);
    EXPECT_EQ(paper.matrix->indices, turned.transposed->indices);
    EXPECT_EQ(paper.matrix->values, turned.transposed->values);
    EXPECT_EQ(paper.transposed->indices, turned.matrix->indices);
    EXPECT_EQ(paper.transposed->values, turned.matrix->values);
}

TEST(Propagation, WithoutOrdersIsThePlainConvolutionOfKarate) {
    const Dataset karate = make_karate();
    const Graph graph(karate.nodes, karate.edges);
    const Propagation plain = build_propagation(graph);
    EXPECT_EQ(plain.matrix->entries(), 34 + 2 * 78);
    const DenseDouble s = dense(*plain.matrix);
    EXPECT_EQ(s[0][0], static_cast<float>(1.0 / 17));                      // Mr. Hi has 16 friends
    EXPECT_EQ(s[33][33], static_cast<float>(1.0 / 18));                    // the officer 17
    EXPECT_EQ(s[0][1], static_cast<float>(1.0 / std::sqrt(17.0 * 10)));    // member 2 has 9
    EXPECT_EQ(s[33][32], static_cast<float>(1.0 / std::sqrt(18.0 * 13)));  // member 33 has 12
    EXPECT_EQ(s[0][33], 0.0);

    // Smoothing the features of the identity gives the rows of S, by another way.
    CsrMatrix<float> identity{34, 34, {0}, {}, {}};
    for (Index i = 0; i < 34; ++i) {
        identity.indices.push_back(i);
        identity.values.push_back(1.0F);
        identity.offsets.push_back(i + 1);
    }
    RowSmoother smoother(graph, identity);
    for (Index i = 0; i < 34; ++i) {
        const SparseVector& row = smoother.smooth(i);
        const SparseRow<float> found = plain.matrix->row(i);
        ASSERT_TRUE(
            std::equal(row.columns.begin(), row.columns.end(), found.indices.begin(), found.indices.end()));
        for (std::size_t e = 0; e < found.size(); ++e)
            EXPECT_FLOAT_EQ(found.values[e], static_cast<float>(row.values[e]));
    }
}

TEST(Propagation, OfLearnedWeightsFollowsItsDefinition) {
    for (const Dataset& data :
         {make_karate(), make_synthetic({.nodes = 120, .vocabulary = 60, .words = 8})}) {
        const Graph graph(data.nodes, data.edges);
        const LearnedWeights weights = learn_weights(graph, row_normalized(data.features), {.order = 4});
        for (const Orientation orientation : all_orientations) {
            const Propagation propagation = build_propagation(graph, weights, {orientation});
            EXPECT_TRUE(is_rounded_once(*propagation.matrix,
                                        dense_operator(data.nodes, data.edges, weights, orientation)));
        }
    }
}

// The weights of each order that are at least share sqrt(d_i d_j), d being the row sums with all of them.
LearnedWeights kept_orders(const RandomCase& c, bool symmetric, double share) {
    const std::vector<double> d = row_sums(dense_weights(c.nodes, c.edges, c.weights, symmetric));
    LearnedWeights kept;
    for (const OrderWeights& order : c.weights.orders) {
        OrderWeights one{{c.nodes, c.nodes, {0}, {}, {}}, {}, order.summary};
        const DenseDouble all = dense(order.matrix);
        for (Index i = 0; i < c.nodes; ++i) {
            for (Index j = 0; j < c.nodes; ++j) {
                const double weight = symmetric ? 0.5 * (all[i][j] + all[j][i]) : all[i][j];
                if (weight == 0 || weight < share * std::sqrt(d[i] * d[j])) continue;
                one.matrix.indices.push_back(j);
                one.matrix.values.push_back(weight);
            }
            one.matrix.offsets.push_back(one.matrix.entries());
        }
        kept.orders.push_back(std::move(one));
    }
    return kept;
}

TEST(Propagation, LeavesOutLearnedWeightsBelowAShare) {
    const bool holds = rc::check([] {
        const RandomCase c = random_case(1);
        const double share = *rc::gen::inRange(1, 30) / 100.0;
        for (const Orientation orientation : all_orientations) {
            const bool symmetric = orientation == Orientation::symmetric;
            const Propagation found =
                build_propagation(Graph(c.nodes, c.edges), c.weights, {orientation, Neighbors::mean, share});
            const DenseDouble expected = dense_operator(c.nodes, c.edges, kept_orders(c, symmetric, share),
                                                        symmetric ? Orientation::paper : orientation);
            RC_ASSERT(is_rounded_once(*found.matrix, expected));
            RC_ASSERT(dense(*found.transposed) == flipped(dense(*found.matrix)));
        }
    });
    EXPECT_TRUE(holds);
}

// A node between two others, of which one has almost no weight: edges stay however small their share is.
TEST(Propagation, KeepsEdgesWhateverTheirShare) {
    LearnedWeights weights = random_weights(4, 1, 0.0, 1);
    weights.orders[0].matrix = {4, 4, {0, 2, 2, 2, 2}, {2, 3}, {0.99, 0.01}};
    const Graph graph(4, std::vector<Edge>{{0, 1}, {1, 2}, {1, 3}});
    const auto entries = [&](double share) {
        return build_propagation(graph, weights, {Orientation::paper, Neighbors::mean, share})
            .matrix->entries();
    };
    EXPECT_EQ(entries(0), 4 + 6 + 2);
    EXPECT_EQ(entries(0.01), 4 + 6 + 1);
    EXPECT_EQ(entries(0.5), 4 + 6);
}

TEST(Propagation, CountsASelfLoopOfTheDataBesideTheIdentity) {
    // Node 0: loop and identity 2, one neighbor: sum 3. Node 1: sum 2. Node 2 is alone: 1/1.
    const Propagation propagation = build_propagation(Graph(3, std::vector<Edge>{{0, 0}, {0, 1}}));
    const auto off_diagonal = static_cast<float>(1 / std::sqrt(6.0));
    EXPECT_EQ(propagation.matrix->offsets, (std::vector<std::int64_t>{0, 2, 4, 5}));
    EXPECT_EQ(propagation.matrix->indices, (std::vector<Index>{0, 1, 0, 1, 2}));
    EXPECT_EQ(propagation.matrix->values,
              (std::vector<float>{static_cast<float>(2.0 / 3), off_diagonal, off_diagonal, 0.5F, 1.0F}));
}

TEST(Propagation, OfAGraphWithoutNodesIsEmpty) {
    for (const Orientation orientation : all_orientations) {
        const Propagation propagation =
            build_propagation(Graph(0, {}), random_weights(0, 2, 0.5, 1), {orientation});
        EXPECT_EQ(propagation.nodes(), 0);
        EXPECT_EQ(propagation.transposed->entries(), 0);
    }
}

TEST(Propagation, RefusesWeightsOfAnotherGraph) {
    const Graph graph(4, std::vector<Edge>{{0, 1}});
    for (const Orientation orientation : all_orientations) {
        const auto build = [&](const LearnedWeights& weights) {
            return [&, weights] { build_propagation(graph, weights, {orientation}); };
        };
        expect_input_error(build(random_weights(3, 1, 0.5, 1)), {"order 2", "3 x 3", "expected 4 x 4"});
        expect_input_error(build(random_weights(5, 1, 0.5, 1)), {"order 2", "5 x 5", "expected 4 x 4"});
        LearnedWeights wide = random_weights(4, 2, 0.5, 1);
        wide.orders[1].matrix.columns = 7;
        expect_input_error(build(wide), {"order 3", "4 x 7", "expected 4 x 4"});
    }
}

TEST(Propagation, RefusesWeightsThatCannotBeNormalised) {
    const Graph graph(3, std::vector<Edge>{{0, 1}});
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const double bad : {-2.0, -7.0, infinity, std::numeric_limits<double>::quiet_NaN()}) {
        LearnedWeights weights = random_weights(3, 1, 0.0, 1);
        weights.orders[0].matrix = {3, 3, {0, 0, 1, 1}, {2}, {bad}};
        expect_input_error([&] { build_propagation(graph, weights); },
                           {"weights of node 1 sum to", "finite number above zero"});
    }
}

TEST(Transposed, ExchangesRowsAndColumnsOfAnyMatrix) {
    const bool holds = rc::check([] {
        const CsrMatrix<float> matrix =
            testing::random_features(*rc::gen::inRange(0, 12), *rc::gen::inRange(1, 12),
                                     *rc::gen::inRange(0, 10) / 10.0, *rc::gen::arbitrary<std::uint64_t>());
        const CsrMatrix<float> turned = transposed(matrix);
        validate_csr(turned, "transposed");
        RC_ASSERT(turned.rows == matrix.columns);
        RC_ASSERT(turned.columns == matrix.rows);
        RC_ASSERT(turned.entries() == matrix.entries());
        const DenseDouble expected = dense(matrix);
        const DenseDouble found = dense(turned);
        for (Index i = 0; i < matrix.rows; ++i) {
            for (Index j = 0; j < matrix.columns; ++j)
                RC_ASSERT(found[j][i] == expected[i][j]);
        }
    });
    EXPECT_TRUE(holds);
}

TEST(PropagationParameters, ReadAndWriteTheOrientation) {
    PropagationOptions options;
    const auto& table = propagation_parameters();
    ASSERT_EQ(table.size(), 2U);
    EXPECT_EQ(table[0].get(options), "paper");
    const std::pair<const char*, Orientation> names[] = {{"transposed", Orientation::transposed},
                                                         {"symmetric", Orientation::symmetric},
                                                         {"paper", Orientation::paper}};
    for (const auto& [name, orientation] : names) {
        set_parameter(table, options, "orientation", name);
        EXPECT_EQ(options.orientation, orientation);
        EXPECT_EQ(table[0].get(options), name);
    }
    expect_input_error([&] { set_parameter(table, options, "orientation", "sideways"); },
                       {"orientation: expected paper, transposed or symmetric, got 'sideways'"});
    EXPECT_EQ(options.orientation, Orientation::paper);
}

TEST(Oriented, TurnsTheWeightsOfAnOrder) {
    rc::check([] {
        const Index nodes = *rc::gen::inRange<Index>(1, 12);
        const LearnedWeights weights = random_weights(nodes, 1, 0.4, *rc::gen::arbitrary<std::uint64_t>());
        const CsrMatrix<double>& given = weights.orders[0].matrix;
        const DenseDouble w = dense(given);
        const DenseDouble other = flipped(w);
        RC_ASSERT(dense(oriented(given, Orientation::paper)) == w);
        RC_ASSERT(dense(oriented(given, Orientation::transposed)) == other);
        const DenseDouble mean = dense(oriented(given, Orientation::symmetric));
        for (Index i = 0; i < nodes; ++i) {
            for (Index j = 0; j < nodes; ++j)
                RC_ASSERT(mean[i][j] == (w[i][j] + other[i][j]) / 2);
        }
    });
}

}  // namespace
}  // namespace hwgcn::propagation_test
