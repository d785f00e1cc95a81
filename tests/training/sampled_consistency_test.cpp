#include <set>

#include <gtest/gtest.h>

#include "training/fit_options.hpp"
#include "training/small_problem.hpp"
#include "training/training_loss.hpp"

namespace hwgcn::testing::sampled_consistency_test {
namespace {

// Random propagation, whose passes are compared at some of the nodes.
SmallProblem sampling_problem(const std::string& share) {
    SmallProblem problem;
    problem.use("hwgrand");
    problem.method.apply({{"node_sample", share}, {"node_groups", "4"}});
    problem.options.scheme = Scheme::consistency;
    problem.options.passes = 3;
    problem.options.node_dropout = 0.5;
    return problem;
}

LabelledField field_of(const SmallProblem& problem, const Network& network) {
    return training_field(network, problem.propagation, problem.features, problem.split.train,
                          problem.dataset.labels, Extent::all_nodes);
}

TEST(SampledConsistency, RowsAreTheSampleAndEveryLabelledNode) {
    const SmallProblem problem = sampling_problem("0.5");
    const auto network = problem.make();
    LabelledField train = field_of(problem, *network);
    train.taught_rows = {3, 77, 149};
    FitState state = problem.start();
    std::set<std::vector<Index>> samples;
    for (state.epoch = 1; state.epoch <= 5; ++state.epoch) {
        const ComputedRows rows = computed_rows(state, *network, train, problem.options);
        ASSERT_EQ(rows.compared.size(), 75U);
        EXPECT_EQ(std::set(rows.nodes.begin(), rows.nodes.end()).size(), rows.nodes.size()) << "each once";
        ASSERT_EQ(rows.labelled.size(), train.rows.size());
        for (std::size_t k = 0; k < train.rows.size(); ++k)
            EXPECT_EQ(rows.nodes[rows.labelled[k]], train.rows[k]);
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_EQ(rows.nodes[rows.taught[k]], train.taught_rows[k]);
        for (std::size_t k = 0; k < rows.numbers.size(); ++k)
            EXPECT_EQ(rows.numbers[k], static_cast<Index>(k));
        samples.insert(std::vector(rows.nodes.begin(), rows.nodes.begin() + 75));
    }
    EXPECT_EQ(samples.size(), 5U) << "drawn anew";
}

TEST(SampledConsistency, AllNodesAreComparedWhereTheSampleIsAsLarge) {
    const SmallProblem problem = sampling_problem("1");
    const auto network = problem.make();
    EXPECT_TRUE(
        computed_rows(problem.start(), *network, field_of(problem, *network), problem.options).nodes.empty());
}

// The loss of given parameters, and its gradients.
double loss_of(const SmallProblem& problem, const FitState& state, std::vector<DenseMatrix>& gradients) {
    const auto network = problem.make();
    const LabelledField train = field_of(problem, *network);
    const ComputedRows rows = computed_rows(state, *network, train, problem.options);
    Workspace workspace;
    Tape tape(workspace, problem.control, true);
    std::vector<Variable> parameters;
    gradients.clear();
    for (const TrainableMatrix& parameter : state.current)
        gradients.emplace_back(parameter.value.rows(), parameter.value.columns());
    for (std::size_t k = 0; k < gradients.size(); ++k)
        parameters.push_back(tape.parameter(state.current[k].value, gradients[k]));
    const TrainingLoss loss = training_loss(tape, state, *network, train, rows, parameters, problem.options);
    tape.backward(loss.total);
    return static_cast<double>(tape.value(loss.total).at(0, 0));
}

// Without the target, which is not differentiated, there is the cross-entropy alone to compare with finite
// differences.
TEST(SampledConsistency, GradientsAreThoseOfFiniteDifferences) {
    for (const char* normalize : {"off", "on"}) {
        SmallProblem problem = sampling_problem("0.5");
        problem.method.apply({{"normalize", normalize}});
        problem.options.consistency_weight = 0;
        FitState state = problem.start();
        state.epoch = 3;
        for (float& bias : state.current[1].value.numbers())  // away from where relu bends
            bias += 0.5F;
        std::vector<DenseMatrix> gradients, ignored;
        loss_of(problem, state, gradients);
        for (std::size_t k = 0; k < gradients.size(); ++k) {
            const Index column = gradients[k].columns() / 2;
            const Index row = gradients[k].rows() / 2;
            float& number = state.current[k].value.at(row, column);
            const float before = number;
            constexpr float step = 2e-3F;
            number = before + step;
            const double above = loss_of(problem, state, ignored);
            number = before - step;
            const double below = loss_of(problem, state, ignored);
            number = before;
            EXPECT_NEAR(gradients[k].at(row, column), (above - below) / (2.0 * static_cast<double>(step)),
                        3e-3)
                << state.current[k].name << ", normalize " << normalize;
        }
    }
}

TEST(SampledConsistency, MorePassesAreTheMeanOfTheirLosses) {
    SmallProblem problem = sampling_problem("0.5");
    problem.options.consistency_weight = 0;
    FitState state = problem.start();
    state.epoch = 1;
    std::vector<DenseMatrix> ignored;
    std::vector<double> sums;
    for (const int passes : {2, 3, 5}) {
        problem.options.passes = passes;
        sums.push_back(loss_of(problem, state, ignored) * passes);
    }
    EXPECT_GT(sums[1], sums[0]);  // each pass has a loss of its own, which is positive
    EXPECT_GT(sums[2], sums[1]);
    problem.options.passes = 2;
    EXPECT_NEAR(loss_of(problem, state, ignored) * 2, sums[0], 1e-9) << "the same every time";
}

// Means move by a tenth of the way to those of each pass: after many epochs they are near them.
TEST(SampledConsistency, TrainingFollowsTheMomentsOfItsPasses) {
    SmallProblem problem = sampling_problem("0.5");
    problem.method.apply({{"normalize", "on"}});
    problem.options.epochs = 1;
    const FitState one = problem.fit();
    problem.options.epochs = 40;
    const FitState many = problem.fit();
    ASSERT_EQ(many.current[9].name, "variance1");
    const float after_one = one.current[9].value.at(0, 0);
    EXPECT_NEAR(after_one, 0.9 * 0.9 * 0.9, 0.01) << "three passes from 1 towards a small number";
    EXPECT_LT(many.current[9].value.at(0, 0), 0.01F);
    EXPECT_GT(many.current[9].value.at(0, 0), 0.0F);
    EXPECT_NE(many.current[8].value.at(0, 0), 0.0F);
}

TEST(SampledConsistency, TheSameBitsAtAnyNumberOfThreads) {
    SmallProblem problem = sampling_problem("0.5");
    const FitState alone = problem.fit();
    problem.control.threads = 3;
    const FitState together = problem.fit();
    for (std::size_t k = 0; k < alone.current.size(); ++k) {
        EXPECT_TRUE(std::ranges::equal(alone.current[k].value.numbers(), together.current[k].value.numbers()))
            << alone.current[k].name;
    }
}

}  // namespace
}  // namespace hwgcn::testing::sampled_consistency_test
