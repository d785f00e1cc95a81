#include <cmath>
#include <tuple>

#include <gtest/gtest.h>

#include "base/parameter.hpp"
#include "methods/network_runs.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::gat_test {
namespace {

using testing::dense;
using testing::DenseDouble;
using testing::Masks;
using testing::product;
using testing::random_propagation;
using testing::run_network;
using testing::shared_features;
using testing::zeros;

struct GatOptions {
    int layers;
    int heads;
    int output_heads;
    double input_dropout = 0.3;
    double hidden_dropout = 0.4;
    double attention_dropout = 0.2;
};

std::unique_ptr<Network> make_gat(const GatOptions& options) {
    return make_network("gat",
                        {{"layers", value_text(options.layers)},
                         {"hidden", "5"},
                         {"heads", value_text(options.heads)},
                         {"output_heads", value_text(options.output_heads)},
                         {"input_dropout", value_text(options.input_dropout)},
                         {"hidden_dropout", value_text(options.hidden_dropout)},
                         {"attention_dropout", value_text(options.attention_dropout)}},
                        {11, 3});
}

struct Layer {
    DenseDouble theta, self, neighbor, bias;
    Index heads;
    bool last;
};

// One layer as it is published: loops over heads, nodes and neighbors. The masks are drawn in the network's
// order: input, coefficients, values.
DenseDouble layer_by_definition(const CsrMatrix<float>& p, const DenseDouble& input, const Layer& layer,
                                Masks& masks, double value_rate, double attention_rate) {
    const DenseDouble g = product(input, layer.theta);
    const auto columns = static_cast<Index>(g[0].size());
    const auto units = columns / layer.heads;
    const std::size_t stride = row_stride(layer.heads);
    masks.draw(static_cast<std::size_t>(p.entries()) * stride, attention_rate);
    std::vector<double> keep;
    for (std::size_t bit = 0; bit < static_cast<std::size_t>(p.entries()) * stride; ++bit)
        keep.push_back(masks.factor(bit));
    const DenseDouble values = masks.drop(g, value_rate);
    DenseDouble out = zeros(p.rows, layer.last ? units : columns);
    for (Index head = 0; head < layer.heads; ++head) {
        const auto score = [&](const DenseDouble& vector, Index node) {
            double sum = 0;
            for (Index unit = 0; unit < units; ++unit)
                sum += vector[0][unit * layer.heads + head] * g[node][unit * layer.heads + head];
            return sum;
        };
        for (Index i = 0; i < p.rows; ++i) {
            double total = 0;
            std::vector<double> sum(static_cast<std::size_t>(units), 0.0);
            for (std::int64_t e = p.offsets[i]; e < p.offsets[i + 1]; ++e) {
                const Index j = p.indices[e];
                const double x = score(layer.self, i) + score(layer.neighbor, j);
                const double share = std::exp(x > 0 ? x : 0.2 * x);
                const double kept = share * keep[static_cast<std::size_t>(e) * stride + head];
                total += share;
                for (Index unit = 0; unit < units; ++unit)
                    sum[unit] += kept * values[j][unit * layer.heads + head];
            }
            for (Index unit = 0; unit < units; ++unit) {
                if (layer.last) {
                    out[i][unit] += sum[unit] / total / layer.heads;
                } else {
                    out[i][unit * layer.heads + head] = sum[unit] / total;
                }
            }
        }
    }
    for (std::vector<double>& row : out) {
        for (std::size_t k = 0; k < row.size(); ++k)
            row[k] += layer.bias[0][k];
    }
    return out;
}

DenseDouble gat_by_definition(const Network& network, const GatOptions& options, const CsrMatrix<float>& p,
                              const CsrMatrix<float>& x, std::optional<DropoutSeed> dropout) {
    const std::vector<TrainableMatrix> parameters = network.initial_parameters(3);
    Masks masks(dropout);
    DenseDouble h = masks.drop(x, options.input_dropout);
    for (int layer = 1; layer <= options.layers; ++layer) {
        const auto first = static_cast<std::size_t>(4 * (layer - 1));
        const bool last = layer == options.layers;
        const auto matrix = [&](std::size_t k) { return dense(parameters[first + k].value); };
        if (layer > 1) {
            for (std::vector<double>& row : h) {
                for (double& number : row)
                    number = number > 0 ? number : std::expm1(number);
            }
            h = masks.drop(h, options.hidden_dropout);
        }
        const Layer own{
            matrix(0), matrix(1), matrix(2), matrix(3), last ? options.output_heads : options.heads, last};
        h = layer_by_definition(p, h, own, masks, layer == 1 ? options.input_dropout : options.hidden_dropout,
                                options.attention_dropout);
    }
    return h;
}

class GatOfShape : public ::testing::TestWithParam<std::tuple<int, int, int, bool>> {};

TEST_P(GatOfShape, ComputesItsDefinition) {
    const auto [layers, heads, output_heads, training] = GetParam();
    const GatOptions options{layers, heads, output_heads};
    const Propagation propagation = random_propagation(25, 40, 0.03, 1);
    const auto features = shared_features(25, 11, 0.4, 2);
    const auto network = make_gat(options);
    const std::optional<DropoutSeed> dropout = training ? std::optional(DropoutSeed{9, 4}) : std::nullopt;
    const DenseMatrix scores =
        run_network(*network, whole_field(propagation, features, network->steps()), dropout).scores;
    const DenseDouble expected =
        gat_by_definition(*network, options, *propagation.matrix, *features, dropout);
    ASSERT_EQ(scores.columns(), 3);
    for (Index i = 0; i < 25; ++i) {
        for (Index c = 0; c < 3; ++c)
            EXPECT_NEAR(scores.at(i, c), expected[i][c], 2e-5) << "node " << i << ", class " << c;
    }
}
INSTANTIATE_TEST_SUITE_P(Shapes, GatOfShape,
                         ::testing::Combine(::testing::Values(1, 2, 3), ::testing::Values(8, 3),
                                            ::testing::Values(1, 8), ::testing::Bool()));

TEST(Gat, LooksOnlyAtWhereTheOperatorHasEntries) {
    Propagation propagation = random_propagation(25, 40, 0.03, 1);
    const auto features = shared_features(25, 11, 0.4, 2);
    const auto network = make_gat({2, 8, 1});
    const DenseMatrix scores =
        run_network(*network, whole_field(propagation, features, 2), std::nullopt).scores;
    CsrMatrix<float> changed = *propagation.matrix;
    for (float& value : changed.values)
        value *= 3.0F;
    propagation.transposed = std::make_shared<const CsrMatrix<float>>(transposed(changed));
    propagation.matrix = std::make_shared<const CsrMatrix<float>>(std::move(changed));
    EXPECT_TRUE(testing::same_bits(
        scores, run_network(*network, whole_field(propagation, features, 2), std::nullopt).scores));
}

TEST(Gat, StartsEveryHeadWithinItsOwnGlorotLimits) {
    const auto network = make_gat({2, 8, 4});
    const std::vector<TrainableMatrix> parameters = network->initial_parameters(1);
    ASSERT_EQ(parameters.size(), 8U);
    const auto largest = [&](std::size_t k) {
        double result = 0;
        for (const float number : parameters[k].value.numbers())
            result = std::max(result, std::abs(static_cast<double>(number)));
        return result;
    };
    EXPECT_LE(largest(0), std::sqrt(6.0 / (11 + 5)));
    EXPECT_GT(largest(0), 0.9 * std::sqrt(6.0 / (11 + 5)));
    EXPECT_LE(largest(1), std::sqrt(6.0 / (1 + 5)));
    EXPECT_LE(largest(4), std::sqrt(6.0 / (40 + 3)));
    EXPECT_GT(largest(4), 0.9 * std::sqrt(6.0 / (40 + 3)));
    EXPECT_EQ(largest(3), 0.0);
    EXPECT_NE(parameters[0].value.at(0, 0), parameters[0].value.at(0, 1));
    EXPECT_TRUE(parameters[4].decays);
    EXPECT_FALSE(parameters[7].decays);
}

}  // namespace
}  // namespace hwgcn::gat_test
