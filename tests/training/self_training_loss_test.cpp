// What a student minimises, and which nodes teach it.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "training/fit_options.hpp"
#include "training/self_training.hpp"
#include "training/small_problem.hpp"
#include "training/training_loss.hpp"

namespace hwgcn::testing::self_training_loss_test {
namespace {

SmallProblem without_dropout() {
    SmallProblem problem;
    problem.options.node_dropout = 0;
    problem.drop_nothing();
    return problem;
}

LabelledField all_nodes_field(const SmallProblem& problem, const Network& network,
                              const std::vector<Index>& nodes) {
    return labelled_field(network, problem.propagation, problem.features, nodes, problem.dataset.labels,
                          Extent::all_nodes);
}

struct Losses {
    double total;
    double cross_entropy;
};

Losses loss_of(const SmallProblem& problem, const LabelledField& train) {
    const auto network = problem.make();
    FitState state = problem.start();
    state.epoch = 1;
    Workspace workspace;
    Tape tape(workspace, problem.control, true);
    std::vector<Variable> parameters;
    for (const TrainableMatrix& parameter : state.current)
        parameters.push_back(tape.constant(parameter.value));
    const TrainingLoss loss = training_loss(tape, state, *network, train, {}, parameters, problem.options);
    return {static_cast<double>(tape.value(loss.total).at(0, 0)),
            static_cast<double>(tape.value(loss.cross_entropy).at(0, 0))};
}

// Mean of -log p over some nodes and the classes that they are said to have.
double mean_log_loss(const DenseMatrix& p, const std::vector<Index>& nodes,
                     const std::vector<Index>& classes) {
    double sum = 0;
    for (std::size_t k = 0; k < nodes.size(); ++k)
        sum -= std::log(static_cast<double>(p.at(nodes[k], classes[k])));
    return sum / static_cast<double>(nodes.size());
}

TEST(SelfTrainingLoss, TaughtNodesCountWithTheirWeight) {
    SmallProblem problem = without_dropout();
    const auto network = problem.make();
    LabelledField train = all_nodes_field(problem, *network, problem.split.train);
    train.taught_rows = {3, 17, 42, 99};
    train.taught_labels = {2, 0, 1, 1};
    const DenseMatrix p = predict(*network, problem.start().current, train.field, {1});
    std::vector<Index> own;
    for (const Index node : problem.split.train)
        own.push_back(problem.dataset.labels[node]);
    const double labelled = mean_log_loss(p, problem.split.train, own);
    const double taught = mean_log_loss(p, train.taught_rows, train.taught_labels);
    for (const double weight : {0.25, 1.0, 3.0}) {
        problem.options.self_training_weight = weight;
        const Losses loss = loss_of(problem, train);
        EXPECT_NEAR(loss.cross_entropy, labelled, 1e-5) << "the reported loss is that of the labels";
        EXPECT_NEAR(loss.total - loss.cross_entropy, weight * taught, 1e-5) << weight;
    }
}

TEST(SelfTrainingLoss, TheTrainingNodesAloneCountWithoutATeacher) {
    const SmallProblem problem = without_dropout();
    const auto network = problem.make();
    const LabelledField train = all_nodes_field(problem, *network, problem.split.train);
    const Losses loss = loss_of(problem, train);
    EXPECT_EQ(loss.total, loss.cross_entropy);
}

TEST(PlainScheme, NodesKeepTheirFeatures) {
    SmallProblem problem = without_dropout();
    const auto network = problem.make();
    const LabelledField train = all_nodes_field(problem, *network, problem.split.train);
    const double whole = loss_of(problem, train).total;
    problem.options.node_dropout = 0.9;
    EXPECT_EQ(loss_of(problem, train).total, whole);
    problem.options.scheme = Scheme::consistency;
    EXPECT_NE(loss_of(problem, train).cross_entropy, whole) << "where they may lose them";
}

class StudentTest : public ::testing::Test {
  protected:
    // After so many epochs of a rate that soon overshoots: the best epoch is not the last.
    FitState teacher(int epochs) const {
        const auto network = problem.make();
        FitState state =
            start_teacher(*network, problem.seed, problem.dataset.nodes, problem.dataset.classes());
        continue_fit(state, *network, all_nodes_field(problem, *network, problem.split.train),
                     all_nodes_field(problem, *network, problem.split.validation), problem.options,
                     problem.control, epochs);
        return state;
    }

    StudentTest() {
        problem.options.epochs = 60;
        problem.options.rate = 0.3;
        problem.options.patience = 0;
        problem.options.selection = Selection::loss;
    }

    SmallProblem problem;
};

TEST_F(StudentTest, IsTaughtByTheAverageOfTheBestEpoch) {
    const FitState whole = teacher(60);
    ASSERT_LT(whole.best_epoch, 55) << "otherwise this test could not tell them apart";
    const FitState then = teacher(whole.best_epoch);
    EXPECT_TRUE(same_bits(whole.best_average, then.average)) << "that of the selected epoch";
    const FitState student = start_student(*problem.make(), whole, problem.split.train, 5);
    EXPECT_EQ(student.taught, taught_labels(whole.best_average, problem.split.train, 5));
    EXPECT_NE(student.taught, taught_labels(whole.average, problem.split.train, 5));
}

TEST_F(StudentTest, KnowsItsTrainingNodesFromTheirLabelsOnly) {
    const FitState whole = teacher(20);
    // So many per class that a training node could only be left out on purpose.
    const FitState student = start_student(*problem.make(), whole, problem.split.train, 1000);
    std::vector<Index> sorted = problem.split.train;
    std::ranges::sort(sorted);
    for (Index node = 0; node < problem.dataset.nodes; ++node) {
        const bool trains = std::ranges::binary_search(sorted, node);
        EXPECT_EQ(student.taught[node] == unlabelled, trains) << "node " << node;
    }
}

}  // namespace
}  // namespace hwgcn::testing::self_training_loss_test
