#include <cmath>

#include <gtest/gtest.h>

#include "methods/network_runs.hpp"
#include "methods/networks/context_pairs.hpp"

namespace hwgcn::semiemb_test {
namespace {

using testing::dense;
using testing::DenseDouble;
using testing::NetworkRun;
using testing::product;
using testing::random_edges;
using testing::run_network;
using testing::same_bits;
using testing::shared_features;

constexpr Index nodes = 40;
constexpr Index feature_count = 12;
constexpr Index classes = 4;
const NetworkShape shape{feature_count, classes, nodes};
const DropoutSeed training{9, 4};

std::unique_ptr<Network> make_semiemb(const std::string& embedding_layer, const std::string& layers = "2") {
    return make_network("semiemb",
                        {{"layers", layers},
                         {"input_dropout", "0"},
                         {"hidden_dropout", "0"},
                         {"embedding_layer", embedding_layer},
                         {"embedding_weight", "2.5"},
                         {"embedding_margin", "0.4"}},
                        shape);
}

ReceptiveField some_field() {
    return whole_field(weighted_graph(Graph(nodes, random_edges(nodes, 60, 1))),
                       shared_features(nodes, feature_count, 0.4, 2), 1);
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return std::sqrt(sum);
}

class SemiEmbAt : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Layer, SemiEmbAt, ::testing::Values("hidden", "output"),
                         [](const auto& layer) { return layer.param; });

TEST_P(SemiEmbAt, PenaltyIsThatOfAPlainLoopOverPairs) {
    const auto network = make_semiemb(GetParam());
    const ReceptiveField field = some_field();
    const std::vector<TrainableMatrix> parameters = network->initial_parameters(3);

    DenseDouble g = product(testing::dense(*field.features.matrix), dense(parameters[0].value));
    for (std::vector<double>& row : g) {
        for (double& number : row)
            number = std::max(number, 0.0);
    }
    if (GetParam() == "output") g = product(g, dense(parameters[1].value));
    const CsrMatrix<float>& weights = *field.steps[0].forward.matrix;
    double attraction = 0;
    for (Index i = 0; i < nodes; ++i) {
        for (const Index j : weights.row(i).indices)
            attraction += std::pow(distance(g[i], g[j]), 2) / static_cast<double>(weights.entries());
    }
    // Without dropout the pairs are the first thing that is drawn.
    const std::vector<RowPair> others = unconnected_pairs(
        weights, weights.entries() / 2, RandomStream(training.seed, stream_of(training, 0)));
    double repulsion = 0;
    for (const auto& [i, j] : others)
        repulsion += std::pow(std::max(0.0, 0.4 - distance(g[i], g[j])), 2);
    const double expected = 2.5 * (attraction + repulsion / static_cast<double>(others.size()));

    const NetworkRun run = run_network(*network, field, training);
    ASSERT_EQ(run.penalties.size(), 1U);
    EXPECT_GT(repulsion, 0.0);
    EXPECT_NEAR(run.penalties[0], expected, 1e-5 * expected);
}

TEST(SemiEmb, PredictsAsAnMlpOfTheSameParameters) {
    const ReceptiveField field = some_field();
    const NetworkRun semiemb = run_network(*make_semiemb("hidden"), field, std::nullopt);
    const NetworkRun mlp = run_network(
        *make_network("mlp", {{"input_dropout", "0"}, {"hidden_dropout", "0"}}, shape), field, std::nullopt);
    EXPECT_TRUE(semiemb.penalties.empty());
    EXPECT_TRUE(same_bits(semiemb.scores, mlp.scores));
}

TEST(SemiEmb, WithoutAHiddenLayerTheScoresAreTheEmbedding) {
    const float hidden = run_network(*make_semiemb("hidden", "1"), some_field(), training).penalties.at(0);
    EXPECT_EQ(hidden, run_network(*make_semiemb("output", "1"), some_field(), training).penalties.at(0));
}

}  // namespace
}  // namespace hwgcn::semiemb_test
