// Classes that few nodes have: by what epochs are selected, what labels count, and what is said about the
// result.
#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/pipeline/train_run.hpp"

#include "io/expect_input_error.hpp"
#include "models/class_weights.hpp"
#include "models/selection.hpp"
#include "pipeline/baselines.hpp"
#include "pipeline/rare_nodes.hpp"
#include "pipeline/warnings.hpp"
#include "test_data.hpp"

namespace hwgcn::rare_classes_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::expect_input_error;
using ::testing::HasSubstr;
using testing::make_rare_nodes;
using ::testing::Not;

struct Problem {
    PreparedGraph graph;
    Split split;
    OperatorPool operators;
    ThresholdRule threshold = {};

    explicit Problem(Index rare = 10, Index nodes = 1000)
        : graph(prepare_graph(make_rare_nodes(nodes, rare))),
          split(shares_split(graph.dataset, 50, 25, 1)),
          operators(graph) {}

    TrainedRun run(const std::string& method = "gcn", const std::vector<Setting>& more = {}) {
        AskedMethod asked = asked_method(method, "");
        if (method != "lp") apply_settings(asked, {{"epochs", "60"}});
        apply_settings(asked, more);
        TrainingTask task{graph, operators, asked, split, 2};
        task.threshold = threshold;
        return train_run(task, {1});
    }

    // Removes a class from part of the split.
    void drop(std::vector<Index>& nodes, Index label) const {
        std::erase_if(nodes, [&](Index node) { return graph.dataset.labels[node] == label; });
    }
};

std::string selection_of(const TrainedRun& run) {
    return run.settings.value("selection");
}

TEST(DefaultSelection, IsAucForARareClassOfTwoAndAccuracyForAllOthers) {
    const auto found = [](Index rare) {
        const Problem problem(rare);
        return default_selection(problem.graph.dataset, problem.split);
    };
    EXPECT_EQ(found(10), Selection::auc);
    EXPECT_EQ(found(280), Selection::auc);
    EXPECT_EQ(found(320), Selection::accuracy);
    EXPECT_EQ(found(500), Selection::accuracy);
    EXPECT_EQ(found(720), Selection::auc) << "then the other class is rare";
    Problem problem(10);
    problem.graph.dataset.class_names.emplace_back("perhaps");
    EXPECT_EQ(default_selection(problem.graph.dataset, problem.split), Selection::accuracy);
}

TEST(DefaultSelection, IsToldAndStandsInTheSettings) {
    Problem problem(30);
    const TrainedRun run = problem.run();
    EXPECT_EQ(selection_of(run), "auc");
    EXPECT_THAT(run.result.notes,
                Contains(HasSubstr("selection by ROC AUC, because only 3.1 % of the known labels are "
                                   "'yes'; `selection=accuracy` decides otherwise")));
    EXPECT_THAT(run.model.summary, HasSubstr("the best ROC AUC on the validation nodes"));
    const TrainedRun asked = problem.run("gcn", {{"selection", "accuracy"}});
    EXPECT_EQ(selection_of(asked), "accuracy");
    EXPECT_THAT(asked.result.notes, Not(Contains(HasSubstr("ROC AUC, because"))));
    EXPECT_GE(run.result.validation.roc_auc, asked.result.validation.roc_auc);
}

TEST(DefaultSelection, KeepsProbabilitiesCalibratedWhateverTheTrainingNodesAre) {
    Problem problem(100);
    problem.split = random_split(problem.graph.dataset, {20, 320, 600, 1});  // as many of each class train
    const TrainedRun run = problem.run();
    EXPECT_EQ(selection_of(run), "auc");
    EXPECT_NE(run.decision.offset, 0);
    EXPECT_LT(run.result.test.ece, 0.06);
    problem.graph.label_weights.of_classes.balanced = true;
    EXPECT_THAT(problem.run().result.notes, Contains(HasSubstr("the weights of the classes change nothing")));
}

TEST(DefaultSelection, LeavesHashesOfOtherDataAlone) {
    const Problem problem(500);
    const AskedMethod method = asked_method("gcn", "");
    AskedMethod by_accuracy = method;
    apply_settings(by_accuracy, {{"selection", "accuracy"}});
    EXPECT_EQ(settings_hash(with_resolved_selection(method, problem.graph.dataset, problem.split)),
              settings_hash(by_accuracy));
}

