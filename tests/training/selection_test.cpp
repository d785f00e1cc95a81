#include "training/selection.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include <gtest/gtest.h>

#include "hwgcn/metrics/statistics.hpp"

#include "test_data.hpp"
#include "training/checkpoint.hpp"
#include "training/fit.hpp"
#include "training/fit_options.hpp"
#include "training/small_problem.hpp"

namespace hwgcn::selection_test {
namespace {

using testing::same_bits;
using testing::SmallProblem;

// What selection and patience make of a history, read off it from the beginning.
struct Expected {
    int best_epoch = 0;
    int other_epoch = 0;
    int last_epoch = 0;
};

Expected replay(const std::vector<EpochRecord>& history, const FitOptions& options,
                const std::vector<std::int64_t>& counts = {}) {
    Expected expected;
    double most = -1, loss = std::numeric_limits<double>::infinity();
    EpochRecord kept;  // by AUC
    int waiting = 0;
    for (const EpochRecord& record : history) {
        const double value = std::isnan(record.validation_selection) ? record.validation_accuracy
                                                                     : record.validation_selection;
        const bool better = value > most;
        const bool less_loss = record.validation_loss < loss;
        most = std::max(most, value);
        loss = std::min(loss, record.validation_loss);
        if (options.selection == Selection::auc) {
            const double least = most - roc_auc_error(most, counts);
            const bool is_lost = kept.epoch == 0 || kept.validation_selection < least;
            if (is_lost || (value >= least && record.validation_loss < kept.validation_loss)) kept = record;
            expected.best_epoch = kept.epoch;
        } else if (options.selection == Selection::loss ? less_loss : better) {
            expected.best_epoch = record.epoch;
        }
        if (options.selection == Selection::loss ? better : less_loss) expected.other_epoch = record.epoch;
        waiting = better || less_loss ? 0 : waiting + 1;
        expected.last_epoch = record.epoch;
        if (options.patience > 0 && waiting == options.patience) break;
    }
    return expected;
}

std::vector<std::int64_t> validation_counts(const SmallProblem& problem) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(problem.dataset.classes()), 0);
    for (const Index node : problem.split.validation)
        ++counts[problem.dataset.labels[node]];
    return counts;
}

TEST(Selection, TakesTheFirstEpochThatIsBestOnTheValidationNodes) {
    for (const Selection selection : {Selection::automatic, Selection::accuracy, Selection::loss,
                                      Selection::auc, Selection::balanced, Selection::macro_f1}) {
        for (const std::uint64_t seed : {1U, 2U, 3U}) {
            SmallProblem problem;
            problem.seed = seed;
            problem.options.rate = 0.2;  // rough: the best is not the last
            problem.options.epochs = 40;
            problem.options.selection = selection;
            const FitState state = problem.fit();
            const int best = replay(state.history, problem.options, validation_counts(problem)).best_epoch;
            EXPECT_EQ(state.best_epoch, best);
            EXPECT_EQ(state.alternative_epoch, replay(state.history, problem.options).other_epoch);
            // Its parameters are those that training had then.
            problem.options.epochs = best;
            EXPECT_TRUE(same_bits(state.best, problem.fit().current));
        }
    }
}

// The first epochs rank by chance; a small difference in AUC is no reason to keep one that knows less.
TEST(Selection, OfEpochsWithinTheStandardErrorOfTheBestAucTakesOneWithLessLoss) {
    int lower = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        SmallProblem problem;
        problem.seed = seed;
        problem.options.rate = 0.2;
        problem.options.epochs = 40;
        problem.options.selection = Selection::auc;
        const FitState state = problem.fit();
        const EpochRecord& kept = state.history[static_cast<std::size_t>(state.best_epoch) - 1];
        const EpochRecord& best =
            *std::ranges::max_element(state.history, {}, &EpochRecord::validation_selection);
        const double error = roc_auc_error(best.validation_selection, validation_counts(problem));
        EXPECT_GE(kept.validation_selection, best.validation_selection - error);
        EXPECT_LE(kept.validation_loss, best.validation_loss);
        for (const EpochRecord& later :
             std::span(state.history).subspan(static_cast<std::size_t>(state.best_epoch)))
            EXPECT_FALSE(later.validation_selection >= best.validation_selection - error &&
                         later.validation_loss < kept.validation_loss);
        lower += kept.epoch != best.epoch ? 1 : 0;
    }
    EXPECT_GT(lower, 0) << "else nothing was tested";
}

