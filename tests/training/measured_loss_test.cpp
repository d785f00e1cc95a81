// The numbers of an epoch, computed once more from what the network says.
#include <cmath>

#include <gtest/gtest.h>

#include "training/fit_options.hpp"
#include "training/small_problem.hpp"
#include "training/training_loss.hpp"

namespace hwgcn::testing::measured_loss_test {
namespace {

// Of some nodes by the parameters of a state, without dropout.
struct Judged {
    double loss = 0;
    double accuracy = 0;
};

Judged judge_by_hand(const SmallProblem& problem, const FitState& state, const std::vector<Index>& nodes) {
    const auto network = problem.make();
    const DenseMatrix p = predict(*network, state.current,
                                  whole_field(problem.propagation, problem.features, network->steps()), {1});
    Judged judged;
    for (const Index node : nodes) {
        const Index label = problem.dataset.labels[node];
        judged.loss -= std::log(static_cast<double>(p.at(node, label))) / static_cast<double>(nodes.size());
        judged.accuracy += (argmax(p, node) == label ? 1.0 : 0.0) / static_cast<double>(nodes.size());
    }
    return judged;
}

TEST(EpochRecords, ValidationIsMeasuredAfterTheStepAndWithoutDropout) {
    const SmallProblem problem;
    FitState state = problem.start();
    for (int epoch = 1; epoch <= 4; ++epoch) {
        problem.go_on(state, 1);
        const Judged expected = judge_by_hand(problem, state, problem.split.validation);
        const EpochRecord& record = state.history.back();
        EXPECT_EQ(record.epoch, epoch);
        EXPECT_NEAR(record.validation_loss, expected.loss, 1e-5);
        EXPECT_NEAR(record.validation_accuracy, expected.accuracy, 1e-9);
    }
}

TEST(EpochRecords, TheTrainingLossIsThatBeforeTheStep) {
    SmallProblem problem;
    problem.drop_nothing();
    FitState state = problem.start();
    for (int epoch = 1; epoch <= 3; ++epoch) {
        const double before = judge_by_hand(problem, state, problem.split.train).loss;
        problem.go_on(state, 1);
        EXPECT_NEAR(state.history.back().train_loss, before, 1e-5);
    }
}

// One stochastic pass: its scores at all nodes.
DenseMatrix pass_scores(const SmallProblem& problem, const FitState& state, const ReceptiveField& field,
                        std::uint32_t number) {
    const auto network = problem.make();
    Workspace workspace;
    Tape tape(workspace, problem.control, false);
    std::vector<Variable> parameters;
    for (const TrainableMatrix& parameter : state.current)
        parameters.push_back(tape.constant(parameter.value));
    Pass pass(tape, field, parameters,
              DropoutSeed{state.seed, static_cast<std::uint32_t>(state.epoch), number, 0.4});
    const ConstMatrixView scores = tape.value(network->scores(pass));
    DenseMatrix result(scores.rows, scores.columns);
    std::copy_n(scores.data, scores.size(), result.numbers().begin());
    return result;
}

std::vector<double> softmax(const DenseMatrix& scores, Index row) {
    std::vector<double> p;
    double sum = 0;
    for (Index c = 0; c < scores.columns(); ++c)
        sum += p.emplace_back(std::exp(static_cast<double>(scores.at(row, c))));
    for (double& number : p)
        number /= sum;
    return p;
}

TEST(Consistency, BothPassesAreDrawnToTheirSharpenedMean) {
    SmallProblem problem;
    problem.options.scheme = Scheme::consistency;
    problem.options.node_dropout = 0.4;
    problem.options.consistency_weight = 3;
    const auto network = problem.make();
    const LabelledField train =
        labelled_field(*network, problem.propagation, problem.features, problem.split.train,
                       problem.dataset.labels, Extent::all_nodes);
    FitState state = problem.start();
    state.epoch = 200;  // beyond the ramp
    const DenseMatrix first = pass_scores(problem, state, train.field, 0);
    const DenseMatrix second = pass_scores(problem, state, train.field, 1);
    double distance = 0, first_alone = 0, cross_entropy = 0;
    for (Index i = 0; i < first.rows(); ++i) {
        const std::vector<double> p = softmax(first, i), q = softmax(second, i);
        double sum = 0;
        for (std::size_t c = 0; c < p.size(); ++c)
            sum += 0.25 * (p[c] + q[c]) * (p[c] + q[c]);
        for (std::size_t c = 0; c < p.size(); ++c) {
            const double target = 0.25 * (p[c] + q[c]) * (p[c] + q[c]) / sum;
            distance += 0.5 * ((p[c] - target) * (p[c] - target) + (q[c] - target) * (q[c] - target));
            first_alone += (p[c] - target) * (p[c] - target);
        }
    }
    for (const Index node : problem.split.train) {
        const auto label = static_cast<std::size_t>(problem.dataset.labels[node]);
        cross_entropy -=
            0.5 * (std::log(softmax(first, node)[label]) + std::log(softmax(second, node)[label]));
    }
    distance /= first.rows();
    first_alone /= first.rows();
    cross_entropy /= static_cast<double>(problem.split.train.size());

    Workspace workspace;
    Tape tape(workspace, problem.control, true);
    std::vector<Variable> parameters;
    for (const TrainableMatrix& parameter : state.current)
        parameters.push_back(tape.constant(parameter.value));
    const TrainingLoss loss = training_loss(tape, state, *network, train, {}, parameters, problem.options);
    EXPECT_NEAR(tape.value(loss.cross_entropy).at(0, 0), cross_entropy, 1e-5);
    EXPECT_NEAR(tape.value(loss.total).at(0, 0), cross_entropy + 3 * distance, 2e-6);
    EXPECT_GT(std::abs(3 * (distance - first_alone)), 4e-6) << "told apart";
}

}  // namespace
}  // namespace hwgcn::testing::measured_loss_test
