// What methods are compared by, and what journals of all versions know of it.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/evaluation/evaluate.hpp"
#include "hwgcn/pipeline/train_run.hpp"

#include "base/files/input_file.hpp"
#include "base/hash.hpp"
#include "pipeline/feasible.hpp"
#include "runs/run_journal.hpp"
#include "test_data.hpp"

namespace hwgcn::scores_test {
namespace {

// Two classes, one of them rare: every eighth node keeps its own.
Dataset rare_dataset() {
    SyntheticOptions options;
    options.nodes = 320;
    options.classes = 2;
    options.vocabulary = 60;
    options.words = 6;
    options.topic_share = 0.5;
    Dataset dataset = make_synthetic(options);
    Index ones = 0;
    for (Index& label : dataset.labels) {
        if (label == 1 && ++ones % 4 != 0) label = 0;
    }
    return dataset;
}

class ScoresTest : public ::testing::Test {
  protected:
    std::vector<MethodResult> evaluated(Metric metric, RunJournal* journal = nullptr,
                                        const std::string& split = "shares:40:20") {
        std::vector<AskedMethod> methods;
        for (const char* const name : {"gcn", "mlp"}) {
            MethodSettings settings(name, "synthetic");
            settings.apply({{"epochs", "15"}});
            methods.emplace_back(std::move(settings));
        }
        const EvaluationOptions options{.split = split, .runs = 3, .metric = metric};
        return evaluate(graph, operators, methods, options, {2}, journal);
    }

    // The journal as an earlier version would have written it.
    void forget_new_scores(const std::filesystem::path& file) const {
        std::string old = "hwgcn runs 2\n";
        const std::string content = read_file(file);
        for (std::size_t begin = old.size(); begin < content.size();) {
            const std::size_t end = content.find('\n', begin);
            auto json = nlohmann::ordered_json::parse(content.substr(begin + 17, end - begin - 17));
            for (const char* const key :
                 {"test_roc_auc", "test_average_precision", "test_balanced_accuracy", "test_mcc"})
                json.erase(key);
            const std::string text = json.dump();
            old += Sha256().text(text).hex().substr(0, 16) + " " + text + "\n";
            begin = end + 1;
        }
        testing::write_plainly(file, old);
    }

