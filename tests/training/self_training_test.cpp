#include "training/self_training.hpp"

#include <gtest/gtest.h>

#include "hwgcn/dataset/dataset.hpp"

#include "test_data.hpp"
#include "training/checkpoint.hpp"
#include "training/small_problem.hpp"

namespace hwgcn::testing::self_training_test {
namespace {

TEST(SelfTraining, TakesTheSurestNodesOfEachClassThatAreNotKnown) {
    DenseMatrix p(6, 2);
    const float first[] = {0.9F, 0.95F, 0.6F, 0.2F, 0.45F, 0.9F};
    for (Index i = 0; i < 6; ++i) {
        p.at(i, 0) = first[i];
        p.at(i, 1) = 1.0F - first[i];
    }
    const std::vector<Index> train = {1};
    EXPECT_EQ(taught_labels(p, train, 1), (std::vector<Index>{0, -1, -1, 1, -1, -1}))
        << "the first of equals";
    EXPECT_EQ(taught_labels(p, train, 2), (std::vector<Index>{0, -1, -1, 1, 1, 0}));
    EXPECT_EQ(taught_labels(p, train, 50), (std::vector<Index>{0, -1, 0, 1, 1, 0}));
}

class TeacherTest : public ::testing::Test {
  protected:
    FitState taught(int epochs) const {
        const auto network = problem.make();
        FitState state =
            start_teacher(*network, problem.seed, problem.dataset.nodes, problem.dataset.classes());
        while (state.epoch < epochs)
            go_on(state, *network, 1);
        return state;
    }

    void go_on(FitState& state, const Network& network, int epochs) const {
        continue_fit(state, network, field(network, problem.split.train),
                     field(network, problem.split.validation), problem.options, problem.control, epochs);
    }

    LabelledField field(const Network& network, const std::vector<Index>& nodes) const {
        return labelled_field(network, problem.propagation, problem.features, nodes, problem.dataset.labels,
                              Extent::all_nodes);
    }

    SmallProblem problem;
};

TEST_F(TeacherTest, AveragesItsProbabilitiesOverTheEpochs) {
    const auto network = problem.make();
    const ReceptiveField everything = whole_field(problem.propagation, problem.features, network->steps());
    DenseMatrix expected;
    for (int epoch = 1; epoch <= 3; ++epoch) {
        const DenseMatrix p = predict(*network, taught(epoch).current, everything, {1});
        if (epoch == 1) expected = p;
        for (std::size_t k = 0; k < p.numbers().size(); ++k)
            expected.numbers()[k] = 0.9F * expected.numbers()[k] + 0.1F * p.numbers()[k];
    }
    const FitState state = taught(3);
    for (std::size_t k = 0; k < expected.numbers().size(); ++k)
        EXPECT_NEAR(state.average.numbers()[k], expected.numbers()[k], 1e-5);
}

TEST_F(TeacherTest, TeacherAndStudentComeBackFromACheckpointBitForBit) {
    const TemporaryDirectory folder;
    const auto network = problem.make();
    const NodeClasses sizes{problem.dataset.nodes, problem.dataset.classes()};
    const FitState teacher = taught(4);
    save_state(folder / "teacher.npz", teacher);
    const FitState again = load_state(folder / "teacher.npz", teacher.current, sizes);
    EXPECT_TRUE(same_bits(again, teacher));
    EXPECT_TRUE(same_bits(again.average, teacher.average));
    EXPECT_TRUE(same_bits(again.best_average, teacher.best_average));
    const FitState student = start_student(*network, teacher, problem.split.train, 3);
    EXPECT_FALSE(student.is_teacher());
    const auto count = std::ranges::count_if(student.taught, [](Index label) { return label != unlabelled; });
    EXPECT_GT(count, 3);
    EXPECT_LE(count, 9) << "three of each class at most";
    save_state(folder / "student.npz", student);
    EXPECT_EQ(load_state(folder / "student.npz", student.current, sizes).taught, student.taught);
    EXPECT_THROW(load_state(folder / "student.npz", student.current, {5, 3}), InputError) << "another graph";
}

}  // namespace
}  // namespace hwgcn::testing::self_training_test