TEST(Selection, GivesWayToLossWhereNoValidationNodeIsOfTheClass) {
    Problem problem(30);
    problem.drop(problem.split.validation, 1);
    for (const std::vector<Setting>& given :
         {std::vector<Setting>{}, std::vector<Setting>{{"selection", "balanced"}}}) {
        const TrainedRun run = problem.run("gcn", given);
        EXPECT_EQ(selection_of(run), "loss");
        EXPECT_THAT(run.result.notes,
                    Contains(HasSubstr("the validation nodes are all 'no', which `selection=")));
    }
}

TEST(Selection, AClassThatIsNotLearnedIsNoReasonToFail) {
    Problem problem(30);
    problem.drop(problem.split.train, 1);
    const TrainedRun run = problem.run();
    EXPECT_EQ(selection_of(run), "auc");
    problem.drop(problem.split.validation, 1);
    EXPECT_EQ(selection_of(problem.run()), "accuracy");
    Problem single(1);
    EXPECT_NO_THROW(single.run());
    single.graph.label_weights.of_classes.balanced = true;
    EXPECT_NO_THROW(single.run());
}

TEST(ClassWeights, AreTheShareThatEachClassLacks) {
    const Problem problem(100);
    const std::vector<double> weights = class_weights_for({true, {}}, problem.graph.dataset, problem.split);
    ASSERT_EQ(weights.size(), 2U);
    EXPECT_NEAR(weights[0], 500.0 / (2 * 450), 1e-12);
    EXPECT_NEAR(weights[1], 500.0 / (2 * 50), 1e-12);
    EXPECT_TRUE(class_weights_for({}, problem.graph.dataset, problem.split).empty());
    const std::vector<double> given =
        class_weights_for({false, {3, 27}}, problem.graph.dataset, problem.split);
    EXPECT_NEAR(given[1] / given[0], 9, 1e-12);
    EXPECT_NEAR(0.9 * given[0] + 0.1 * given[1], 1, 1e-12) << "1 on average over the training nodes";
    expect_input_error(
        [&] {
            class_weights_for({false, {1, 2, 3}}, problem.graph.dataset, problem.split);
        },
        {"class weights: expected 2, one per class, got 3"});
}

TEST(ClassWeights, FindMoreOfTheRareClassAndKeepProbabilitiesCalibrated) {
    Problem problem(100);
    const TrainedRun plain = problem.run("mlp");
    problem.graph.label_weights.of_classes.balanced = true;
    const TrainedRun weighted = problem.run("mlp");
    EXPECT_GT(weighted.result.test.classes[1].recall, plain.result.test.classes[1].recall + 0.1);
    EXPECT_GT(weighted.result.test.balanced_accuracy, plain.result.test.balanced_accuracy);
    EXPECT_LT(weighted.result.test.ece, plain.result.test.ece + 0.05);
    const auto mean = [](const TrainedRun& run) {
        double sum = 0;
        for (Index node = 0; node < run.probabilities.rows(); ++node)
            sum += static_cast<double>(run.probabilities.at(node, 1));
        return sum / run.probabilities.rows();
    };
    EXPECT_NEAR(mean(weighted), 0.1, 0.05) << "a tenth of the nodes is of the class";
    EXPECT_EQ(weighted.decision.class_weights, weighted.model.class_weights);
}

TEST(ClassWeights, OfAnySizeGiveFiniteNumbers) {
    for (const std::vector<double>& weights :
         {std::vector<double>{1, 1e30}, {1e30, 1}, {1e-30, 1e30}, {1e-30, 1e-30}}) {
        Problem problem(100);
        problem.graph.label_weights.of_classes.given = weights;
        const TrainedRun run = problem.run("gcn");
        EXPECT_TRUE(std::ranges::all_of(run.probabilities.numbers(),
                                        [](float number) { return std::isfinite(number); }));
    }
}

TEST(ClassWeights, AreRefusedByMethodsWithoutALossAndBaselinesDoWithoutLp) {
    Problem problem(100);
    EXPECT_EQ(baseline_settings(problem.graph).size(), 3U);
    problem.graph.label_weights.of_classes.balanced = true;
    ASSERT_EQ(baseline_settings(problem.graph).size(), 2U);
    EXPECT_EQ(baseline_settings(problem.graph).front().method(), "linear");
    expect_input_error([&] { problem.run("lp", {}); }, {"cannot weigh labels"});
}

