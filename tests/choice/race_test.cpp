#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "choice/race_course.hpp"
#include "test_data.hpp"

namespace hwgcn::race_test {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Race, WithinTheBudgetEveryoneRunsToTheEnd) {
    Course course;
    const auto contenders =
        course.run({plain_gpr("60"), candidate("gcn"), candidate("lp"), candidate("mlp")});
    ASSERT_EQ(contenders.size(), 4U);
    for (const Contender& one : contenders) {
        EXPECT_EQ(one.fate, Contender::Fate::finished) << one.settings.method();
        EXPECT_EQ(one.epochs, one.cost.epochs);
        ASSERT_TRUE(one.model);
    }
    const TrainedModel alone = train(course.graph, course.operators.get(contenders[1].settings, {1}),
                                     contenders[1].settings, course.trials.front().split, 5, {1});
    EXPECT_TRUE(same_numbers(contenders[1].model->parameters[0].value, alone.parameters[0].value));
    EXPECT_THAT(course.told.front(), HasSubstr("auto tries 4 methods: at most "));
    EXPECT_THAT(course.told, Contains(HasSubstr("GCN: accuracy ")));
}

// What is cheap answers before anything else is trained, to its end.
TEST(Race, CheapOnesAnswerFirst) {
    Course course;
    course.allow(0.5, plain_gpr("200"));
    const auto contenders =
        course.run({plain_gpr("200"), candidate("diffusion"), candidate("gcn"), candidate("lp")});
    EXPECT_EQ(contenders[2].epochs, contenders[2].cost.epochs) << "whatever the budget is";
    const auto so_far = std::ranges::find_if(
        course.told, [](const std::string& line) { return line.starts_with("so far: "); });
    ASSERT_NE(so_far, course.told.end());
    const std::vector<std::string> before(course.told.begin(), so_far);
    EXPECT_THAT(before, Contains(HasSubstr("Diffusion: accuracy ")));
    EXPECT_THAT(before, Contains(HasSubstr("LP: accuracy ")));
    EXPECT_THAT(before, ::testing::Not(Contains(HasSubstr("HWGPR"))));
}

TEST(Race, QuickEffortTriesWhatIsCheap) {
    Course course;
    course.limits.effort = Effort::quick;
    const auto contenders = course.run({plain_gpr("200"), candidate("diffusion"), candidate("lp")});
    EXPECT_EQ(contenders[0].fate, Contender::Fate::beyond_effort);
    EXPECT_EQ(contenders[1].fate, Contender::Fate::finished);
    EXPECT_EQ(contenders[2].fate, Contender::Fate::finished);
    EXPECT_EQ(course.run({plain_gpr("200")}).front().fate, Contender::Fate::finished)
        << "there is nothing else";
}

// Less to be gained, less work: LP knows nearly every node of this graph.
TEST(Race, WhereCheapOnesAreRightLittleWorkFollows) {
    Course course;
    SyntheticOptions options = small();
    options.homophily = 1;
    options.mean_degree = 20;
    course.graph = prepare_graph(make_synthetic(options));
    course.split = random_split(course.graph.dataset, {10, 90, 100, 1});
    course.trials = plan_trials(course.graph.dataset, course.split, 5);
    course.labels.clear();
    for (const Index node : course.split.validation)
        course.labels.push_back(course.graph.dataset.labels[node]);
    course.many_labels = true;
    const MethodSettings dear = candidate("hwgcn", {{"order", "2"}, {"epochs", "300"}});
    course.allow(5, dear);
    EXPECT_EQ(course.run({dear}).front().epochs, 300);
    const auto contenders = course.run({dear, candidate("lp")});
    EXPECT_TRUE(contenders[0].lacked_budget);
    EXPECT_LT(contenders[0].epochs, 300);
}

