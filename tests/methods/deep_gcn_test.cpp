// Deep graph convolutions with every kind of normalisation: their equation in double precision, with finite
// differences of it, what batch normalisation leaves for evaluation, and the same bits however it is
// computed.
#include <cmath>

#include <gtest/gtest.h>

#include "base/parameter.hpp"
#include "io/expect_input_error.hpp"
#include "methods/network_runs.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::deep_gcn_test {
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

constexpr Index nodes = 40;
constexpr Index feature_count = 11;
constexpr Index classes = 3;
constexpr int layers = 3;
constexpr double input_dropout = 0.3;
constexpr double hidden_dropout = 0.4;
const DropoutSeed some_dropout{9, 4};

// I, the symmetric operator and a ring: three side by side.
Propagation operators(Index count = nodes, int edges = 60) {
    const Graph graph(count, random_edges(count, edges, 1));
    PropagationOptions options;
    options.neighbors = Neighbors::symmetric;
    return build_separate_operators(graph, nullptr, random_weights(count, 1, 2.0 / count, 1), options);
}

std::unique_ptr<Network> make_deep(const std::string& norm, Index count = nodes) {
    return make_network("deep-gcn",
                        {{"layers", std::to_string(layers)},
                         {"hidden", "16"},
                         {"norm", norm},
                         {"input_dropout", value_text(input_dropout)},
                         {"hidden_dropout", value_text(hidden_dropout)}},
                        {feature_count, classes, count, 3});
}

// Nothing is 0 or 1 after some training; variances stay above 0.
std::vector<TrainableMatrix> trained_parameters(const Network& network) {
    std::vector<TrainableMatrix> parameters = network.initial_parameters(3);
    for (TrainableMatrix& parameter : parameters) {
        for (Index k = 0; parameter.value.rows() == 1 && k < parameter.value.columns(); ++k)
            parameter.value.at(0, k) += 0.3F - 0.2F * static_cast<float>(k % 4);
    }
    return parameters;
}

std::vector<DenseDouble> numbers_of(const std::vector<TrainableMatrix>& parameters) {
    std::vector<DenseDouble> numbers;
    for (const TrainableMatrix& parameter : parameters)
        numbers.push_back(dense(parameter.value));
    return numbers;
}

DenseDouble plus_row(DenseDouble x, const DenseDouble& row) {
    for (std::vector<double>& one : x) {
        for (std::size_t k = 0; k < one.size(); ++k)
            one[k] += row[0][k];
    }
    return x;
}

// (x - mean) / sqrt(variance + 1e-5) * scale + offset, by column.
DenseDouble by_columns(DenseDouble x, const DenseDouble& mean, const DenseDouble& variance,
                       const DenseDouble& scale, const DenseDouble& offset) {
    for (std::vector<double>& row : x) {
        for (std::size_t k = 0; k < row.size(); ++k)
            row[k] = (row[k] - mean[0][k]) / std::sqrt(variance[0][k] + 1e-5) * scale[0][k] + offset[0][k];
    }
    return x;
}

DenseDouble by_rows(DenseDouble x, const DenseDouble& scale, const DenseDouble& offset) {
    for (std::vector<double>& row : x) {
        double mean = 0, variance = 0;
        for (const double number : row)
            mean += number / static_cast<double>(row.size());
        for (const double number : row)
            variance += (number - mean) * (number - mean) / static_cast<double>(row.size());
        for (std::size_t k = 0; k < row.size(); ++k)
            row[k] = (row[k] - mean) / std::sqrt(variance + 1e-5) * scale[0][k] + offset[0][k];
    }
    return x;
}

// The equation, parameter after parameter.
class Definition {
  public:
    Definition(std::vector<DenseDouble> parameters, const Propagation& propagation, std::string norm,
               std::optional<DropoutSeed> dropout)
        : theta_(std::move(parameters)),
          p_(dense(*propagation.matrix)),
          blocks_(static_cast<std::size_t>(propagation.blocks)),
          norm_(std::move(norm)),
          training_(dropout.has_value()),
          masks_(dropout) {}

    DenseDouble scores(const CsrMatrix<float>& features) {
        DenseDouble x = first_product(masks_.drop(features, input_dropout));
        for (int layer = 1; layer <= layers; ++layer) {
            if (layer > 1) x = product(side_by_side(x), next());
            x = normalized(x);
            for (std::vector<double>& row : x) {
                for (double& number : row)
                    number = std::max(number, 0.0);
            }
            x = masks_.drop(x, hidden_dropout);
        }
        const DenseDouble& output = next();
        const DenseDouble z = plus_row(product(x, output), next());
        EXPECT_EQ(next_, theta_.size());
        return z;
    }

    // Means and variances of the layers, as they were found.
    std::vector<DenseDouble> found;

  private:
    const DenseDouble& next() { return theta_[next_++]; }

    // Rows of P_b, row i of each in turn.
    DenseDouble side_by_side(const DenseDouble& x) const {
        const DenseDouble all = product(p_, x);
        DenseDouble result(x.size());
        for (std::size_t row = 0; row < all.size(); ++row) {
            std::vector<double>& target = result[row / blocks_];
            target.insert(target.end(), all[row].begin(), all[row].end());
        }
        return result;
    }

