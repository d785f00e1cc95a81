#include <gtest/gtest.h>

#include "hwgcn/pipeline/train_run.hpp"

namespace hwgcn::run_result_test {
namespace {

TEST(RunResult, IsJudgedByTestThenValidationThenHeldOutNodes) {
    RunResult result;
    std::optional<Choice> choice = Choice{};
    EXPECT_EQ(judged_by(result, choice).metrics, nullptr) << "nothing was compared";
    choice->tried.resize(2);
    choice->chosen = 1;
    EXPECT_EQ(judged_by(result, choice).metrics, &choice->tried[1].held_out);
    EXPECT_EQ(judged_by(result, std::nullopt).metrics, nullptr);
    result.validation.count = 5;
    EXPECT_EQ(judged_by(result, choice).metrics, &result.validation);
    result.test.count = 3;
    EXPECT_EQ(judged_by(result, choice).metrics, &result.test);
    EXPECT_STREQ(judged_by(result, choice).nodes, "test nodes");
}

TEST(RunResult, InNumbersKeepsNoChartOfAnyPart) {
    RunResult result;
    result.seed = 7;
    for (Metrics* const part : {&result.train, &result.validation, &result.test}) {
        part->accuracy = 0.5;
        part->curves.resize(1);
        part->confusion = {{1}};
    }
    const RunResult numbers = numbers_of(result);
    EXPECT_EQ(numbers.seed, 7U);
    for (const auto& [name, part] : numbers.parts()) {
        EXPECT_EQ(part->accuracy, 0.5) << name;
        EXPECT_TRUE(part->curves.empty() && part->confusion.empty()) << name;
    }
}

}  // namespace
}  // namespace hwgcn::run_result_test