TEST(Race, TheBudgetIsForTheBest) {
    Course course;
    const std::vector<MethodSettings> candidates = {
        candidate("hwgcn", {{"order", "2"}, {"epochs", "300"}}),
        candidate("hwgcn", {{"order", "2"}, {"epochs", "300"}, {"rate", "1e-6"}}), candidate("lp")};
    course.many_labels = true;
    course.allow(2.5, candidates.front());
    const auto contenders = course.run(candidates);
    EXPECT_EQ(contenders[0].fate, Contender::Fate::finished);
    EXPECT_EQ(contenders[1].fate, Contender::Fate::dropped) << "it has hardly moved";
    EXPECT_LT(contenders[1].epochs, 300);
    EXPECT_FALSE(contenders[1].model);
    EXPECT_EQ(contenders[2].fate, Contender::Fate::finished) << "what costs nothing is never dropped";
    EXPECT_THAT(course.told, Contains(HasSubstr("dropped: ")));
}

TEST(Race, WhatDoesNotFitIsLeftOutCheapestFirst) {
    Course course;
    const std::vector<MethodSettings> candidates = {plain_gpr("6000"), candidate("gcn"), candidate("lp")};
    course.allow(0.01, candidates.front());
    const auto contenders = course.run(candidates);
    EXPECT_EQ(contenders[0].fate, Contender::Fate::too_long);
    EXPECT_GT(contenders[0].needed, 0);
    EXPECT_EQ(contenders[1].fate, Contender::Fate::finished);
    EXPECT_EQ(contenders[2].fate, Contender::Fate::finished);

    course.limits = {.budget = 1, .memory = 1e-6};
    const auto without_memory = course.run(candidates);
    const auto tried = std::ranges::count(without_memory, Contender::Fate::finished, &Contender::fate);
    EXPECT_EQ(tried, 1) << "the cheapest one is tried in any case";
    EXPECT_EQ(without_memory[0].fate, Contender::Fate::too_large);
}

TEST(Race, ConsistencyIsNotJudgedBeforeItsWeightHasGrown) {
    Course course;
    const std::vector<MethodSettings> candidates = {plain_gpr("300"),
                                                    candidate("hwgcn", {{"order", "2"}, {"epochs", "300"}})};
    course.many_labels = true;
    course.allow(4, candidates.front());
    const auto contenders = course.run(candidates);
    EXPECT_GE(contenders[0].epochs, 150);
}

TEST(Race, ThreadsChangeNothing) {
    Course course;
    const std::vector<MethodSettings> candidates = {plain_gpr("200"),
                                                    candidate("hwgcn", {{"order", "2"}, {"epochs", "400"}}),
                                                    candidate("mlp"), candidate("lp")};
    course.allow(1.2, candidates.front());
    const auto alone = course.run(candidates, {1});
    const auto shared = course.run(candidates, {3});
    for (std::size_t k = 0; k < alone.size(); ++k) {
        EXPECT_EQ(alone[k].fate, shared[k].fate);
        EXPECT_EQ(alone[k].epochs, shared[k].epochs);
        EXPECT_TRUE(same_numbers(alone[k].probabilities, shared[k].probabilities));
    }
}

void expect_same_race(const std::vector<Contender>& found, const std::vector<Contender>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
        EXPECT_EQ(found[k].fate, expected[k].fate);
        EXPECT_EQ(found[k].epochs, expected[k].epochs);
        EXPECT_TRUE(same_numbers(found[k].probabilities, expected[k].probabilities));
    }
}

