#include "training/fit.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <numbers>
#include <thread>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "base/random_stream.hpp"
#include "methods/different_networks.hpp"
#include "test_data.hpp"
#include "training/checkpoint.hpp"
#include "training/fit_options.hpp"
#include "training/optimizer.hpp"
#include "training/small_problem.hpp"

namespace hwgcn::fit_test {
namespace {

using testing::same_bits;
using testing::SmallProblem;
using testing::TemporaryDirectory;

TEST(ScheduledRate, FallsByAShareOfTheFirstRateEveryFewEpochs) {
    FitOptions options;
    options.rate = 0.5;
    options.rate_interval = 40;
    options.rate_drop = 0.01;
    for (const auto& [epoch, expected] : std::vector<std::pair<int, double>>{
             {1, 0.5}, {40, 0.5}, {41, 0.495}, {80, 0.495}, {81, 0.49}, {4001, 0.0}, {1000000, 0.0}})
        EXPECT_DOUBLE_EQ(scheduled_rate(options, epoch), expected) << epoch;
}

TEST(ScheduledRate, StaysWithoutAnInterval) {
    FitOptions options;
    options.rate = 0.25;
    options.rate_drop = 0.5;
    EXPECT_EQ(scheduled_rate(options, 1), 0.25);
    EXPECT_EQ(scheduled_rate(options, 1000000), 0.25);
}

TEST(ScheduledRate, FallsAlongHalfACosine) {
    FitOptions options;
    options.rate = 0.5;
    options.rate_decay = RateDecay::cosine;
    for (const int epochs : {1, 2, 7, 400}) {
        options.epochs = epochs;
        EXPECT_EQ(scheduled_rate(options, 1), 0.5);
        for (int epoch = 1; epoch <= epochs; ++epoch) {
            const double expected = 0.25 * (1 + std::cos(std::numbers::pi * (epoch - 1) / epochs));
            EXPECT_NEAR(scheduled_rate(options, epoch), expected, 1e-15) << epoch << " of " << epochs;
        }
    }
    EXPECT_GT(scheduled_rate(options, 400), 0);
}

// Two small matrices, the first of which decays, and gradients that change from step to step.
FitState two_matrices() {
    FitState state;
    state.current = {{"a", DenseMatrix(3, 5), true}, {"b", DenseMatrix(5, 2), false}};
    RandomStream random(7, 0);
    for (TrainableMatrix& parameter : state.current) {
        for (Index i = 0; i < parameter.value.rows(); ++i) {
            for (Index j = 0; j < parameter.value.columns(); ++j)
                parameter.value.at(i, j) = static_cast<float>(2 * random.uniform() - 1);
        }
        state.mean.emplace_back(parameter.value.rows(), parameter.value.columns());
        state.square.emplace_back(parameter.value.rows(), parameter.value.columns());
    }
    return state;
}

double gradient_at(int epoch, std::size_t matrix, Index i, Index j) {
    return std::sin(1.0 + epoch * (1.0 + static_cast<double>(matrix)) + 3.0 * i + 5.0 * j);
}

// Takes `epochs` steps and calls expect(matrix, i, j, first value, value) for every number.
template <typename Expect>
void take_steps(const FitOptions& options, int epochs, const Expect& expect) {
    FitState state = two_matrices();
    const FitState first = state;
    while (state.epoch < epochs) {
        ++state.epoch;
        std::vector<DenseMatrix> gradients;
        for (std::size_t k = 0; k < state.current.size(); ++k) {
            DenseMatrix& gradient = gradients.emplace_back(state.mean[k].rows(), state.mean[k].columns());
            for (Index i = 0; i < gradient.rows(); ++i) {
                for (Index j = 0; j < gradient.columns(); ++j)
                    gradient.at(i, j) = static_cast<float>(gradient_at(state.epoch, k, i, j));
            }
        }
        step(state, gradients, options);
    }
    for (std::size_t k = 0; k < state.current.size(); ++k) {
        const DenseMatrix& value = state.current[k].value;
        for (Index i = 0; i < value.rows(); ++i) {
            for (Index j = 0; j < value.columns(); ++j)
                expect(k, i, j, static_cast<double>(first.current[k].value.at(i, j)),
                       static_cast<double>(value.at(i, j)));
        }
    }
}

TEST(GradientDescent, IsTheLoopThatTheEquationSays) {
    FitOptions options;
    options.optimizer = Optimizer::gradient_descent;
    options.rate = 0.05;
    options.rate_interval = 4;
    options.rate_drop = 0.1;
    options.l2 = 0.3;
    take_steps(options, 10, [&](std::size_t k, Index i, Index j, double value, double found) {
        const double decay = k == 0 ? 0.3 : 0.0;
        for (int epoch = 1; epoch <= 10; ++epoch) {
            const double rate = 0.05 * (1.0 - 0.1 * ((epoch - 1) / 4));
            value -= rate * (gradient_at(epoch, k, i, j) + decay * value);
        }
        EXPECT_NEAR(found, value, 1e-6) << k << " " << i << " " << j;
    });
}

TEST(Adam, IsTheAlgorithmOfKingmaAndBaInDoublePrecision) {
    FitOptions options;
    options.rate = 0.02;
    options.l2 = 0.3;
    take_steps(options, 25, [&](std::size_t k, Index i, Index j, double value, double found) {
        const double decay = k == 0 ? 0.3 : 0.0;
        double mean = 0, square = 0;
        for (int epoch = 1; epoch <= 25; ++epoch) {
            const double gradient = gradient_at(epoch, k, i, j) + decay * value;
            mean = 0.9 * mean + 0.1 * gradient;
            square = 0.999 * square + 0.001 * gradient * gradient;
            const double unbiased_mean = mean / (1 - std::pow(0.9, epoch));
            const double unbiased_square = square / (1 - std::pow(0.999, epoch));
            value -= 0.02 * unbiased_mean / (std::sqrt(unbiased_square) + 1e-8);
        }
        EXPECT_NEAR(found, value, 1e-5) << k << " " << i << " " << j;
    });
}

TEST(Fit, LearnsWhatThereIsToLearn) {
    SmallProblem problem;
    problem.options.epochs = 60;
    problem.options.rate = 0.05;
    const FitState state = problem.fit();
    EXPECT_TRUE(state.finished);
    EXPECT_EQ(state.epoch, 60);
    ASSERT_EQ(state.history.size(), 60U);
    EXPECT_LT(state.history.back().train_loss, 0.7 * state.history.front().train_loss);
    EXPECT_GT(state.best_accuracy, 0.6);
}

TEST(Fit, GoesOnFromACheckpointAsIfNothingHadHappened) {
    const TemporaryDirectory folder;
    for (const std::string& network : testing::different_networks()) {
        SmallProblem problem;
        problem.use(network);
        const FitState uninterrupted = problem.fit();
        for (const int epochs : {0, 1, 5, 11}) {
            FitState state = problem.start();
            problem.go_on(state, epochs);
            EXPECT_EQ(state.epoch, epochs);
            EXPECT_FALSE(state.finished);
            save_state(folder / "state.npz", state);
            FitState later = load_state(folder / "state.npz", problem.start().current);
            problem.go_on(later);
            EXPECT_TRUE(same_bits(later, uninterrupted)) << network << " after " << epochs;
        }
    }
}

TEST(Fit, GoesOnAlongTheSameCosine) {
    SmallProblem problem;
    const FitState constant = problem.fit();
    problem.options.rate_decay = RateDecay::cosine;
    const FitState uninterrupted = problem.fit();
    EXPECT_FALSE(same_bits(uninterrupted.current, constant.current));
    EXPECT_LT(uninterrupted.history.back().rate, 0.1 * uninterrupted.history.front().rate);
    FitState state = problem.start();
    problem.go_on(state, 5);
    problem.go_on(state);
    EXPECT_TRUE(same_bits(state, uninterrupted));
}

TEST(Fit, HasTheSameBitsAtAnyNumberOfThreads) {
    SyntheticOptions many;
    many.nodes = 3000;
    many.words = 30;
    SmallProblem problem(many);
    problem.method.apply({{"hidden", "64"}});  // enough work to be shared
    problem.options.epochs = 2;
    const FitState alone = problem.fit();
    for (const int threads : {2, 3}) {
        problem.control.threads = threads;
        EXPECT_TRUE(same_bits(problem.fit(), alone)) << threads;
    }
}

TEST(Fit, DependsOnTheSeed) {
    SmallProblem problem;
    const FitState first = problem.fit();
    EXPECT_TRUE(same_bits(first, problem.fit()));
    problem.seed = 6;
    EXPECT_FALSE(same_bits(first.current, problem.fit().current));
}

void change_labels(Dataset& dataset, const std::vector<Index>& nodes) {
    for (const Index node : nodes)
        dataset.labels[node] = (dataset.labels[node] + 1) % dataset.classes();
}

TEST(Fit, LooksAtNoLabelBeyondTrainingAndValidation) {
    SmallProblem problem;
    const FitState before = problem.fit();
    change_labels(problem.dataset, problem.split.test);
    std::vector<bool> listed(static_cast<std::size_t>(problem.dataset.nodes));
    for (const auto* part : {&problem.split.train, &problem.split.validation, &problem.split.test}) {
        for (const Index node : *part)
            listed[node] = true;
    }
    for (Index node = 0; node < problem.dataset.nodes; ++node) {
        if (!listed[node]) problem.dataset.labels[node] = unlabelled;
    }
    EXPECT_TRUE(same_bits(problem.fit(), before));
}

TEST(Fit, ValidationLabelsOnlyChooseTheEpoch) {
    SmallProblem problem;
    const FitState before = problem.fit();
    change_labels(problem.dataset, problem.split.validation);
    const FitState after = problem.fit();
    EXPECT_TRUE(same_bits(after.current, before.current));
    EXPECT_NE(after.best_accuracy, before.best_accuracy);
    change_labels(problem.dataset, problem.split.train);
    EXPECT_FALSE(same_bits(problem.fit().current, before.current));
}

TEST(Fit, DivergenceIsAFailureOfTheRun) {
    SmallProblem problem;
    problem.options.optimizer = Optimizer::gradient_descent;
    problem.options.rate = 1e6;
    problem.options.l2 = 10;
    problem.options.epochs = 200;
    try {
        problem.fit();
        FAIL() << "no error";
    } catch (const ExecutionError& error) {
        EXPECT_NE(std::string(error.what()).find("training diverged"), std::string::npos) << error.what();
    }
}

// A single step: every loss there is was computed before it.
TEST(Fit, ParametersThatAreNotFiniteAreDivergenceWithoutValidationNodesToo) {
    for (const std::string& network : testing::different_networks()) {
        SmallProblem problem;
        problem.use(network);
        problem.split.validation.clear();
        problem.options.optimizer = Optimizer::gradient_descent;
        problem.options.rate = 1e38;
        problem.options.l2 = 1e6;  // the product is infinite in single precision
        problem.options.epochs = 1;
        try {
            problem.fit();
            ADD_FAILURE() << network << ": no error";
        } catch (const Diverged& error) {
            EXPECT_STREQ(
                error.what(),
                "training diverged at epoch 1: its parameters are not finite; a smaller `rate` helps");
        }
    }
}

// Asks to stop after so many epochs.
class StopAfter final : public ProgressSink {
  public:
    explicit StopAfter(int epochs) : left_(epochs) {}

