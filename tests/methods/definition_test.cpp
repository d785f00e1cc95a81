// The networks that read like one equation, computed once more from it in double precision.
#include <cmath>
#include <tuple>

#include <gtest/gtest.h>

#include "methods/network_runs.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::definition_test {
namespace {

using testing::dense;
using testing::DenseDouble;
using testing::Masks;
using testing::product;
using testing::random_propagation;
using testing::run_network;
using testing::shared_features;
using testing::zeros;

constexpr Index nodes = 40;
constexpr Index feature_count = 21;
constexpr Index classes = 3;

struct SmallOptions {
    int layers = 3;
    int propagations = 4;
    double teleport = 0.2;
    double input_dropout = 0.5;
    double hidden_dropout = 0.5;
};

// The same as settings, of which each network has some.
std::unique_ptr<Network> small_network(const std::string& method) {
    const std::vector<Setting> settings = MethodSettings(method, "")
                                              .read_among({{"layers", "3"},
                                                           {"hidden", "7"},
                                                           {"propagations", "4"},
                                                           {"teleport", "0.2"},
                                                           {"input_dropout", "0.5"},
                                                           {"hidden_dropout", "0.5"}});
    return make_network(method, settings, {feature_count, classes, nodes});
}

DenseDouble relu(DenseDouble h) {
    for (std::vector<double>& row : h) {
        for (double& number : row)
            number = std::max(number, 0.0);
    }
    return h;
}

DenseDouble sum(double a, const DenseDouble& x, double b, const DenseDouble& y) {
    DenseDouble result = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t k = 0; k < x[i].size(); ++k)
            result[i][k] = a * x[i][k] + b * y[i][k];
    }
    return result;
}

DenseDouble with_bias(DenseDouble h, const std::vector<double>& bias) {
    for (std::vector<double>& row : h) {
        for (std::size_t k = 0; k < row.size(); ++k)
            row[k] += bias[k];
    }
    return h;
}

// Biases begin as zeros; after some training they, and everything else in a single row, are what they are.
std::vector<TrainableMatrix> trained_parameters(const Network& network) {
    std::vector<TrainableMatrix> parameters = network.initial_parameters(3);
    for (TrainableMatrix& parameter : parameters) {
        for (Index k = 0; parameter.value.rows() == 1 && k < parameter.value.columns(); ++k)
            parameter.value.at(0, k) += 0.3F - 0.2F * static_cast<float>(k % 4);
    }
    return parameters;
}

struct Definition {
    SmallOptions options;
    DenseDouble p;
    const CsrMatrix<float>* x = nullptr;
    std::vector<DenseDouble> theta;
    Masks masks;

    Definition(const std::vector<TrainableMatrix>& parameters, const Propagation& propagation,
               const CsrMatrix<float>& features, std::optional<DropoutSeed> dropout)
        : p(dense(*propagation.matrix)), x(&features), masks(dropout) {
        for (const TrainableMatrix& parameter : parameters)
            theta.push_back(dense(parameter.value));
    }

    DenseDouble first_product() { return product(masks.drop(*x, options.input_dropout), theta[0]); }

    // Each layer on the operator, or without it.
    DenseDouble layers(bool on_graph) {
        const auto spread = [&](const DenseDouble& h) { return on_graph ? product(p, h) : h; };
        DenseDouble h = first_product();
        for (int layer = 1; layer < options.layers; ++layer)
            h = product(masks.drop(relu(spread(h)), options.hidden_dropout), theta[layer]);
        return spread(h);
    }

    DenseDouble sgc() {
        DenseDouble z = first_product();
        for (int k = 0; k < options.propagations; ++k)
            z = product(p, z);
        return z;
    }

    DenseDouble appnp() {
        const DenseDouble h = product(masks.drop(relu(first_product()), options.hidden_dropout), theta[1]);
        DenseDouble z = h;
        for (int k = 0; k < options.propagations; ++k)
            z = sum(1 - options.teleport, product(p, z), options.teleport, h);
        return z;
    }