TEST(Race, AnInterruptedChoiceGoesOn) {
    Course course;
    const std::vector<MethodSettings> candidates = {plain_gpr("200"),
                                                    candidate("hwgcn", {{"order", "2"}, {"epochs", "400"}}),
                                                    candidate("mlp"), candidate("lp")};
    course.many_labels = true;
    course.allow(6, candidates.front());
    CountingSink whole;
    const auto expected = course.run(candidates, {1, &whole, nullptr});

    const testing::TemporaryDirectory directory;
    course.folder = directory.path() / "choice";
    course.run(candidates);
    EXPECT_FALSE(fs::exists(course.folder)) << "what takes less than seconds is not worth a file";
    StoppingInRound3 stopping;
    EXPECT_THROW(course.run(candidates, {1, &stopping, &stopping.stop}), Interrupted);

    CountingSink again;
    const auto resumed = course.run(candidates, {2, &again, nullptr});
    expect_same_race(resumed, expected);
    EXPECT_GT(again.units(), 0);
    EXPECT_LT(again.units(), whole.units() / 2) << "only the last round was trained";

    for (const fs::directory_entry& entry : fs::directory_iterator(course.folder)) {
        if (entry.path().filename().string().find("training") == std::string::npos) fs::remove(entry.path());
    }
    const auto ahead = course.run(candidates);
    expect_same_race(ahead, expected);
    EXPECT_THAT(ahead[0].notes, ElementsAre(HasSubstr("is ahead of the predictions that were kept; training "
                                                      "started anew")));

    stopping.stop = false;
    EXPECT_THROW(course.run(candidates, {1, &stopping, &stopping.stop}), Interrupted);
    for (const fs::directory_entry& entry : fs::directory_iterator(course.folder))
        std::ofstream(entry.path(), std::ios::trunc) << "damaged";
    const auto anew = course.run(candidates);
    expect_same_race(anew, expected);
    EXPECT_THAT(anew[0].notes, Contains(HasSubstr("the predictions are made again")));
    EXPECT_THAT(anew[0].notes, Contains(HasSubstr("training started anew")));
}

// The other file of the same kind, of the other one of two candidates.
void swap_files_of_two(const fs::path& folder) {
    std::map<std::string, std::vector<fs::path>> kinds;  // by what follows the key in the name
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        kinds[name.substr(name.find('-', std::string("choice-").size()))].push_back(entry.path());
    }
    for (const auto& [kind, files] : kinds) {
        ASSERT_EQ(files.size(), 2U) << kind;
        fs::rename(files[0], folder / "between");
        fs::rename(files[1], files[0]);
        fs::rename(folder / "between", files[1]);
    }
}

// Both have the same shapes, and both files are whole.
TEST(Race, FilesThatWereSwappedBetweenCandidatesAreNotTaken) {
    Course course;
    const std::vector<MethodSettings> candidates = {
        candidate("hwgcn", {{"order", "2"}, {"epochs", "400"}}),
        candidate("appnp", {{"epochs", "400"}, {"rate", "0.002"}})};
    course.many_labels = true;
    course.allow(6, candidates.front());
    const auto expected = course.run(candidates);
    const testing::TemporaryDirectory directory;
    course.folder = directory.path() / "choice";
    StoppingInRound3 stopping;
    EXPECT_THROW(course.run(candidates, {1, &stopping, &stopping.stop}), Interrupted);
    swap_files_of_two(course.folder);
    const auto resumed = course.run(candidates);
    expect_same_race(resumed, expected);
    for (const Contender& one : resumed) {
        EXPECT_THAT(one.notes,
                    Contains(HasSubstr("is of another training, and was renamed; the predictions are "
                                       "made again")));
        EXPECT_THAT(one.notes,
                    Contains(HasSubstr("is of another training, and was renamed; training started anew")));
    }
}

// Work that candidates took, and what the slowest one would take alone.
struct Spent {
    double all = 0;
    double slowest = 0;
};

Spent spent_by(const std::vector<Contender>& contenders) {
    Spent spent;
    for (const Contender& one : contenders) {
        if (one.fate == Contender::Fate::too_large) continue;
        spent.slowest = std::max(spent.slowest, one.cost.work());
        if (one.fate == Contender::Fate::too_long) continue;
        spent.all += one.cost.preparation + one.epochs * one.cost.work_per_epoch;
    }
    return spent;
}