    void start(std::string_view, std::int64_t) override {}
    void advance(std::int64_t units) override {
        left_ -= static_cast<int>(units);
        if (left_ <= 0) stop = true;
    }
    void finish() override {}

    std::atomic<bool> stop{false};

  private:
    int left_;
};

TEST(Interrupt, LeavesAStateThatCanBeContinued) {
    SmallProblem problem;
    const FitState uninterrupted = problem.fit();
    for (const int epochs : {1, 4, 11}) {
        StopAfter sink(epochs);
        problem.control = {1, &sink, &sink.stop};
        FitState state = problem.start();
        EXPECT_THROW(problem.go_on(state), Interrupted);
        EXPECT_EQ(state.epoch, epochs);
        const FitState stopped = state;
        EXPECT_THROW(problem.go_on(state), Interrupted);
        EXPECT_TRUE(same_bits(state, stopped));
        problem.control = {};
        problem.go_on(state);
        EXPECT_TRUE(same_bits(state, uninterrupted)) << epochs;
    }
}

TEST(Interrupt, ComesBetweenEpochsEvenWhereTheirWorkIsShared) {
    SyntheticOptions many;
    many.nodes = 3000;
    many.words = 30;
    SmallProblem problem(many);
    problem.method.apply({{"hidden", "64"}});
    problem.options.epochs = 6;
    problem.control.threads = 2;
    const FitState uninterrupted = problem.fit();
    for (const int milliseconds : {5, 20, 45, 80}) {
        std::atomic<bool> stop{false};
        problem.control.stop = &stop;
        FitState state = problem.start();
        std::thread impatient([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
            stop = true;
        });
        try {
            problem.go_on(state);
        } catch (const Interrupted&) {
        }
        impatient.join();
        EXPECT_EQ(state.history.size(), static_cast<std::size_t>(state.epoch));
        problem.control.stop = nullptr;
        problem.go_on(state);
        EXPECT_TRUE(same_bits(state, uninterrupted)) << milliseconds;
    }
}

}  // namespace
}  // namespace hwgcn::fit_test
