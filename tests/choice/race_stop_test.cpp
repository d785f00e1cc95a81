#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "choice/deadline.hpp"
#include "race_course.hpp"

namespace hwgcn::race_test {
namespace {

using Fate = Contender::Fate;

// What training this candidate by itself says of the held-out nodes.
DenseMatrix alone(Course& course, const MethodSettings& settings) {
    const Propagation& propagation = course.operators.get(settings, {1});
    const TrainedModel model =
        train(course.graph, propagation, settings, course.trials.front().split, 5, {1});
    const DenseMatrix all = predict_nodes(course.graph, propagation, settings, model, {1});
    DenseMatrix found(static_cast<Index>(course.split.validation.size()), all.columns());
    for (Index i = 0; i < found.rows(); ++i)
        std::copy_n(all.row(course.split.validation[i]), all.columns(), found.row(i));
    return found;
}

TEST(StoppedRace, HasTheCandidatesWithTheEpochsOfTheirLastRound) {
    Course course;
    course.many_labels = true;
    const std::vector<MethodSettings> candidates = {
        plain_gpr("400"), candidate("hwgcn", {{"order", "2"}, {"epochs", "400"}, {"rate_decay", "cosine"}}),
        candidate("lp")};
    course.allow(6, candidates.front());
    StoppingInRound3 stopping;
    course.takes_best_so_far = [&] {
        stopping.stop = false;
        return true;
    };
    const auto contenders = course.run(candidates, {1, &stopping, &stopping.stop});
    EXPECT_EQ(contenders[0].fate, Fate::finished);
    EXPECT_EQ(contenders[0].epochs, 200);
    EXPECT_EQ(contenders[0].settings.value("epochs"), "200");
    EXPECT_EQ(contenders[0].wanted_epochs, 400);
    EXPECT_TRUE(contenders[0].model.has_value());
    EXPECT_TRUE(same_numbers(contenders[0].probabilities, alone(course, plain_gpr("200"))));
    EXPECT_EQ(contenders[1].fate, Fate::not_reached) << "its rate would have fallen over all epochs";
    EXPECT_EQ(contenders[2].fate, Fate::finished);
}

TEST(StoppedRace, IsInterruptedWhereTheBestSoFarIsNotWanted) {
    Course course;
    StoppingInRound3 stopping;
    course.many_labels = true;
    course.allow(6, plain_gpr("200"));
    course.takes_best_so_far = [] { return false; };
    EXPECT_THROW(course.run({plain_gpr("200"), candidate("lp")}, {1, &stopping, &stopping.stop}),
                 Interrupted);
}

TEST(StoppedRace, AnswersByCheapCandidatesHoweverEarlyItIs) {
    Course course;
    const std::vector<MethodSettings> candidates = {candidate("hwgcn", {{"order", "3"}, {"epochs", "10000"}}),
                                                    candidate("linear"), candidate("gcn"), candidate("lp")};
    const auto whole = course.run({candidates[1], candidates[2], candidates[3]});
    std::atomic<bool> stop{true};
    course.takes_best_so_far = [&] {
        stop = false;
        return true;
    };
    const auto contenders = course.run(candidates, {1, nullptr, &stop});
    EXPECT_EQ(contenders[0].fate, Fate::not_reached);
    for (std::size_t k = 0; k < whole.size(); ++k) {
        EXPECT_EQ(contenders[k + 1].fate, Fate::finished);
        EXPECT_TRUE(same_numbers(contenders[k + 1].probabilities, whole[k].probabilities));
    }
}

TEST(Deadline, WithoutOneOthersAloneStop) {
    std::atomic<bool> others{false};
    Deadline none(0, &others);
    EXPECT_EQ(none.stop(), &others);
    EXPECT_FALSE(none.lift());
}

bool is_soon_true(const std::atomic<bool>& flag) {
    for (int k = 0; k < 2000 && !flag; ++k)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return flag;
}

TEST(Deadline, StopsWhenTimeIsUpAndThenNoMore) {
    std::atomic<bool> others{false};
    Deadline soon(0.01, &others);
    EXPECT_TRUE(is_soon_true(*soon.stop()));
    EXPECT_TRUE(soon.lift());
    EXPECT_EQ(soon.stop(), &others);
}

TEST(Deadline, PassesOnThatOthersWantAStop) {
    std::atomic<bool> others{false};
    Deadline far(1e6, &others);
    EXPECT_FALSE(*far.stop());
    others = true;
    EXPECT_TRUE(is_soon_true(*far.stop()));
    EXPECT_FALSE(far.lift());
}

}  // namespace
}  // namespace hwgcn::race_test