TEST(Race, TakesAtMostTwiceTheWorkOfTheSlowest) {
    Course course;
    std::vector<MethodSettings> candidates;
    for (const char* rate : {"0.01", "0.02", "0.005", "0.003", "0.03", "0.04", "0.05"})
        candidates.push_back(candidate("hwgcn", {{"order", "2"}, {"epochs", "300"}, {"rate", rate}}));
    course.allow(20, candidates.front());  // none is cheap, and all would fit
    const Spent few = spent_by(course.run(candidates));
    EXPECT_LE(few.all, 2 * few.slowest) << "first rounds, and the best one to its end";
    EXPECT_GT(few.all, few.slowest);
    course.many_labels = true;
    const Spent many = spent_by(course.run(candidates));
    EXPECT_GT(many.all, times_of_slowest * many.slowest) << "the budget alone is the limit";
}

TEST(Race, WhoRunsOutOfPatienceHasFinished) {
    Course course;
    const MethodSettings impatient =
        candidate("hwgcn", {{"order", "2"}, {"epochs", "1000"}, {"patience", "5"}});
    const MethodSettings patient = candidate("hwgcn", {{"order", "2"}, {"epochs", "300"}});
    course.allow(3, patient);
    const auto contenders = course.run({impatient, patient});
    EXPECT_EQ(contenders[0].fate, Contender::Fate::finished);
    EXPECT_LT(contenders[0].epochs, 300) << "the epochs that it took";
    const TrainedModel alone = train(course.graph, course.operators.get(impatient, {1}),
                                     contenders[0].settings, course.trials.front().split, 5, {1});
    EXPECT_EQ(contenders[0].epochs, static_cast<int>(alone.history.size()));
    ASSERT_TRUE(contenders[0].model);
    EXPECT_TRUE(same_numbers(contenders[0].model->parameters[0].value, alone.parameters[0].value));
}

TEST(Race, AStudentFollowsItsTeacherInTheLastRound) {
    Course course;
    for (const char* patience : {"0", "5"}) {
        const MethodSettings taught = candidate(
            "hwgcn", {{"order", "2"}, {"epochs", "150"}, {"self_training", "10"}, {"patience", patience}});
        const MethodSettings untaught =
            candidate("hwgcn", {{"order", "2"}, {"epochs", "150"}, {"patience", patience}});
        course.allow(4, taught);
        const auto contenders = course.run({taught, untaught, candidate("lp")});
        EXPECT_EQ(contenders[0].cost.epochs, 300) << "both trainings are counted";
        EXPECT_DOUBLE_EQ(contenders[0].cost.work(), 2 * contenders[1].cost.work());
        EXPECT_EQ(contenders[0].fate, Contender::Fate::finished);
        const TrainedModel alone = train(course.graph, course.operators.get(taught, {1}),
                                         contenders[0].settings, course.trials.front().split, 5, {1});
        ASSERT_TRUE(contenders[0].model);
        EXPECT_TRUE(same_numbers(contenders[0].model->parameters[0].value, alone.parameters[0].value));
    }
}

TEST(NetworkTraining, AnImpatientTeacherWaitsForItsStudent) {
    Course course;
    const MethodSettings taught =
        candidate("gcn", {{"epochs", "1000"}, {"self_training", "10"}, {"patience", "2"}});
    std::vector<std::string> notes;
    NetworkTraining training(course.graph, course.operators.get(taught, {1}), taught, course.split, 5, {},
                             notes);
    training.advance_to(1000, {1});
    EXPECT_FALSE(training.finished());
    EXPECT_LT(training.epochs(), 1000);
    EXPECT_GT(training.model().best_epoch, 0) << "the teacher is what can be looked at";
    training.advance_to(1001, {1});
    EXPECT_EQ(training.epochs(), 1001);
    EXPECT_EQ(training.model().history.size(), 1U);
}

