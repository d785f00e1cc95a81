// Residual blocks over one operator and over several: their equation in double precision, finite differences,
// and the same bits however they are computed.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "hwgcn/weights/learn_weights.hpp"

#include "base/parameter.hpp"
#include "io/expect_input_error.hpp"
#include "methods/network_runs.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::residual_network_test {
namespace {

using testing::dense;
using testing::DenseDouble;
using testing::Masks;
using testing::NetworkRun;
using testing::product;
using testing::random_edges;
using testing::random_weights;
using testing::run_network;
using testing::same_bits;
using testing::shared_features;
using testing::zeros;

constexpr Index nodes = 30;
constexpr Index feature_count = 11;
constexpr Index classes = 3;
constexpr double input_dropout = 0.3;
constexpr double hidden_dropout = 0.4;
const DropoutSeed some_dropout{9, 4};

// I, the neighbors and a ring; or the one operator of graph convolutions.
Propagation operators(const std::string& method, Index count = nodes, int edges = 40) {
    const Graph graph(count, random_edges(count, edges, 1));
    const LearnedWeights weights = random_weights(count, 1, 2.0 / count, 1);
    return method == "sage" ? build_separate_operators(graph, nullptr, weights)
                            : build_propagation(graph, weights);
}

std::unique_ptr<Network> make_residual(const std::string& method, Index blocks, const char* hidden = "16") {
    return make_network(method,
                        {{"layers", "2"},
                         {"hidden", hidden},
                         {"input_dropout", value_text(input_dropout)},
                         {"hidden_dropout", value_text(hidden_dropout)}},
                        {feature_count, classes, nodes, blocks});
}

// Nothing is 0 or 1 after some training.
std::vector<TrainableMatrix> trained_parameters(const Network& network) {
    std::vector<TrainableMatrix> parameters = network.initial_parameters(3);
    for (TrainableMatrix& parameter : parameters) {
        for (Index k = 0; parameter.value.rows() == 1 && k < parameter.value.columns(); ++k)
            parameter.value.at(0, k) += 0.3F - 0.2F * static_cast<float>(k % 4);
    }
    return parameters;
}

DenseDouble gelu(DenseDouble x) {
    for (std::vector<double>& row : x) {
        for (double& number : row)
            number *= 0.5 * (1 + std::erf(number / std::numbers::sqrt2));
    }
    return x;
}

// The equation, parameter after parameter.
class Definition {
  public:
    Definition(const std::vector<TrainableMatrix>& parameters, const Propagation& propagation,
               std::optional<DropoutSeed> dropout)
        : p_(dense(*propagation.matrix)), blocks_(propagation.blocks), masks_(dropout) {
        for (const TrainableMatrix& parameter : parameters)
            theta_.push_back(dense(parameter.value));
    }

    DenseDouble scores(const CsrMatrix<float>& features) {
        DenseDouble x = affine(masks_.drop(features, input_dropout));
        x = gelu(masks_.drop(x, hidden_dropout));
        for (int block = 0; block < 2; ++block) {
            DenseDouble h = affine(masks_.drop(side_by_side(normalized(x)), hidden_dropout));
            h = masks_.drop(affine(gelu(h)), hidden_dropout);
            for (std::size_t i = 0; i < x.size(); ++i) {
                for (std::size_t k = 0; k < x[0].size(); ++k)
                    x[i][k] += h[i][k];
            }
        }
        DenseDouble z = affine(normalized(x));
        EXPECT_EQ(next_, theta_.size());
        return z;
    }

  private:
    DenseDouble affine(const DenseDouble& x) {
        DenseDouble result = product(x, theta_[next_]);
        for (std::vector<double>& row : result) {
            for (std::size_t k = 0; k < row.size(); ++k)
                row[k] += theta_[next_ + 1][0][k];
        }
        next_ += 2;
        return result;
    }

    DenseDouble normalized(DenseDouble x) {
        for (std::vector<double>& row : x) {
            const auto columns = static_cast<double>(row.size());
            double mean = 0, variance = 0;
            for (const double number : row)
                mean += number / columns;
            for (const double number : row)
                variance += (number - mean) * (number - mean) / columns;
            for (std::size_t k = 0; k < row.size(); ++k)
                row[k] = (row[k] - mean) / std::sqrt(variance + 1e-5) * theta_[next_][0][k] +
                         theta_[next_ + 1][0][k];
        }
        next_ += 2;
        return x;
    }

    DenseDouble side_by_side(const DenseDouble& x) const {
        const DenseDouble all = product(p_, x);
        DenseDouble result(x.size());
        for (std::size_t row = 0; row < all.size(); ++row) {
            std::vector<double>& target = result[row / static_cast<std::size_t>(blocks_)];
            target.insert(target.end(), all[row].begin(), all[row].end());
        }
        return result;
    }

    DenseDouble p_;
    Index blocks_;
    Masks masks_;
    std::vector<DenseDouble> theta_;
    std::size_t next_ = 0;
};

class ResidualBlocks : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Of, ResidualBlocks, ::testing::Values("sage", "gcn-res"),
                         [](const auto& test) { return test.param == "sage" ? "sage" : "gcn_res"; });