    DenseDouble gpr() {
        const DenseDouble hidden = relu(with_bias(first_product(), theta[1][0]));
        const DenseDouble h = product(masks.drop(hidden, options.hidden_dropout), theta[2]);
        DenseDouble z = zeros(nodes, classes), power = h;
        for (const double gamma : theta[4][0]) {
            z = sum(1, z, gamma, power);
            power = product(p, power);
        }
        return with_bias(z, theta[3][0]);
    }

    DenseDouble scores(const std::string& name) {
        return name == "mlp"     ? layers(false)
               : name == "gcn"   ? layers(true)
               : name == "sgc"   ? sgc()
               : name == "appnp" ? appnp()
                                 : gpr();
    }
};

class NetworkByDefinition : public ::testing::TestWithParam<std::tuple<std::string, bool>> {};

TEST_P(NetworkByDefinition, ComputesItsEquation) {
    const auto& [name, training] = GetParam();
    const Propagation propagation = random_propagation(nodes, 60, 0.03, 1);
    const auto features = shared_features(nodes, feature_count, 0.3, 2);
    const auto network = small_network(name);
    const std::optional<DropoutSeed> dropout = training ? std::optional(DropoutSeed{9, 4}) : std::nullopt;
    const std::vector<TrainableMatrix> parameters = trained_parameters(*network);
    const ReceptiveField field = whole_field(propagation, features, network->steps());
    const DenseMatrix found = run_network(*network, parameters, field, dropout).scores;
    const DenseDouble expected = Definition(parameters, propagation, *features, dropout).scores(name);
    ASSERT_EQ(found.columns(), classes);
    for (Index i = 0; i < nodes; ++i) {
        for (Index c = 0; c < classes; ++c)
            EXPECT_NEAR(found.at(i, c), expected[i][c], 2e-5) << "node " << i << ", class " << c;
    }
}
INSTANTIATE_TEST_SUITE_P(Name, NetworkByDefinition,
                         ::testing::Combine(::testing::Values("mlp", "gcn", "sgc", "appnp", "hwgpr"),
                                            ::testing::Bool()),
                         [](const auto& test) {
                             return std::get<0>(test.param) + (std::get<1>(test.param) ? "_training" : "");
                         });

TEST(Gpr, BeginsWithTheCoefficientsOfAppnpAndWithoutBias) {
    const auto network = small_network("hwgpr");
    const std::vector<TrainableMatrix> parameters = network->initial_parameters(3);
    const DenseMatrix& gamma = parameters.at(4).value;
    ASSERT_EQ(gamma.columns(), 5);
    for (Index s = 0; s < 5; ++s)
        EXPECT_NEAR(gamma.at(0, s), (s == 4 ? 1.0 : 0.2) * std::pow(0.8, s), 1e-6);
    for (const std::size_t bias : {std::size_t{1}, std::size_t{3}}) {
        for (const float number : parameters[bias].value.numbers())
            EXPECT_EQ(number, 0.0F);
    }
}

// A node keeps all of its features, scaled up, or none: of a linear network, whole terms are left out.
TEST(NodeDropout, NodesLoseAllFeaturesAndTheOthersAreScaledUp) {
    const auto features = shared_features(nodes, feature_count, 0.3, 2);
    const auto network =
        make_network("mlp", {{"layers", "1"}, {"input_dropout", "0"}}, {feature_count, classes, nodes});
    const ReceptiveField field = whole_field(random_propagation(nodes, 60, 0.03, 1), features, 0);
    const DenseMatrix whole = run_network(*network, field, std::nullopt).scores;
    const DenseMatrix some = run_network(*network, field, DropoutSeed{9, 4, 0, 0.25}).scores;
    int lost = 0;
    for (Index i = 0; i < nodes; ++i) {
        const bool kept = some.at(i, 0) != 0.0F;
        lost += kept ? 0 : 1;
        for (Index c = 0; c < classes; ++c)
            EXPECT_NEAR(some.at(i, c), kept ? whole.at(i, c) / 0.75F : 0.0F, 1e-5) << "node " << i;
    }
    EXPECT_GT(lost, 2);
    EXPECT_LT(lost, 25);
}

}  // namespace
}  // namespace hwgcn::definition_test
