// Several fits side by side on a device, one of which goes wrong.
#include <limits>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "tensor/on_device.hpp"
#include "training/small_problem.hpp"

namespace hwgcn::side_by_side_fit_test {
namespace {

using testing::same_bits;
using testing::SmallProblem;

TEST(SideBySideFit, OneThatDivergesDoesNotSpoilTheOthers) {
    HWGCN_USE_DEVICE(device);
    const SmallProblem problem;
    const auto network = problem.make();
    std::vector<FitState> states;
    std::vector<FitState*> pointers;
    for (std::uint64_t seed = 3; seed < 6; ++seed)
        states.push_back(start_fit(*network, seed));
    states[1].current[0].value.at(0, 0) = std::numeric_limits<float>::infinity();
    for (FitState& state : states)
        pointers.push_back(&state);
    const std::vector<LabelledField> train(3, training_field(*network, problem.propagation, problem.features,
                                                             problem.split.train, problem.dataset.labels));
    const std::vector<LabelledField> validation(
        3, labelled_field(*network, problem.propagation, problem.features, problem.split.validation,
                          problem.dataset.labels));
    try {
        continue_side_by_side(pointers, *network, train, validation, problem.options, {1}, device);
        FAIL() << "did not diverge";
    } catch (const Diverged& failure) {
        EXPECT_NE(std::string(failure.what()).find("seed 4: training diverged at epoch 1"), std::string::npos)
            << failure.what();
    }
    EXPECT_TRUE(states[1].diverged);
    for (const std::size_t k : {0U, 2U}) {
        FitState alone = start_fit(*network, 3 + k);
        continue_fit(alone, *network, train[0], validation[0], problem.options, {1}, 1000, &device);
        EXPECT_TRUE(states[k].finished);
        EXPECT_FALSE(states[k].diverged);
        EXPECT_EQ(states[k].history.size(), alone.history.size());
        EXPECT_TRUE(same_bits(states[k].best[0].value, alone.best[0].value)) << "run " << k;
        EXPECT_TRUE(same_bits(states[k].current[1].value, alone.current[1].value)) << "run " << k;
    }
}

}  // namespace
}  // namespace hwgcn::side_by_side_fit_test