TEST(Comparison, TheAccuracyHasTheErrorOfAMean) {
    DenseMatrix a(4, 2), b(4, 2);
    const std::vector<Index> labels = {0, 0, 1, 1};
    for (Index i = 0; i < 4; ++i) {
        a.at(i, labels[i]) = 1;                           // all right
        b.at(i, i == 0 ? 1 - labels[0] : labels[i]) = 1;  // the first one wrong
    }
    const Difference difference = compare(a, b, labels, {});
    EXPECT_DOUBLE_EQ(difference.mean, 0.25);
    EXPECT_NEAR(difference.error, std::sqrt((0.25 - 0.0625) / 4), 1e-12);
    EXPECT_DOUBLE_EQ(compare(b, a, labels, {}).mean, -0.25);
}

// A jackknife of means is the usual standard error: that of the loss can be computed by hand.
TEST(Comparison, TheJackknifeFindsTheErrorOfAMean) {
    constexpr Index nodes = 20;
    DenseMatrix a(nodes, 2), b(nodes, 2);
    std::vector<Index> labels;
    std::vector<double> differences;
    for (Index i = 0; i < nodes; ++i) {
        labels.push_back(i % 2);
        const float p = 0.5F + 0.02F * static_cast<float>(i);
        const float q = 0.9F - 0.03F * static_cast<float>(i % 7);
        a.at(i, labels[i]) = p;
        a.at(i, 1 - labels[i]) = 1 - p;
        b.at(i, labels[i]) = q;
        b.at(i, 1 - labels[i]) = 1 - q;
        differences.push_back(std::log(static_cast<double>(p)) - std::log(static_cast<double>(q)));
    }
    double mean = 0, squares = 0;
    for (const double one : differences)
        mean += one / nodes;
    for (const double one : differences)
        squares += (one - mean) * (one - mean);
    const Difference found = compare(a, b, labels, {Selection::loss});
    EXPECT_NEAR(found.mean, mean, 1e-6);
    EXPECT_NEAR(found.error, std::sqrt(squares / (nodes - 1) / nodes), 1e-6);
    const Difference auc = compare(a, a, labels, {Selection::auc});
    EXPECT_EQ(auc.mean, 0);
    EXPECT_EQ(auc.error, 0);
}

TEST(TrainingCost, GrowsWithTheWorkThatThereIs) {
    const PreparedGraph graph = prepare_graph(make_synthetic(small()));
    const Split split = random_split(graph.dataset, {10, 90, 100, 1});
    const auto cost_of = [&](const MethodSettings& settings) {
        return training_cost(graph, settings, split);
    };
    const TrainingCost gcn = cost_of(candidate("gcn"));
    EXPECT_GT(cost_of(candidate("gcn", {{"hidden", "64"}})).work(), gcn.work());
    EXPECT_DOUBLE_EQ(cost_of(candidate("gcn", {{"epochs", "400"}})).work(), 2 * gcn.work());
    EXPECT_GT(cost_of(plain_gpr("200")).work(), gcn.work()) << "two passes over all nodes";
    EXPECT_GT(cost_of(candidate("sage")).bytes, gcn.bytes);
    const TrainingCost grand = cost_of(candidate("hwgrand"));
    EXPECT_GT(grand.preparation, 0) << "features are propagated before the first epoch";
    EXPECT_DOUBLE_EQ(grand.shared_bytes, 8.0 * 300 * 60 * 4) << "groups x nodes x features x 4 bytes";
    EXPECT_DOUBLE_EQ(cost_of(candidate("hwgrand", {{"node_groups", "4"}})).shared_bytes,
                     grand.shared_bytes / 2);
    EXPECT_LT(cost_of(candidate("hwgrand", {{"passes", "2"}})).work_per_epoch, grand.work_per_epoch);
    EXPECT_EQ(cost_of(candidate("hwgrand-sharp")).shared_bytes, 0) << "it propagates hidden units";
    const Split few = random_split(graph.dataset, {1, 0, 100, 1});
    EXPECT_LT(training_cost(graph, candidate("gcn"), few).work(), gcn.work())
        << "only what the labelled nodes need is computed";
}

}  // namespace
}  // namespace hwgcn::race_test
