#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "methods/network_runs.hpp"
#include "methods/networks/context_pairs.hpp"

namespace hwgcn::planetoid_test {
namespace {

using testing::dense;
using testing::DenseDouble;
using testing::MadeUpLabels;
using testing::NetworkRun;
using testing::product;
using testing::random_edges;
using testing::run_network;
using testing::shared_features;

constexpr Index nodes = 40;
constexpr Index feature_count = 12;
constexpr Index classes = 4;
const NetworkShape shape{feature_count, classes, nodes};
const DropoutSeed training_nodes{9, 4};

std::unique_ptr<Network> make_planetoid(const std::string& kind, NetworkShape size = shape) {
    return make_network("planetoid",
                        {{"input_dropout", "0"},
                         {"hidden_dropout", "0"},
                         {"planetoid_kind", kind},
                         {"embedding", "9"},
                         {"context_walk", "6"},
                         {"context_window", "2"},
                         {"context_pairs", "3"},
                         {"context_weight", "2.5"}},
                        size);
}

ReceptiveField some_field() {
    return whole_field(weighted_graph(Graph(nodes, random_edges(nodes, 60, 1))),
                       shared_features(nodes, feature_count, 0.4, 2), 1);
}

DenseDouble with_bias(DenseDouble x, const DenseDouble& bias) {
    for (std::vector<double>& row : x) {
        for (std::size_t k = 0; k < row.size(); ++k)
            row[k] += bias[0][k];
    }
    return x;
}

DenseDouble softmax_of(DenseDouble x) {
    for (std::vector<double>& row : x) {
        double sum = 0;
        for (const double number : row)
            sum += std::exp(number);
        for (double& number : row)
            number = std::exp(number) / sum;
    }
    return x;
}

double cross_entropy_of(const DenseDouble& probabilities, const std::vector<Index>& labels) {
    double sum = 0;
    for (std::size_t i = 0; i < labels.size(); ++i)
        sum -= std::log(probabilities[i][labels[i]]);
    return sum / static_cast<double>(labels.size());
}

double context_loss_of(const std::vector<ContextPair>& pairs, const DenseDouble& e, const DenseDouble& c) {
    double sum = 0;
    for (const auto& [i, j, sign] : pairs) {
        double dot = 0;
        for (std::size_t k = 0; k < e[i].size(); ++k)
            dot += e[i][k] * c[j][k];
        sum += std::log(1.0 + std::exp(-static_cast<double>(sign) * dot));
    }
    return sum;
}

// The published equations, in double precision.
struct ByDefinition {
    DenseDouble embedding, context, by_features, by_embedding, scores;

    ByDefinition(const Network& network, const CsrMatrix<float>& features, bool inductive) {
        std::map<std::string, DenseDouble> all;
        for (const TrainableMatrix& parameter : network.initial_parameters(3))
            all[parameter.name] = dense(parameter.value);
        const DenseDouble x = dense(features);
        embedding = inductive ? product(x, all["theta_h"]) : all["embedding"];
        if (inductive) {
            for (std::vector<double>& row : embedding) {
                for (double& number : row)
                    number = std::tanh(number);
            }
        }
        context = all["context"];
        by_features = softmax_of(with_bias(product(x, all["theta_x"]), all["b_x"]));
        by_embedding = softmax_of(with_bias(product(embedding, all["theta_e"]), all["b_e"]));
        DenseDouble both = by_features;
        for (std::size_t i = 0; i < both.size(); ++i)
            both[i].insert(both[i].end(), by_embedding[i].begin(), by_embedding[i].end());
        scores = with_bias(product(both, all["theta"]), all["b"]);
    }
};

class PlanetoidOfKind : public ::testing::TestWithParam<std::string> {
  protected:
    bool inductive() const { return GetParam() == "inductive"; }
    NetworkRun run(std::optional<DropoutSeed> training) const {
        return run_network(*network_, field_, training);
    }
    ByDefinition definition() const { return {*network_, *field_.features.matrix, inductive()}; }

    ReceptiveField field_ = some_field();
    std::unique_ptr<Network> network_ = make_planetoid(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Kind, PlanetoidOfKind, ::testing::Values("transductive", "inductive"),
                         [](const auto& kind) { return kind.param; });

TEST_P(PlanetoidOfKind, ScoresFollowTheEquation) {
    const ByDefinition expected = definition();
    for (const std::optional<DropoutSeed> training :
         {std::optional<DropoutSeed>(), std::optional(training_nodes)}) {
        const DenseMatrix scores = run(training).scores;
        for (Index i = 0; i < nodes; ++i) {
            for (Index c = 0; c < classes; ++c)
                ASSERT_NEAR(scores.at(i, c), expected.scores[i][c], 1e-5);
        }
    }
}

TEST_P(PlanetoidOfKind, PenaltiesAreTheLayerLossesAndTheContextLoss) {
    const ByDefinition expected = definition();
    const MadeUpLabels known(*field_.outputs);
    // Without dropout the pairs are the first thing that is drawn.
    const auto stream = [](std::uint32_t number) {
        return RandomStream(training_nodes.seed, stream_of(training_nodes, number));
    };
    const std::vector<ContextPair> near =
        walk_contexts(*field_.steps[0].forward.matrix, {6, 2, 3}, stream(0));
    const std::vector<ContextPair> alike = label_contexts({known.rows, known.labels}, 3, stream(1));
    const double context = context_loss_of(near, expected.embedding, expected.context) +
                           context_loss_of(alike, expected.embedding, expected.context);

    const std::vector<float> penalties = run(training_nodes).penalties;
    ASSERT_EQ(penalties.size(), 3U);
    EXPECT_NEAR(penalties[0], cross_entropy_of(expected.by_features, known.labels), 1e-5);
    EXPECT_NEAR(penalties[1], cross_entropy_of(expected.by_embedding, known.labels), 1e-5);
    EXPECT_NEAR(penalties[2], 2.5 * context / static_cast<double>(near.size()), 1e-4);
}

TEST_P(PlanetoidOfKind, EvaluationHasNoPenaltiesAndIsNotRandom) {
    const NetworkRun first = run(std::nullopt);
    EXPECT_TRUE(first.penalties.empty());
    EXPECT_TRUE(testing::same_bits(first.scores, run(std::nullopt).scores));
}

// Without a gradient from its label: an embedding of a node without edges stays as it was.
TEST(Planetoid, LabelsDoNotReachTheEmbeddingOfASingleNode) {
    const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 0}};
    const ReceptiveField field =
        whole_field(weighted_graph(Graph(6, edges)), shared_features(6, feature_count, 0.5, 2), 1);
    const auto network = make_planetoid("transductive", {feature_count, classes, 6});
    const std::vector<TrainableMatrix> parameters = network->initial_parameters(3);
    const NetworkRun run = run_network(*network, field, training_nodes);
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        if (parameters[k].name != "embedding") continue;
        for (Index j = 0; j < 9; ++j) {
            EXPECT_NE(run.gradients[k].at(1, j), 0.0F);
            EXPECT_EQ(run.gradients[k].at(4, j), 0.0F);
        }
    }
}

TEST_P(PlanetoidOfKind, EveryMatrixLearns) {
    const NetworkRun training = run(training_nodes);
    for (std::size_t k = 0; k < training.gradients.size(); ++k) {
        double size = 0;
        for (const float number : training.gradients[k].numbers())
            size += std::abs(static_cast<double>(number));
        EXPECT_GT(size, 0.0) << "parameter " << k;
    }
}

}  // namespace
}  // namespace hwgcn::planetoid_test