    // The sum over b of P_b X W_b, the W_b being blocks of columns: [ P_1 X | P_2 X | .. ] times the blocks
    // below each other.
    DenseDouble first_product(const DenseDouble& x) {
        const DenseDouble& beside = next();
        const std::size_t columns = beside[0].size() / blocks_;
        DenseDouble below;
        for (std::size_t b = 0; b < blocks_; ++b) {
            for (const std::vector<double>& row : beside) {
                const auto begin = row.begin() + static_cast<std::ptrdiff_t>(b * columns);
                below.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(columns));
            }
        }
        return product(side_by_side(x), below);
    }

    DenseDouble normalized(const DenseDouble& x) {
        const DenseDouble& offset = next();
        if (norm_ == "none") return plus_row(x, offset);
        const DenseDouble& scale = next();
        if (norm_ == "layer") return by_rows(plus_row(x, next()), scale, offset);
        DenseDouble mean = next(), variance = next();
        if (training_) {
            mean = variance = zeros(1, static_cast<Index>(x[0].size()));
            const auto rows = static_cast<double>(x.size());
            for (const std::vector<double>& row : x) {
                for (std::size_t k = 0; k < row.size(); ++k)
                    mean[0][k] += row[k] / rows;
            }
            for (const std::vector<double>& row : x) {
                for (std::size_t k = 0; k < row.size(); ++k)
                    variance[0][k] += (row[k] - mean[0][k]) * (row[k] - mean[0][k]) / rows;
            }
            found.push_back(mean);
            found.push_back(variance);
        }
        return by_columns(x, mean, variance, scale, offset);
    }

    std::vector<DenseDouble> theta_;
    DenseDouble p_;
    std::size_t blocks_;
    std::string norm_;
    bool training_;
    Masks masks_;
    std::size_t next_ = 0;
};

class DeepGcnWith : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Norm, DeepGcnWith, ::testing::Values("batch", "layer", "none"),
                         [](const auto& test) { return test.param; });

TEST_P(DeepGcnWith, ComputesItsEquation) {
    const Propagation propagation = operators();
    const auto features = shared_features(nodes, feature_count, 0.3, 2);
    const auto network = make_deep(GetParam());
    EXPECT_EQ(network->steps(), layers);
    const std::vector<TrainableMatrix> parameters = trained_parameters(*network);
    const ReceptiveField field = whole_field(propagation, features, layers);
    for (const auto& dropout : {std::optional(some_dropout), std::optional<DropoutSeed>()}) {
        const DenseMatrix found = run_network(*network, parameters, field, dropout).scores;
        const DenseDouble expected =
            Definition(numbers_of(parameters), propagation, GetParam(), dropout).scores(*features);
        ASSERT_EQ(found.columns(), classes);
        for (Index i = 0; i < nodes; ++i) {
            for (Index c = 0; c < classes; ++c)
                EXPECT_NEAR(found.at(i, c), expected[i][c], 2e-4) << "node " << i << ", class " << c;
        }
    }
}

double loss_of(const DenseDouble& scores) {
    double sum = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        double total = 0;
        for (const double score : scores[i])
            total += std::exp(score);
        sum += std::log(total) - scores[i][i % 3];
    }
    return sum / static_cast<double>(scores.size());
}

// Differences of the equation in double precision: so small that no unit crosses zero.
TEST_P(DeepGcnWith, HasTheGradientsOfFiniteDifferences) {
    const Propagation propagation = operators();
    const auto features = shared_features(nodes, feature_count, 0.3, 2);
    const auto network = make_deep(GetParam());
    const std::vector<TrainableMatrix> parameters = trained_parameters(*network);
    const std::vector<DenseMatrix> gradients =
        run_network(*network, parameters, whole_field(propagation, features, layers), some_dropout).gradients;
    const std::vector<DenseDouble> numbers = numbers_of(parameters);
    double largest = 0;
    for (std::size_t n = 0; n < numbers.size(); ++n) {
        const auto columns = numbers[n][0].size();
        for (std::size_t k = 0; k < numbers[n].size() * columns; k += 13) {
            const auto loss_at = [&](double way) {
                std::vector<DenseDouble> moved = numbers;
                moved[n][k / columns][k % columns] += way;
                return loss_of(Definition(moved, propagation, GetParam(), some_dropout).scores(*features));
            };
            const double slope = (loss_at(1e-6) - loss_at(-1e-6)) / 2e-6;
            const double found =
                gradients[n].at(static_cast<Index>(k / columns), static_cast<Index>(k % columns));
            ASSERT_NEAR(found, slope, 1e-4 * std::max(1.0, std::abs(slope)))
                << parameters[n].name << " " << k;
            largest = std::max(largest, std::abs(found));
        }
    }
    EXPECT_GT(largest, 0.02);
}