TEST(Selection, AnEpochBeyondTheStandardErrorOfTheBestAucDoesNotWinByItsLoss) {
    SmallProblem problem;
    problem.options.selection = Selection::auc;
    FitState state = problem.start();
    problem.go_on(state, 1);
    // As if the first epoch ranked everything right, for no reason that its loss would know.
    state.best_criterion = state.history.front().validation_selection = 1;
    state.best_loss = state.history.front().validation_loss = 100;
    problem.go_on(state);
    for (const EpochRecord& later : std::span(state.history).subspan(1)) {
        ASSERT_LT(later.validation_selection, 1);
        ASSERT_LT(later.validation_loss, 100);
    }
    EXPECT_EQ(state.best_epoch, 1);
    EXPECT_GT(state.alternative_epoch, 1);
}

TEST(Selection, ByAucATrainingInPartsHasTheBitsOfTheWhole) {
    const testing::TemporaryDirectory folder;
    SmallProblem problem;
    problem.options.rate = 0.2;
    problem.options.epochs = 40;
    problem.options.selection = Selection::auc;
    const FitState whole = problem.fit();
    for (const int pause : {1, whole.best_epoch, 39}) {
        FitState state = problem.start();
        problem.go_on(state, pause);
        save_state(folder / "state.npz", state);
        state = load_state(folder / "state.npz", state.current);
        problem.go_on(state);
        EXPECT_TRUE(same_bits(state, whole)) << pause;
    }
}

TEST(Patience, EndsTrainingAfterSoManyEpochsWithoutABetterLossOrAccuracy) {
    for (const int patience : {1, 3, 10}) {
        SmallProblem problem;
        problem.options.rate = 0.2;
        problem.options.epochs = 300;
        problem.options.patience = 0;
        const FitState patient = problem.fit();
        EXPECT_EQ(patient.epoch, 300);
        problem.options.patience = patience;
        const FitState state = problem.fit();
        const Expected expected = replay(patient.history, problem.options);
        EXPECT_EQ(state.epoch, expected.last_epoch);
        EXPECT_LT(state.epoch, 300);
        EXPECT_EQ(state.best_epoch, expected.best_epoch);
        EXPECT_TRUE(state.finished);
        EXPECT_EQ(state.history.size(), static_cast<std::size_t>(state.epoch));
    }
}

TEST(Selection, AnotherCriterionIsThatOfTheValidationNodes) {
    for (const Selection selection : {Selection::auc, Selection::balanced, Selection::macro_f1}) {
        SmallProblem problem;
        problem.options.selection = selection;
        const FitState state = problem.fit();
        const auto network = problem.make();
        const DenseMatrix p =
            predict(*network, state.current,
                    whole_field(problem.propagation, problem.features, network->steps()), {1});
        const Metrics metrics =
            compute_metrics(p, problem.dataset.labels, problem.split.validation, ExecutionControl{1});
        EXPECT_NEAR(state.history.back().validation_selection, criterion_value(selection, metrics), 1e-6);
    }
    SmallProblem problem;
    for (const EpochRecord& record : problem.fit().history)
        EXPECT_TRUE(std::isnan(record.validation_selection)) << "accuracy has a place of its own";
}

TEST(Selection, LossSelectsWhereAllValidationNodesAreOfOneClass) {
    SmallProblem problem;
    std::erase_if(problem.split.validation, [&](Index node) { return problem.dataset.labels[node] != 1; });
    ASSERT_GT(problem.split.validation.size(), 2U);
    problem.options.selection = Selection::loss;
    const FitState by_loss = problem.fit();
    for (const Selection selection : {Selection::auc, Selection::balanced, Selection::macro_f1}) {
        problem.options.selection = selection;
        EXPECT_TRUE(same_bits(problem.fit(), by_loss));
    }
}

TEST(Selection, WithoutValidationNodesTheLastEpochIsTheResult) {
    SmallProblem problem;
    problem.split.validation.clear();
    problem.options.patience = 2;
    const FitState state = problem.fit();
    EXPECT_EQ(state.epoch, 12);
    EXPECT_EQ(state.best_epoch, 12);
    EXPECT_TRUE(same_bits(state.best, state.current));
    for (const EpochRecord& record : state.history)
        EXPECT_TRUE(std::isnan(record.validation_loss));
}

TEST(Selection, TheOtherRuleIsKeptBeside) {
    SmallProblem problem;
    problem.options.rate = 0.2;  // rough: the rules differ
    problem.options.epochs = 20;
    const FitState by_accuracy = problem.fit();
    problem.options.selection = Selection::loss;
    const FitState by_loss = problem.fit();
    EXPECT_NE(by_accuracy.best_epoch, by_loss.best_epoch);
    EXPECT_EQ(by_accuracy.alternative_epoch, by_loss.best_epoch);
    EXPECT_EQ(by_loss.alternative_epoch, by_accuracy.best_epoch);
    EXPECT_TRUE(same_bits(by_accuracy.alternative, by_loss.best));
    EXPECT_TRUE(same_bits(by_loss.alternative, by_accuracy.best));
}

}  // namespace
}  // namespace hwgcn::selection_test
