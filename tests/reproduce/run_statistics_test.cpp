#include "run_statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run_columns.hpp"

namespace hwgcn::experiments::run_statistics_test {
namespace {

using ::testing::ElementsAre;

RunResult run_of(std::uint64_t seed, double test, double validation, double loss = Metrics::not_known) {
    RunResult run;
    run.seed = seed;
    run.test.accuracy = test;
    run.validation.accuracy = validation;
    run.validation.nll = loss;
    run.seconds = 1;
    return run;
}

MethodResult result_of(const char* method, std::vector<RunResult> runs) {
    return {MethodSettings(method, "cora"), std::move(runs)};
}

TEST(SharedRuns, ArePairedBySeed) {
    const MethodResult ours = result_of("gcn", {run_of(0, 0.5, 0), run_of(2, 0.75, 0), run_of(5, 1, 0)});
    const MethodResult other = result_of("mlp", {run_of(2, 0.25, 0), run_of(3, 0.5, 0), run_of(5, 0, 0)});
    const SharedRuns shared = shared_runs(ours, other);
    EXPECT_THAT(shared.ours, ElementsAre(75.0, 100.0));
    EXPECT_THAT(shared.other, ElementsAre(25.0, 0.0));
    EXPECT_TRUE(shared_runs(ours, result_of("mlp", {})).ours.empty());
}

TEST(UsualSeconds, IsTheMedian) {
    MethodResult result = result_of("gcn", {run_of(0, 0, 0), run_of(1, 0, 0), run_of(2, 0, 0)});
    result.runs[0].seconds = 9;
    result.runs[1].seconds = 100;
    result.runs[2].seconds = 7;
    EXPECT_EQ(usual_seconds(result), 9.0);
    result.runs.pop_back();
    EXPECT_EQ(usual_seconds(result), 54.5);
    result.runs.clear();
    EXPECT_EQ(usual_seconds(result), std::nullopt);
}

TEST(LeastPeak, PassesOverRunsThatDoNotKnowIt) {
    MethodResult result = result_of("gcn", {run_of(0, 0, 0), run_of(1, 0, 0), run_of(2, 0, 0)});
    EXPECT_EQ(least_peak_mb(result), std::nullopt);
    EXPECT_EQ(memory_text(result), "–");
    result.runs[1].peak_mb = 300;
    result.runs[2].peak_mb = 200.4;
    EXPECT_EQ(least_peak_mb(result), 200.4);
    EXPECT_EQ(memory_text(result), "200");
}

// scipy.stats.ttest_ind([1, 2, 4], [2, 6, 7, 9], equal_var=False).confidence_interval()
TEST(CompareMeans, IsWelchs) {
    const auto summary = [](const std::vector<double>& values) { return summarize(values); };
    const auto change = compare_means(summary({1, 2, 4}), summary({2, 6, 7, 9}));
    ASSERT_TRUE(change.has_value());
    EXPECT_NEAR(change->difference, -11.0 / 3, 1e-12);
    EXPECT_NEAR(change->difference - change->ci95, -8.18162431, 1e-6);
    EXPECT_NEAR(change->difference + change->ci95, 0.84829098, 1e-6);
    EXPECT_FALSE(compare_means(summary({1}), summary({1, 2})).has_value());
    EXPECT_EQ(compare_means(summary({1, 1}), summary({2, 2}))->ci95, 0.0);
}

TEST(ChosenByValidation, TakesTheBestValidationAccuracyOfEachRun) {
    const std::vector<MethodResult> variants = {
        result_of("gcn", {run_of(0, 0.1, 0.8), run_of(1, 0.2, 0.7), run_of(2, 0.3, 0.9)}),
        result_of("mlp", {run_of(0, 0.9, 0.7), run_of(1, 0.8, 0.75), run_of(3, 0.7, 0.9)})};
    const MethodResult chosen = chosen_by_validation(variants);
    ASSERT_EQ(chosen.runs.size(), 2U) << "the runs that all have";
    EXPECT_EQ(chosen.runs[0].chosen, "gcn") << "whatever the test nodes say";
    EXPECT_EQ(chosen.runs[0].test.accuracy, 0.1);
    EXPECT_EQ(chosen.runs[1].chosen, "mlp");
    EXPECT_EQ(chosen.runs[1].seconds, 2.0) << "to choose, both were trained";
    EXPECT_EQ(chosen.accuracy().count, 2);
    EXPECT_DOUBLE_EQ(chosen.accuracy().mean, 45.0);
}

TEST(ChosenByValidation, OfEqualAccuraciesTheLowestLossAndThenTheFirstIsTaken) {
    const auto chosen = [](double first, double second) {
        return chosen_by_validation({result_of("gcn", {run_of(0, 0, 0.8, first)}),
                                     result_of("mlp", {run_of(0, 0, 0.8, second)})})
            .runs[0]
            .chosen;
    };
    EXPECT_EQ(chosen(0.6, 0.5), "mlp");
    EXPECT_EQ(chosen(0.5, 0.6), "gcn");
    EXPECT_EQ(chosen(0.5, 0.5), "gcn");
    EXPECT_EQ(chosen(Metrics::not_known, 0.5), "gcn") << "runs of earlier versions do not know it";
}

TEST(EverChosen, LooksAtTheFirstRunsOnly) {
    const std::vector<MethodResult> variants = {
        result_of("gcn", {run_of(7, 0, 0.8), run_of(8, 0, 0.8), run_of(9, 0, 0.1)}),
        result_of("mlp", {run_of(7, 0, 0.7), run_of(8, 0, 0.7), run_of(9, 0, 0.9)})};
    EXPECT_THAT(ever_chosen(variants, 7, 2), ElementsAre(true, false));
    EXPECT_THAT(ever_chosen(variants, 7, 3), ElementsAre(true, true));
    EXPECT_THAT(ever_chosen(variants, 9, 1), ElementsAre(false, true));
    EXPECT_THAT(ever_chosen(variants, 6, 2), ElementsAre(true, true)) << "a run is missing";
}

TEST(RunColumns, SayHowManyRunsThereAre) {
    EXPECT_EQ(runs_text(100, 100), "100");
    EXPECT_EQ(runs_text(37, 100), "37 of 100");
    EXPECT_EQ(runs_text(50, 0), "50");
    const MethodResult one = result_of("gcn", {run_of(0, 0.815, 0)});
    EXPECT_EQ(accuracy_text(one.accuracy()), "81.50");
    EXPECT_EQ(accuracy_text(result_of("gcn", {}).accuracy()), "–");
    EXPECT_EQ(seconds_text(one), "1.0");
    EXPECT_EQ(seconds_text(result_of("gcn", {})), "–");
}

}  // namespace
}  // namespace hwgcn::experiments::run_statistics_test
