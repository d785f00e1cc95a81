#include <cmath>

#include <gtest/gtest.h>

#include "base/parameter.hpp"
#include "methods/network_runs.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::mixhop_test {
namespace {

using testing::dense;
using testing::DenseDouble;
using testing::Masks;
using testing::product;
using testing::random_propagation;
using testing::run_network;
using testing::shared_features;
using testing::zeros;

constexpr Index nodes = 25;
constexpr Index feature_count = 11;
constexpr Index classes = 3;

constexpr double input_dropout = 0.3;
constexpr double hidden_dropout = 0.6;

std::unique_ptr<Network> make_mixhop(const std::vector<int>& power_units,
                                     const std::vector<Setting>& more = {}) {
    std::string units;
    for (const int count : power_units)
        units += (units.empty() ? "" : ",") + value_text(count);
    std::vector<Setting> settings = {{"power_units", units},
                                     {"output_blocks", ""},
                                     {"activation", "tanh"},
                                     {"batch_scale", "learned"},
                                     {"input_dropout", value_text(input_dropout)},
                                     {"hidden_dropout", value_text(hidden_dropout)}};
    settings.insert(settings.end(), more.begin(), more.end());
    return make_network("mixhop", settings, {feature_count, classes});
}

// [ H Theta_0 | P H Theta_1 | P P H Theta_2 | .. ], each power on its own.
DenseDouble layer_by_definition(const DenseDouble& p, const DenseDouble& h, const DenseDouble& theta,
                                const std::vector<int>& units) {
    const DenseDouble all = product(h, theta);
    DenseDouble result(h.size());
    std::size_t first = 0;
    for (std::size_t power = 0; power < units.size(); ++power) {
        DenseDouble block;
        for (const std::vector<double>& row : all) {
            const auto begin = row.begin() + static_cast<std::ptrdiff_t>(first);
            block.emplace_back(begin, begin + units[power]);
        }
        for (std::size_t k = 0; k < power; ++k)
            block = product(p, block);
        for (std::size_t i = 0; i < h.size(); ++i)
            result[i].insert(result[i].end(), block[i].begin(), block[i].end());
        first += static_cast<std::size_t>(units[power]);
    }
    return result;
}

void scale_rows_to_length_1(DenseDouble& x) {
    for (std::vector<double>& row : x) {
        double squares = 0;
        for (const double number : row)
            squares += number * number;
        for (double& number : row)
            number = squares > 0 ? number / std::sqrt(squares) : number;
    }
}

// Learned scale and offset are 1 and 0 at the start.
void standardize_columns(DenseDouble& h) {
    const auto rows = static_cast<double>(h.size());
    for (std::size_t k = 0; k < h[0].size(); ++k) {
        double mean = 0;
        double variance = 0;
        for (const std::vector<double>& row : h)
            mean += row[k] / rows;
        for (const std::vector<double>& row : h)
            variance += (row[k] - mean) * (row[k] - mean) / rows;
        for (std::vector<double>& row : h)
            row[k] = (row[k] - mean) / std::sqrt(variance + 1e-3);
    }
}

// The function of the hidden units, and the blocks of scores for each power.
struct Variant {
    double (*activation)(double);
    std::vector<int> blocks;
};

double tanh_of(double x) {
    return std::tanh(x);
}

double relu_of(double x) {
    return x > 0 ? x : 0;
}

DenseDouble mixhop_by_definition(const Network& network, const std::vector<int>& units,
                                 const Variant& variant, const CsrMatrix<float>& p, const CsrMatrix<float>& x,
                                 std::optional<DropoutSeed> dropout) {
    const std::vector<TrainableMatrix> parameters = network.initial_parameters(3);
    std::vector<int> output_units;
    double blocks = 0;
    for (const int count : variant.blocks) {
        output_units.push_back(count * classes);
        blocks += count;
    }
    Masks masks(dropout);
    DenseDouble h = masks.drop(x, input_dropout);
    scale_rows_to_length_1(h);
    h = layer_by_definition(dense(p), h, dense(parameters[0].value), units);
    standardize_columns(h);
    for (std::vector<double>& row : h) {
        for (double& number : row)
            number = variant.activation(number);
    }
    h = masks.drop(h, hidden_dropout);
    h = layer_by_definition(dense(p), h, dense(parameters[3].value), output_units);
    DenseDouble scores = zeros(nodes, classes);
    for (Index i = 0; i < nodes; ++i) {
        for (std::size_t k = 0; k < h[0].size(); ++k)
            scores[i][k % classes] += h[i][k] / blocks;
    }
    return scores;
}

void expect_definition(const Network& network, const std::vector<int>& units, const Variant& variant,
                       bool training) {
    const Propagation propagation = random_propagation(nodes, 40, 0.03, 1);
    const auto features = shared_features(nodes, feature_count, 0.3, 2);
    const std::optional<DropoutSeed> dropout = training ? std::optional(DropoutSeed{9, 4}) : std::nullopt;
    const DenseMatrix scores =
        run_network(network, whole_field(propagation, features, network.steps()), dropout).scores;
    const DenseDouble expected =
        mixhop_by_definition(network, units, variant, *propagation.matrix, *features, dropout);
    ASSERT_EQ(scores.columns(), classes);
    for (Index i = 0; i < nodes; ++i) {
        for (Index c = 0; c < classes; ++c)
            EXPECT_NEAR(scores.at(i, c), expected[i][c], 2e-5) << "node " << i << ", class " << c;
    }
}

class MixHopOfPowers : public ::testing::TestWithParam<std::tuple<std::vector<int>, bool>> {};

TEST_P(MixHopOfPowers, ComputesItsDefinition) {
    const auto [units, training] = GetParam();
    expect_definition(*make_mixhop(units), units, {tanh_of, std::vector<int>(units.size(), 1)}, training);
}
INSTANTIATE_TEST_SUITE_P(
    Powers, MixHopOfPowers,
    ::testing::Combine(::testing::Values(std::vector<int>{5, 4, 3}, std::vector<int>{24, 18, 18},
                                         std::vector<int>{6}, std::vector<int>{2, 3, 4, 5}),
                       ::testing::Bool()));

TEST(MixHop, HasRectifiedUnitsAndAnyNumberOfBlocksPerPower) {
    const std::vector<int> units = {5, 4, 3};
    for (const bool training : {false, true}) {
        for (const std::vector<int>& blocks :
             {std::vector{1, 2, 1}, std::vector{0, 1, 1}, std::vector{2, 0, 1}, std::vector{1, 1, 0}}) {
            const std::string text =
                value_text(blocks[0]) + "," + value_text(blocks[1]) + "," + value_text(blocks[2]);
            const auto network = make_mixhop(units, {{"activation", "relu"}, {"output_blocks", text}});
            expect_definition(*network, units, {relu_of, blocks}, training);
            EXPECT_EQ(network->steps(), blocks[2] > 0 ? 4 : 3) << text;
        }
    }
}

TEST(MixHop, NeedsABlockOfScores) {
    EXPECT_THROW(make_mixhop({5, 4, 3}, {{"output_blocks", "0,0,0"}}), InputError);
}

TEST(MixHop, AScaleOfOneIsNotLearned) {
    for (const bool learned : {false, true}) {
        const auto network = make_mixhop({5, 4, 3}, {{"batch_scale", learned ? "learned" : "one"}});
        const ReceptiveField field =
            whole_field(random_propagation(nodes, 40, 0.03, 1), shared_features(nodes, feature_count, 0.3, 2),
                        network->steps());
        const DenseMatrix gradient = run_network(*network, field, std::nullopt).gradients[1];
        ASSERT_EQ(gradient.columns(), 12);
        for (Index k = 0; k < 12; ++k)
            EXPECT_EQ(gradient.at(0, k) != 0.0F, learned) << k;
    }
}

TEST(MixHop, TakesTwoStepsPerPowerAboveZeroAndNeedsAllNodes) {
    const auto network = make_mixhop({5, 4, 3});
    EXPECT_EQ(network->steps(), 4);
    EXPECT_TRUE(network->needs_all_nodes());
}

TEST(MixHop, WeightsOfThePowersAreLearned) {
    const auto network = make_mixhop({5, 4, 3});
    const ReceptiveField field = whole_field(random_propagation(nodes, 40, 0.03, 1),
                                             shared_features(nodes, feature_count, 0.3, 2), network->steps());
    const DenseMatrix gradient = run_network(*network, field, std::nullopt).gradients.back();
    ASSERT_EQ(gradient.columns(), 3);
    EXPECT_NE(gradient.at(0, 0), 0.0F);
    EXPECT_NEAR(gradient.at(0, 0) + gradient.at(0, 1) + gradient.at(0, 2), 0.0, 1e-6);
}

}  // namespace
}  // namespace hwgcn::mixhop_test
