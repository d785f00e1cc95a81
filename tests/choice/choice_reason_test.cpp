#include "choice/choice_reason.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hwgcn::choice_reason_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TriedMethod tried(const std::string& label, const std::string& method, int order, double accuracy,
                  double behind, double error) {
    TriedMethod result{label, method, order};
    result.held_out.count = 200;
    result.held_out.accuracy = accuracy;
    result.behind = behind;
    result.behind_error = error;
    return result;
}

Choice four_candidates(std::size_t chosen, std::size_t best) {
    Choice choice;
    choice.judged_on = "200 validation nodes";
    choice.chosen = chosen;
    choice.best = best;
    choice.tried = {tried("HWGCN of order 4", "hwgcn", 4, 0.80, 0.02, 0.03),
                    tried("GCN", "gcn", 1, 0.82, 0.0, 0.0), tried("LP", "lp", 1, 0.70, 0.12, 0.02),
                    tried("Linear", "linear", 1, 0.55, 0.27, 0.04)};
    return choice;
}

TEST(ChoiceReason, APreferredOneBehindTheBestSaysWithinWhat) {
    const std::string reason = choice_reason(four_candidates(0, 1));
    EXPECT_THAT(reason, HasSubstr("Of 4 candidates, HWGCN of order 4 was chosen: it had 80.0 % right of 200 "
                                  "validation nodes."));
    EXPECT_THAT(reason,
                HasSubstr("The best, GCN, had 82.0 %: the difference is within its standard error of 3.0 "
                          "points"));
    EXPECT_THAT(reason, HasSubstr("The graph alone (LP) had 70.0 %, the features alone (Linear) 55.0 %."));
    EXPECT_THAT(reason, HasSubstr("GCN had 82.0 %.")) << "what the far neighbors are worth";
}

TEST(ChoiceReason, AnAverageSaysWhoVotesAndWhatItGained) {
    Choice choice = four_candidates(1, 1);
    choice.tried[1].share = {0.75, 1};
    choice.tried[0].share = {0.25, 1};
    choice.tried[1].calibrated_nll = 0.5;
    TakenAverage average{choice.tried[1].held_out, 0.02, 0.015, 0.4};
    average.held_out.accuracy = 0.84;
    choice.average = average;
    EXPECT_THAT(choice_reason(choice),
                HasSubstr("Of 4 candidates, the average of GCN (weight 0.75) and HWGCN of order 4 (weight "
                          "0.25) was chosen: it had 84.0 % right of 200 validation nodes. The best single "
                          "one, GCN, had 82.0 %: the average gains 2.0 points, more than the standard error "
                          "of the difference, 1.5 points."));
    choice.average->gain = 0.01;
    EXPECT_THAT(
        choice_reason(choice),
        HasSubstr("the difference of 1.0 points is within its standard error of 1.5 points, and the "
                  "average has the smaller log loss after calibration (0.400, that of GCN is 0.500)"));
}

TEST(ChoiceReason, TheBestBeforeThePreferredOneSaysByHowMuch) {
    Choice choice = four_candidates(1, 1);
    choice.tried[0].behind_error = 0.01;
    const std::string reason = choice_reason(choice);
    EXPECT_THAT(reason, HasSubstr("GCN was chosen: it had 82.0 %"));
    EXPECT_THAT(reason,
                HasSubstr("HWGCN of order 4, which is preferred among equals, had 80.0 %, too few by 2.0 "
                          "points (standard error 1.0)"));
}

// One node more is always just above its standard error, and among thousands both are shown as 0.0 points.
TEST(ChoiceReason, ADifferenceOfOneNodeIsCountedInNodes) {
    Choice choice = four_candidates(1, 1);
    for (const Index nodes : {200, 5000}) {
        const double node = 1.0 / nodes;
        choice.tried[0].held_out.count = nodes;
        choice.tried[0].behind = node;
        choice.tried[0].behind_error = node * std::sqrt(1.0 - node);
        EXPECT_THAT(choice_reason(choice),
                    HasSubstr("had 80.0 %, too few by 1 node, just more than the standard error of the "
                              "difference."));
        EXPECT_THAT(choice_reason(choice), Not(HasSubstr(" 0.0 points")));
    }
}

TEST(ChoiceReason, ADifferenceAtEveryNodeHasNoStandardError) {
    Choice choice = four_candidates(1, 1);
    choice.tried[0].behind = 1.0;
    choice.tried[0].behind_error = 0.0;
    EXPECT_THAT(choice_reason(choice), HasSubstr("too few by 100.0 points."));
    EXPECT_THAT(choice_reason(choice), Not(HasSubstr("standard error")));
}

TEST(ChoiceReason, AStandardErrorOfFewNodesAmongManyIsNotShownAsNothing) {
    Choice choice = four_candidates(0, 1);
    choice.tried[0].held_out.count = 10'000;
    choice.tried[0].behind = 2 / 10'000.0;
    choice.tried[0].behind_error = 4 / 10'000.0;
    EXPECT_THAT(choice_reason(choice),
                HasSubstr("GCN, had 82.0 %: the difference of 2 nodes is within its standard error, and"));
}

TEST(ChoiceReason, WhereTheLossDecidesItIsShown) {
    Choice choice = four_candidates(0, 1);
    choice.loss_decides = true;
    choice.tried[0].calibrated_nll = 0.527;
    choice.tried[1].calibrated_nll = 0.549;
    EXPECT_THAT(
        choice_reason(choice),
        HasSubstr("within its standard error of 3.0 points, and of such equals HWGCN of order 4 has the "
                  "smallest log loss after calibration (0.527, that of the best is 0.549)."));
    choice.chosen = 1;
    EXPECT_THAT(choice_reason(choice), HasSubstr("None of the others had more."));
}

TEST(ChoiceReason, HalfAStandardErrorIsSaidToBeHalf) {
    Choice choice = four_candidates(0, 1);
    choice.equal_within = 0.5;
    choice.tried[0].behind_error = 0.05;
    EXPECT_THAT(choice_reason(choice),
                HasSubstr("the difference is within half of its standard error of 5.0 points"));
    choice.chosen = 1;
    choice.tried[0].behind_error = 0.03;
    EXPECT_THAT(choice_reason(choice), HasSubstr("too few by 2.0 points (standard error 3.0, half of which "
                                                 "counts)"));
    choice.tried[0].behind_error = 0.0399;
    EXPECT_THAT(choice_reason(choice),
                HasSubstr("too few by 4 nodes, just more than half of the standard error of the difference"));
}

TEST(ChoiceReason, ThePreferredOneThatIsTheBestHasNoRival) {
    Choice choice = four_candidates(0, 0);
    choice.tried[0].behind = 0;
    EXPECT_THAT(choice_reason(choice), HasSubstr("None of the others had more."));
}

TEST(ChoiceReason, LpOnLearnedWeightsIsNotTheGraphAlone) {
    Choice choice = four_candidates(0, 1);
    choice.tried[2].order = 4;
    EXPECT_THAT(choice_reason(choice), Not(HasSubstr("The graph alone")));
}

TEST(ChoiceReason, ASingleCandidateIsSaidToBeOne) {
    Choice choice = four_candidates(0, 0);
    choice.tried.resize(1);
    EXPECT_EQ(choice_reason(choice),
              "HWGCN of order 4 is the only method that these data and settings allow; it had 80.0 % "
              "right of 200 validation nodes.");
}

}  // namespace
}  // namespace hwgcn::choice_reason_test
