#include "training/training_loss.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "training/fit_options.hpp"
#include "training/small_problem.hpp"

namespace hwgcn::testing::training_loss_test {
namespace {

struct Losses {
    double total;
    double cross_entropy;
};

// The loss of the first epoch's parameters at epoch `epoch`.
Losses loss_of(const SmallProblem& problem, int epoch) {
    const auto network = problem.make();
    const LabelledField train =
        labelled_field(*network, problem.propagation, problem.features, problem.split.train,
                       problem.dataset.labels, Extent::all_nodes);
    FitState state = problem.start();
    state.epoch = epoch;
    Workspace workspace;
    Tape tape(workspace, problem.control, true);
    std::vector<Variable> parameters;
    for (const TrainableMatrix& parameter : state.current)
        parameters.push_back(tape.constant(parameter.value));
    const TrainingLoss loss = training_loss(tape, state, *network, train, {}, parameters, problem.options);
    return {static_cast<double>(tape.value(loss.total).at(0, 0)),
            static_cast<double>(tape.value(loss.cross_entropy).at(0, 0))};
}

SmallProblem consistent_problem() {
    SmallProblem problem;
    problem.options.scheme = Scheme::consistency;
    problem.options.node_dropout = 0;
    problem.drop_nothing();
    return problem;
}

TEST(Consistency, PassesThatAgreeHaveNoDistanceWithoutSharpening) {
    SmallProblem problem = consistent_problem();
    problem.options.sharpening = 1.0;
    const Losses loss = loss_of(problem, 100);
    EXPECT_NEAR(loss.total, loss.cross_entropy, 1e-6);
}

TEST(Consistency, TheDistanceIsThatToTheSharpenedMean) {
    SmallProblem problem = consistent_problem();
    problem.options.consistency_weight = 3.0;
    for (const double temperature : {0.5, 0.7}) {
        problem.options.sharpening = temperature;
        // Both passes are the evaluation here.
        const auto network = problem.make();
        const FitState state = problem.start();
        const DenseMatrix p =
            predict(*network, state.current,
                    whole_field(problem.propagation, problem.features, network->steps()), {1});
        double expected = 0;
        for (Index i = 0; i < p.rows(); ++i) {
            double sum = 0;
            for (Index c = 0; c < p.columns(); ++c)
                sum += std::pow(static_cast<double>(p.at(i, c)), 1.0 / temperature);
            for (Index c = 0; c < p.columns(); ++c) {
                const auto own = static_cast<double>(p.at(i, c));
                expected += std::pow(own - std::pow(own, 1.0 / temperature) / sum, 2) / p.rows();
            }
        }
        const Losses full = loss_of(problem, 100);
        EXPECT_NEAR(full.total - full.cross_entropy, 3.0 * expected, 1e-5);
        const Losses early = loss_of(problem, 25);
        EXPECT_NEAR(early.total - early.cross_entropy, 0.25 * 3.0 * expected, 1e-5) << "the ramp";
    }
}

TEST(Consistency, NodesWithoutFeaturesMakePassesDiffer) {
    SmallProblem problem = consistent_problem();
    problem.options.sharpening = 1.0;
    problem.options.node_dropout = 0.5;
    const Losses loss = loss_of(problem, 100);
    EXPECT_GT(loss.total, loss.cross_entropy + 1e-7);
}

TEST(Consistency, TrainsToTheSameBitsWhenInterrupted) {
    SmallProblem problem;
    problem.options.scheme = Scheme::consistency;
    problem.use("hwgpr");
    const auto fit_in_steps = [&](int epochs) {
        const auto network = problem.make();
        const auto field = [&](const std::vector<Index>& nodes) {
            return labelled_field(*network, problem.propagation, problem.features, nodes,
                                  problem.dataset.labels, Extent::all_nodes);
        };
        FitState state = problem.start();
        while (!state.finished)
            continue_fit(state, *network, field(problem.split.train), field(problem.split.validation),
                         problem.options, problem.control, epochs);
        return state;
    };
    EXPECT_TRUE(same_bits(fit_in_steps(100), fit_in_steps(5)));
}

}  // namespace
}  // namespace hwgcn::testing::training_loss_test
