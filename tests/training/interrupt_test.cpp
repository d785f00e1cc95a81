#include <atomic>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "training/fit_options.hpp"
#include "training/small_problem.hpp"

namespace hwgcn::testing::interrupt_test {
namespace {

// A network that wants to be stopped in the middle of its third epoch.
class StoppingNetwork final : public Network {
  public:
    StoppingNetwork(const Network& network, std::atomic<bool>& stop) : network_(&network), stop_(&stop) {}

    int steps() const override { return network_->steps(); }

    std::vector<TrainableMatrix> initial_parameters(std::uint64_t seed) const override {
        return network_->initial_parameters(seed);
    }

    Variable scores(Pass& pass) const override {
        if (pass.is_training() && ++passes_ == 3) *stop_ = true;
        return network_->scores(pass);
    }

  private:
    const Network* network_;
    std::atomic<bool>* stop_;
    mutable int passes_ = 0;
};

TEST(Interrupt, EndsAnEpochThatHasNotTakenItsStepAndLeavesNoTraceOfIt) {
    SmallProblem problem;
    const FitState uninterrupted = problem.fit();
    std::atomic<bool> stop{false};
    problem.control.stop = &stop;
    FitState state = problem.start();
    const auto network = problem.make();
    EXPECT_THROW(problem.go_on_with(StoppingNetwork(*network, stop), state), Interrupted);
    EXPECT_EQ(state.epoch, 2);
    EXPECT_EQ(state.history.size(), 2U);
    problem.control.stop = nullptr;
    problem.go_on(state);
    EXPECT_TRUE(same_bits(state, uninterrupted));
}

}  // namespace
}  // namespace hwgcn::testing::interrupt_test