TEST(ClassWeights, AreReadFromAFileThatNamesEveryClass) {
    const testing::TemporaryDirectory folder;
    const Dataset dataset = make_rare_nodes(50, 5);
    const std::string file = folder / "weights.csv";
    const auto read = [&](const std::string& text) {
        testing::write_plainly(file, text);
        return read_class_weights(file, dataset).given;
    };
    EXPECT_THAT(read("class,weight\nyes,20\nno,0.5\n"), ElementsAre(0.5, 20));
    EXPECT_THAT(read("no;1\nyes;3e2\n"), ElementsAre(1, 300));
    EXPECT_TRUE(read_class_weights("balanced", dataset).balanced);
    EXPECT_FALSE(read_class_weights("", dataset).any());
    const auto refused = [&](const std::string& text, const std::string& message) {
        expect_input_error([&] { read(text); }, {message});
    };
    refused("no,1\nyess,2\n", ":2: expected a class of customers, got 'yess'; did you mean 'yes'?");
    refused("no,1\n", "expected a weight for each class, got none for 'yes'");
    refused("", "expected a weight for each class, got none for 'no'");
    refused("no,1\nyes,2\nno,3\n", ":3: class 'no' has a weight already");
    refused("no,1\nyes,-2\n", ":2: expected a weight in 1e-30..1e30, got '-2'");
    refused("no,1\nyes,nan\n", "got 'nan'");
    refused("no,1\nyes,inf\n", "got 'inf'");
    refused("no,1\nyes,0\n", "got '0'");
    refused("no,1\nyes,1e31\n", "got '1e31'");
    refused("no,1\nyes,\n", "got ''");
    refused("no,1\nyes,two\n", "got 'two'");
    refused("no,1,2\n", ":1: expected a class and its weight, got 3 columns");
    expect_input_error([&] { read_class_weights((folder / "none.csv").string(), dataset); }, {"none.csv"});
}

TEST(ThresholdOfARun, IsFittedOnTheValidationNodesAndUsedEverywhere) {
    Problem problem(100);
    const TrainedRun plain = problem.run("mlp");
    problem.threshold = threshold_rule("f1");
    const TrainedRun fitted = problem.run("mlp");
    ASSERT_TRUE(fitted.decision.threshold);
    EXPECT_EQ(fitted.decision.threshold->positive, 1);
    EXPECT_GE(fitted.result.validation.classes[1].f1, plain.result.validation.classes[1].f1);
    EXPECT_GT(fitted.result.test.classes[1].recall, plain.result.test.classes[1].recall);
    EXPECT_EQ(fitted.result.test.roc_auc, plain.result.test.roc_auc) << "only the decision changes";
    problem.threshold = threshold_rule("0.001");
    EXPECT_GT(problem.run("mlp").result.test.classes[1].recall, 0.95);
    problem.threshold = threshold_rule("balanced");
    EXPECT_GE(problem.run("lp", {}).result.validation.balanced_accuracy, 0.5)
        << "no method needs to know of it";
}

TEST(ThresholdOfARun, OfTheAutomaticChoiceComesFromItsHeldOutNodes) {
    Problem problem(60, 300);
    problem.split = all_training_split(problem.graph.dataset);
    problem.threshold = threshold_rule("f1");
    const TrainedRun run = problem.run("auto", {{"order", "2"}});
    ASSERT_TRUE(run.choice && run.choice->threshold);
    EXPECT_EQ(run.decision.threshold->least, *run.choice->threshold);
}

TEST(ThresholdOfARun, NamesWhatItLacks) {
    Problem problem(30);
    problem.threshold = threshold_rule("f1");
    problem.drop(problem.split.validation, 1);
    const TrainedRun run = problem.run();
    EXPECT_EQ(run.decision.threshold->least, 0.5);
    EXPECT_THAT(run.result.notes, Contains(HasSubstr("`threshold=f1` needs held-out nodes of both classes")));
    problem.split.validation.clear();
    expect_input_error([&] { problem.run(); }, {"`threshold=f1` is fitted to validation nodes, and the split",
                                                " has none; ", "`split=shares:60:20` has some"});
    problem.threshold = threshold_rule("0.2");
    EXPECT_EQ(problem.run().decision.threshold->least, 0.2) << "a number needs no nodes";
    problem.graph.dataset.class_names.emplace_back("perhaps");
    expect_input_error([&] { problem.run(); }, {"decides between two classes, and there are 3"});
}