// In evaluation of every network, in training where nothing is taken over all nodes.
TEST_P(DeepGcnWith, GivesTheSameBitsInARestrictedField) {
    const Propagation propagation = operators();
    const auto features = shared_features(nodes, feature_count, 0.3, 2);
    const auto network = make_deep(GetParam());
    EXPECT_EQ(network->needs_all_nodes(), GetParam() == "batch");
    const std::vector<TrainableMatrix> parameters = trained_parameters(*network);
    const std::vector<Index> outputs = {3, 7, 17, 20, 29};
    const ReceptiveField part = receptive_field(propagation, features, outputs, layers);
    for (const auto& dropout : {std::optional(some_dropout), std::optional<DropoutSeed>()}) {
        if (dropout && GetParam() == "batch") continue;
        const DenseMatrix found = run_network(*network, parameters, part, dropout).scores;
        const ReceptiveField whole = whole_field(propagation, features, layers);
        const DenseMatrix all = run_network(*network, parameters, whole, dropout).scores;
        for (Index i = 0; i < found.rows(); ++i) {
            for (Index c = 0; c < classes; ++c)
                EXPECT_EQ(found.at(i, c), all.at(outputs[i], c)) << "node " << outputs[i];
        }
    }
}

TEST_P(DeepGcnWith, GivesTheSameBitsAtAnyNumberOfThreads) {
    constexpr Index many = 3000;
    const Propagation propagation = operators(many, 9000);
    const auto network = make_network("wide-gcn", {{"norm", GetParam()}, {"hidden", "64"}, {"layers", "2"}},
                                      {40, classes, many, propagation.blocks});
    const ReceptiveField field = whole_field(propagation, shared_features(many, 40, 0.1, 2), 2);
    const NetworkRun alone = run_network(*network, field, some_dropout, 1);
    for (const int threads : {2, 4}) {
        const NetworkRun together = run_network(*network, field, some_dropout, threads);
        EXPECT_TRUE(same_bits(alone.scores, together.scores));
        for (std::size_t k = 0; k < alone.gradients.size(); ++k)
            EXPECT_TRUE(same_bits(alone.gradients[k], together.gradients[k])) << "parameter " << k;
    }
}

// What passes find is what the equation finds, and goes to the parameters that evaluation reads.
TEST(DeepGcn, PassesObserveMeansAndVariancesOfEveryLayer) {
    const Propagation propagation = operators();
    const auto features = shared_features(nodes, feature_count, 0.3, 2);
    const auto network = make_deep("batch");
    const std::vector<TrainableMatrix> parameters = trained_parameters(*network);
    Definition definition(numbers_of(parameters), propagation, "batch", some_dropout);
    definition.scores(*features);
    ASSERT_EQ(definition.found.size(), std::size_t{2 * layers});

    const ReceptiveField field = whole_field(propagation, features, layers);
    Workspace workspace;
    const ExecutionControl control{.threads = 1};
    Tape tape(workspace, control, false);
    std::vector<Variable> variables;
    for (const TrainableMatrix& parameter : parameters)
        variables.push_back(tape.constant(parameter.value));
    Pass pass(tape, field, variables, some_dropout);
    network->scores(pass);
    ASSERT_EQ(pass.observed().size(), definition.found.size());
    for (std::size_t k = 0; k < definition.found.size(); ++k) {
        const Pass::Observation& found = pass.observed()[k];
        const std::string layer = "layer" + std::to_string(k / 2 + 1);
        const TrainableMatrix& target = parameters[found.parameter];
        EXPECT_EQ(target.name, layer + (k % 2 == 0 ? "_mean" : "_variance"));
        EXPECT_FALSE(target.decays);
        for (Index c = 0; c < found.value.columns; ++c)
            EXPECT_NEAR(found.value.at(0, c), definition.found[k][0][c], 1e-4) << target.name;
    }
}

TEST(DeepGcn, HasThreeRecipesOfOneNetwork) {
    const auto value = [](const char* method, const char* name) {
        return MethodSettings(method, "").value(name);
    };
    for (const char* const method : {"deep-gcn", "wide-gcn", "layer-gcn"}) {
        EXPECT_EQ(MethodSettings(method, "").network(), "deep-gcn");
        EXPECT_EQ(value(method, "neighbors"), "symmetric");
        EXPECT_EQ(value(method, "operator"), "plain");
    }
    EXPECT_EQ(value("deep-gcn", "layers") + " " + value("deep-gcn", "hidden"), "12 64");
    EXPECT_EQ(value("wide-gcn", "layers") + " " + value("wide-gcn", "hidden"), "4 256");
    EXPECT_EQ(value("layer-gcn", "layers") + " " + value("layer-gcn", "norm"), "3 layer");
}

TEST(DeepGcn, RefusesUnitsThatAreNoMultipleOf16) {
    testing::expect_input_error(
        [] {
            make_network("deep-gcn", {{"hidden", "100"}}, {feature_count, classes, nodes, 2});
        },
        {"hidden: expected a multiple of 16 in 16..1024, got '100'"});
}

}  // namespace
}  // namespace hwgcn::deep_gcn_test