    PreparedGraph graph = prepare_graph(rare_dataset());
    OperatorPool operators{graph};
    testing::TemporaryDirectory folder;
};

TEST_F(ScoresTest, EveryScoreOfARunIsThatOfItsTestNodes) {
    const MethodResult gcn = evaluated(&Metrics::accuracy).front();
    const Split split = make_split(graph.dataset, "shares:40:20", 1);
    const RunResult run = train_feasible({graph, operators, gcn.method, split, 1}, {1}).result;
    int told_apart = 0;
    for (const MetricInfo& info : all_metrics()) {
        EXPECT_EQ(gcn.values(info.metric)[1], info.shown(run.test)) << info.key;
        told_apart += run.test.*info.metric != run.validation.*info.metric ? 1 : 0;
    }
    EXPECT_GE(told_apart, 2) << "rankings, at least, differ from those of the validation nodes";
    EXPECT_EQ(run.test.positive, 1);
}

TEST_F(ScoresTest, MethodsAreComparedByTheScoreAskedFor) {
    for (const MetricInfo& info : all_metrics()) {
        const std::vector<MethodResult> results = evaluated(info.metric);
        const PairedComparison expected =
            compare_paired(results[1].values(info.metric), results[0].values(info.metric));
        ASSERT_TRUE(results[1].paired.has_value());
        EXPECT_EQ(results[1].paired->mean_difference, expected.mean_difference) << info.key;
        EXPECT_EQ(results[1].metric, info.metric);
        EXPECT_FALSE(results[0].paired.has_value());
        EXPECT_EQ(results[1].summary(info.metric)->count, 3);
    }
}

TEST_F(ScoresTest, TheDefaultIsAucWhereOneOfTwoClassesIsRare) {
    EXPECT_EQ(default_metric(graph.dataset, {.split = "shares:40:20"}), &Metrics::roc_auc);
    EXPECT_EQ(default_metric(graph.dataset, {.split = "random:5:0:100"}), &Metrics::accuracy)
        << "as many of each class train";
    SyntheticOptions three;
    three.nodes = 100;
    three.classes = 3;
    EXPECT_EQ(default_metric(make_synthetic(three), {.split = "shares:40:20"}), &Metrics::accuracy);
}

TEST_F(ScoresTest, AJournalKeepsThemAll) {
    const std::filesystem::path file = folder / "runs.jsonl";
    RunResult run;
    run.test.roc_auc = 0.8125;
    run.test.average_precision = 0.25;
    run.test.balanced_accuracy = 0.5;
    run.test.mcc = -0.125;
    RunJournal(file).add("a", run);
    run.test.roc_auc = run.test.average_precision = Metrics::not_known;  // test nodes of one class
    RunJournal(file).add("b", run);
    const RunJournal journal(file);
    EXPECT_TRUE(journal.notes().empty());
    EXPECT_EQ(journal.find("a")->test.roc_auc, 0.8125);
    EXPECT_EQ(journal.find("a")->test.average_precision, 0.25);
    EXPECT_EQ(journal.find("a")->test.balanced_accuracy, 0.5);
    EXPECT_EQ(journal.find("a")->test.mcc, -0.125);
    EXPECT_TRUE(std::isnan(journal.find("b")->test.roc_auc));
    EXPECT_TRUE(journal.find("b")->unknown.empty());
}

TEST_F(ScoresTest, AnOlderJournalIsReadAndItsRunsAreRepeatedOnlyForAScoreThatItLacks) {
    const std::filesystem::path file = folder / "runs.jsonl";
    const std::vector<double> auc = [&] {
        RunJournal journal(file);
        return evaluated(&Metrics::accuracy, &journal)[0].values(&Metrics::roc_auc);
    }();
    forget_new_scores(file);
    {
        RunJournal journal(file);
        EXPECT_TRUE(journal.notes().empty()) << "nothing is damaged";
        const std::vector<MethodResult> results = evaluated(&Metrics::macro_f1, &journal);
        EXPECT_EQ(results[0].reused, 3);
        EXPECT_FALSE(results[0].summary(&Metrics::roc_auc).has_value());
        EXPECT_TRUE(results[1].paired.has_value());
        ASSERT_EQ(results[0].notes().size(), 1U);
        EXPECT_NE(results[0].notes()[0].find("3 of 3 runs come from a journal of an earlier version"),
                  std::string::npos)
            << results[0].notes()[0];
    }
    {
        RunJournal journal(file);
        const std::vector<MethodResult> results = evaluated(&Metrics::roc_auc, &journal);
        EXPECT_EQ(results[0].reused, 0);
        EXPECT_EQ(results[0].values(&Metrics::roc_auc), auc);
    }
    RunJournal journal(file);
    EXPECT_EQ(evaluated(&Metrics::roc_auc, &journal)[0].reused, 3) << "the new lines count";
}

TEST_F(ScoresTest, AnOlderJournalLacksThemStillAfterItWasRepaired) {
    const std::filesystem::path file = folder / "runs.jsonl";
    RunJournal(file).add("a", {});
    forget_new_scores(file);
    testing::write_plainly(file, read_file(file) + "damaged\n");
    RunJournal(file).add("b", {});
    const RunJournal repaired(file);
    EXPECT_TRUE(repaired.notes().empty());
    EXPECT_EQ(repaired.find("a")->unknown.size(), 4U);
    EXPECT_FALSE(repaired.find("a")->has(&Metrics::mcc));
    EXPECT_TRUE(repaired.find("a")->has(&Metrics::ece));
    EXPECT_TRUE(repaired.find("b")->has(&Metrics::mcc));
}

TEST_F(ScoresTest, WhereTestNodesAreOfOneClassThereIsNoMeanAndNoComparison) {
    Split split = make_split(graph.dataset, "shares:40:20", 0);
    std::erase_if(split.test, [&](Index node) { return graph.dataset.labels[node] == 1; });
    const std::filesystem::path file = folder / "split.json";
    write_split(file, split, graph.dataset);
    const std::vector<MethodResult> results = evaluated(&Metrics::roc_auc, nullptr, file.string());
    EXPECT_FALSE(results[1].paired.has_value());
    EXPECT_FALSE(results[1].summary(&Metrics::roc_auc).has_value());
    EXPECT_TRUE(results[1].summary(&Metrics::balanced_accuracy).has_value());
    ASSERT_FALSE(results[1].notes().empty());
    EXPECT_NE(results[1].notes().back().find("ROC AUC is not defined in 3 of 3 runs"), std::string::npos)
        << results[1].notes().back();
}

}  // namespace
}  // namespace hwgcn::scores_test