TEST(DoubtsAboutAResult, SpeakOfAClassThatIsHardlyEverPredicted) {
    Problem problem(100);
    const TrainedRun run = problem.run("gcn", {{"selection", "accuracy"}, {"epochs", "3"}});
    EXPECT_THAT(run.result.notes, Contains(HasSubstr("always answering 'no' gives 90.0 %")));
    EXPECT_THAT(run.result.notes,
                Contains(HasSubstr("`class_weights=balanced`, `threshold=f1` or `selection=auc` may "
                                   "help")));
}

TEST(DoubtsAboutAResult, AreNotVoicedWhereAllIsWell) {
    SyntheticOptions options;
    options.nodes = 600;
    options.classes = 2;
    options.topic_share = 0.9;
    const PreparedGraph graph = prepare_graph(make_synthetic(options));
    OperatorPool operators(graph);
    const Split split = random_split(graph.dataset, {20, 100, 200, 1});
    AskedMethod method = asked_method("gcn", "");
    const TrainedRun run = train_run({graph, operators, method, split, 1}, {1});
    EXPECT_TRUE(run.result.notes.empty()) << run.result.notes.front();
}

// Probabilities of the second class, and what they are judged by.
TrainedRun judged_run(const Problem& problem, const std::vector<float>& scores) {
    TrainedRun run{MethodSettings("gcn", ""), {}, {}, {}};
    run.probabilities = DenseMatrix(problem.graph.dataset.nodes, 2);
    for (Index i = 0; i < problem.graph.dataset.nodes; ++i) {
        run.probabilities.at(i, 0) = 1 - scores[i];
        run.probabilities.at(i, 1) = scores[i];
    }
    const auto at = [&](const std::vector<Index>& nodes) {
        return compute_metrics(run.probabilities, problem.graph.dataset.labels, nodes);
    };
    run.result.train = at(problem.split.train);
    run.result.validation = at(problem.split.validation);
    run.result.test = at(problem.split.test);
    return run;
}

TEST(ReversedRanking, IsAWarningWhereChanceDoesNotExplainIt) {
    const Problem problem(100);
    std::vector<float> right, wrong, chance;
    for (Index i = 0; i < problem.graph.dataset.nodes; ++i) {
        const float noise = static_cast<float>((i * 37) % 100) / 200;
        const float truth = problem.graph.dataset.labels[i] == 1 ? 0.3F : 0.0F;
        right.push_back(noise + truth);
        wrong.push_back(0.5F + noise - truth);
        chance.push_back(noise);
    }
    const auto warnings = [&](const std::vector<float>& scores) {
        const TrainedRun run = judged_run(problem, scores);
        return warnings_about_result(problem.graph.dataset, problem.split, run, predicted_counts(run));
    };
    const auto is_told = Contains(HasSubstr("the ranking is reversed: ROC AUC is"));
    EXPECT_THAT(warnings(wrong), is_told);
    EXPECT_THAT(warnings(right), Not(is_told));
    EXPECT_THAT(warnings(chance), Not(is_told));
    TrainedRun at_validation = judged_run(problem, wrong);
    at_validation.result.test = judged_run(problem, right).result.test;
    EXPECT_THAT(warnings_about_result(problem.graph.dataset, problem.split, at_validation,
                                      predicted_counts(at_validation)),
                Contains(HasSubstr("at the validation nodes")));
}

TEST(WorseThanTheCommonestClass, IsAWarningThatNamesTheChoiceEvenByTrainingNodesAlone) {
    Problem problem(300);
    problem.split.train = all_training_split(problem.graph.dataset).train;
    problem.split.validation.clear();
    problem.split.test.clear();
    std::vector<float> wrong;
    for (Index i = 0; i < problem.graph.dataset.nodes; ++i)
        wrong.push_back(i % 10 == 0 ? 0.2F : 0.8F);
    const TrainedRun run = judged_run(problem, wrong);
    EXPECT_THAT(warnings_about_result(problem.graph.dataset, problem.split, run, predicted_counts(run)),
                Contains(HasSubstr("% of the 1000 training nodes are right, and always answering 'no' gives "
                                   "70.0 %; `method=auto` compares methods")));
}

}  // namespace
}  // namespace hwgcn::rare_classes_test