TEST_P(ResidualBlocks, ComputeTheirEquation) {
    const Propagation propagation = operators(GetParam());
    const auto features = shared_features(nodes, feature_count, 0.3, 2);
    const auto network = make_residual(GetParam(), propagation.blocks);
    EXPECT_EQ(network->steps(), 2);
    const std::vector<TrainableMatrix> parameters = trained_parameters(*network);
    const ReceptiveField field = whole_field(propagation, features, network->steps());
    for (const auto& dropout : {std::optional(some_dropout), std::optional<DropoutSeed>()}) {
        const DenseMatrix found = run_network(*network, parameters, field, dropout).scores;
        const DenseDouble expected = Definition(parameters, propagation, dropout).scores(*features);
        ASSERT_EQ(found.columns(), classes);
        for (Index i = 0; i < nodes; ++i) {
            for (Index c = 0; c < classes; ++c)
                EXPECT_NEAR(found.at(i, c), expected[i][c], 1e-4) << "node " << i << ", class " << c;
        }
    }
}

double loss_of(const DenseMatrix& scores, const std::vector<Index>& outputs) {
    double sum = 0;
    for (Index i = 0; i < scores.rows(); ++i) {
        double total = 0;
        for (Index c = 0; c < scores.columns(); ++c)
            total += std::exp(static_cast<double>(scores.at(i, c)));
        sum += std::log(total) - static_cast<double>(scores.at(i, outputs[i] % 3));
    }
    return sum / scores.rows();
}

// Of every parameter some numbers, with dropout and at a few outputs.
TEST_P(ResidualBlocks, HaveTheGradientsOfFiniteDifferences) {
    const Propagation propagation = operators(GetParam());
    const auto network = make_residual(GetParam(), propagation.blocks);
    const std::vector<Index> outputs = {3, 7, 17, 20, 29};
    const ReceptiveField field =
        receptive_field(propagation, shared_features(nodes, feature_count, 0.3, 2), outputs, 2);
    std::vector<TrainableMatrix> parameters = trained_parameters(*network);
    const std::vector<DenseMatrix> gradients =
        run_network(*network, parameters, field, some_dropout).gradients;
    double largest = 0;
    for (std::size_t n = 0; n < parameters.size(); ++n) {
        DenseMatrix& value = parameters[n].value;
        for (Index k = 0; k < value.rows() * value.columns(); k += 7) {
            float& number = value.at(k / value.columns(), k % value.columns());
            const float here = number;
            const auto loss_at = [&](float there) {
                number = there;
                return loss_of(run_network(*network, parameters, field, some_dropout).scores, outputs);
            };
            const double slope = (loss_at(here + 0.01F) - loss_at(here - 0.01F)) / 0.02;
            number = here;
            const double found = gradients[n].at(k / value.columns(), k % value.columns());
            ASSERT_NEAR(found, slope, 1e-3 * std::max(1.0, std::abs(slope)))
                << parameters[n].name << " " << k;
            largest = std::max(largest, std::abs(found));
        }
    }
    EXPECT_GT(largest, 0.05);
}

TEST_P(ResidualBlocks, GiveTheSameBitsInARestrictedField) {
    const Propagation propagation = operators(GetParam());
    const auto features = shared_features(nodes, feature_count, 0.3, 2);
    const auto network = make_residual(GetParam(), propagation.blocks, "48");
    const std::vector<Index> outputs = {3, 7, 17, 20, 29};
    const ReceptiveField part = receptive_field(propagation, features, outputs, 2);
    for (const auto& dropout : {std::optional(some_dropout), std::optional<DropoutSeed>()}) {
        const DenseMatrix found = run_network(*network, part, dropout).scores;
        const DenseMatrix all = run_network(*network, whole_field(propagation, features, 2), dropout).scores;
        for (Index i = 0; i < found.rows(); ++i) {
            for (Index c = 0; c < classes; ++c)
                EXPECT_EQ(found.at(i, c), all.at(outputs[i], c)) << "node " << outputs[i];
        }
    }
}

// Large enough for the threads to share the work.
TEST_P(ResidualBlocks, GiveTheSameBitsAtAnyNumberOfThreads) {
    constexpr Index many = 3000;
    const Propagation propagation = operators(GetParam(), many, 9000);
    const auto network = make_network(GetParam(), {}, {40, classes, many, propagation.blocks});
    const ReceptiveField field =
        whole_field(propagation, shared_features(many, 40, 0.1, 2), network->steps());
    const NetworkRun alone = run_network(*network, field, some_dropout, 1);
    for (const int threads : {2, 4}) {
        const NetworkRun together = run_network(*network, field, some_dropout, threads);
        EXPECT_TRUE(same_bits(alone.scores, together.scores));
        for (std::size_t k = 0; k < alone.gradients.size(); ++k)
            EXPECT_TRUE(same_bits(alone.gradients[k], together.gradients[k])) << "parameter " << k;
    }
}

TEST_P(ResidualBlocks, RefuseUnitsThatAreNoMultipleOf16) {
    for (const char* const hidden : {"0", "8", "100", "1040", "-16", "16.5", "x"}) {
        testing::expect_input_error([&] { make_residual(GetParam(), 1, hidden); },
                                    {"hidden: expected a multiple of 16 in 16..1024, got"});
    }
    EXPECT_NE(make_residual(GetParam(), 1, "1024"), nullptr);
}

}  // namespace
}  // namespace hwgcn::residual_network_test
