#include <string>

#include <gtest/gtest.h>

#include "methods/different_networks.hpp"
#include "methods/network_runs.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::same_bits_test {
namespace {

using testing::NetworkRun;
using testing::random_edges;
using testing::random_propagation;
using testing::run_network;
using testing::same_bits;
using testing::shared_features;

const DropoutSeed dropout_rate{9, 4};

// Two passes of one step: their scores, and the gradients of the sum of both losses.
struct TwoPasses {
    std::vector<DenseMatrix> scores;
    std::vector<DenseMatrix> gradients;
};

TwoPasses run_two(const Network& network, const ReceptiveField& field, bool together) {
    const std::vector<TrainableMatrix> parameters = network.initial_parameters(3);
    Workspace workspace;
    const ExecutionControl control{.threads = 1};
    Tape tape(workspace, control, true);
    TwoPasses result;
    for (const TrainableMatrix& parameter : parameters)
        result.gradients.emplace_back(parameter.value.rows(), parameter.value.columns());
    std::vector<Variable> variables;
    for (std::size_t k = 0; k < parameters.size(); ++k)
        variables.push_back(tape.parameter(parameters[k].value, result.gradients[k]));
    const testing::MadeUpLabels known(*field.outputs);
    std::vector<Pass> passes;
    for (const std::uint32_t number : {0U, 1U})
        passes.emplace_back(tape, field, variables, DropoutSeed{9, 4, number, 0.3})
            .set_labels({known.rows, known.labels});
    const std::vector<Variable> scores =
        together ? network.scores_of(passes)
                 : std::vector{network.scores(passes[0]), network.scores(passes[1])};
    for (const Variable score : scores) {
        const ConstMatrixView value = tape.value(score);
        DenseMatrix& copy = result.scores.emplace_back(value.rows, value.columns);
        std::memcpy(copy.numbers().data(), value.data, copy.numbers().size_bytes());
    }
    tape.backward(combine(tape, 0.5F, cross_entropy(tape, scores[0], known.labels), 0.5F,
                          cross_entropy(tape, scores[1], known.labels)));
    return result;
}

// With all that passes in training read.
ReceptiveField field_for(const Network& network, const Propagation& propagation,
                         const SharedFeatures& features, const std::vector<Index>& outputs = {}) {
    ReceptiveField field = outputs.empty() ? whole_field(propagation, features, network.steps())
                                           : field_of(network, propagation, features, outputs);
    add_training_input(field, network, propagation, features, {1});
    return field;
}

// With dropout, which SGC has only where it is asked for.
std::unique_ptr<Network> with_dropout(const std::string& method, NetworkShape shape) {
    return make_network(method, {{"input_dropout", "0.5"}}, shape);
}

class NetworkCalled : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Name, NetworkCalled, ::testing::ValuesIn(testing::different_networks()),
                         [](const auto& name) { return testing::test_name(name.param); });

TEST_P(NetworkCalled, GivesTheSameBitsInARestrictedFieldAsInTheWholeOne) {
    const Propagation propagation = random_propagation(60, 70, 0.01, 1);
    const auto features = shared_features(60, 30, 0.2, 2);
    const auto network = with_dropout(GetParam(), {30, 7, 60});
    if (network->needs_all_nodes()) {
        EXPECT_TRUE(GetParam() == "mixhop" || GetParam() == "semiemb" || GetParam() == "planetoid" ||
                    GetParam() == "deep-gcn");
        return;
    }
    const std::vector<Index> outputs = {3, 17, 31, 32, 58};
    const ReceptiveField restricted = field_for(*network, propagation, features, outputs);
    const ReceptiveField whole = field_for(*network, propagation, features);
    for (const std::optional<DropoutSeed> dropout :
         {std::optional(dropout_rate), std::optional<DropoutSeed>()}) {
        const DenseMatrix part = run_network(*network, restricted, dropout).scores;
        const DenseMatrix all = run_network(*network, whole, dropout).scores;
        ASSERT_EQ(part.rows(), 5);
        for (Index i = 0; i < 5; ++i) {
            for (Index c = 0; c < 7; ++c)
                EXPECT_EQ(part.at(i, c), all.at(outputs[i], c)) << "node " << outputs[i] << ", class " << c;
        }
    }
}

// Large enough for the threads to share the work.
TEST_P(NetworkCalled, GivesTheSameBitsAtAnyNumberOfThreads) {
    const Index nodes = 3000;
    const Propagation propagation = build_propagation(Graph(nodes, random_edges(nodes, 10000, 1)));
    const auto features = shared_features(nodes, 120, 0.1, 2);
    const std::vector<Setting> settings =
        MethodSettings(GetParam(), "")
            .read_among({{"input_dropout", "0.5"}, {"hidden", GetParam() == "gat" ? "8" : "64"}});
    const auto network = make_network(GetParam(), settings, {120, 7, nodes});
    const ReceptiveField field = field_for(*network, propagation, features);
    const NetworkRun alone = run_network(*network, field, dropout_rate, 1);
    const NetworkRun together = run_network(*network, field, dropout_rate, 3);
    EXPECT_TRUE(same_bits(alone.scores, together.scores));
    EXPECT_EQ(alone.penalties, together.penalties);
    for (std::size_t k = 0; k < alone.gradients.size(); ++k)
        EXPECT_TRUE(same_bits(alone.gradients[k], together.gradients[k])) << "parameter " << k;
}

TEST_P(NetworkCalled, GivesPassesTogetherTheBitsThatEachHasAlone) {
    const Propagation propagation = random_propagation(60, 70, 0.01, 1);
    const auto network = with_dropout(GetParam(), {30, 7, 60});
    const ReceptiveField field = field_for(*network, propagation, shared_features(60, 30, 0.2, 2));
    const TwoPasses alone = run_two(*network, field, false);
    const TwoPasses together = run_two(*network, field, true);
    for (std::size_t p = 0; p < 2; ++p)
        EXPECT_TRUE(same_bits(alone.scores[p], together.scores[p])) << "pass " << p;
    EXPECT_FALSE(same_bits(alone.scores[0], alone.scores[1]));
    for (std::size_t k = 0; k < alone.gradients.size(); ++k)
        EXPECT_TRUE(same_bits(alone.gradients[k], together.gradients[k])) << "parameter " << k;
}

TEST_P(NetworkCalled, DropsSomethingElseInEveryEpoch) {
    const Propagation propagation = random_propagation(60, 70, 0.01, 1);
    const auto network = with_dropout(GetParam(), {30, 7, 60});
    const ReceptiveField field = field_for(*network, propagation, shared_features(60, 30, 0.2, 2));
    const DenseMatrix first = run_network(*network, field, DropoutSeed{9, 1}).scores;
    EXPECT_TRUE(same_bits(first, run_network(*network, field, DropoutSeed{9, 1}).scores));
    EXPECT_FALSE(same_bits(first, run_network(*network, field, DropoutSeed{9, 2}).scores));
    EXPECT_FALSE(same_bits(first, run_network(*network, field, DropoutSeed{8, 1}).scores));
}

TEST_P(NetworkCalled, RefusesSettingsOutOfRange) {
    try {
        make_network(GetParam(), {{"input_dropout", "1.5"}}, {30, 7});
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("input_dropout: expected"), std::string::npos);
    }
}

TEST(Networks, AnUnknownNameIsRefusedWithTheNearestOne) {
    try {
        make_network("gta", {}, {30, 7});
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("gat"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace hwgcn::same_bits_test
