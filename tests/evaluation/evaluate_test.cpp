#include "hwgcn/evaluation/evaluate.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>

#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"

#include "base/files/input_file.hpp"
#include "base/hash.hpp"
#include "io/expect_input_error.hpp"
#include "pipeline/feasible.hpp"
#include "runs/run_journal.hpp"
#include "test_data.hpp"

namespace hwgcn::evaluate_test {
namespace {

Dataset small_dataset() {
    SyntheticOptions options;
    options.nodes = 300;
    options.classes = 3;
    options.vocabulary = 80;
    options.words = 8;
    options.topic_share = 0.8;
    return make_synthetic(options);
}

std::vector<AskedMethod> quick(const std::vector<std::string>& names, const std::vector<Setting>& more = {}) {
    std::vector<AskedMethod> methods;
    for (const std::string& name : names) {
        MethodSettings settings(name, "synthetic");
        std::vector<Setting> changes = more;
        if (std::ranges::find(more, "epochs", &Setting::name) == more.end())
            changes.push_back({"epochs", "20"});
        changes.push_back({"order", "2"});
        settings.apply(settings.read_among(changes));
        methods.emplace_back(std::move(settings));
    }
    return methods;
}

EvaluationOptions protocol(int runs) {
    EvaluationOptions options;
    options.split = "random:5:60:100";
    options.runs = runs;
    return options;
}

std::vector<MethodResult> evaluate_small(const std::vector<std::string>& names, int runs, int threads,
                                         RunJournal* journal = nullptr) {
    const PreparedGraph graph = prepare_graph(small_dataset());
    OperatorPool operators(graph);
    return evaluate(graph, operators, quick(names), protocol(runs), {threads}, journal);
}

TEST(Evaluate, NumbersDependNeitherOnThreadsNorOnOtherMethods) {
    const std::vector<MethodResult> together = evaluate_small({"gcn", "hwgcn", "mlp"}, 4, 3);
    const std::vector<MethodResult> alone = evaluate_small({"hwgcn"}, 4, 1);
    EXPECT_EQ(together[1].values(&Metrics::accuracy), alone[0].values(&Metrics::accuracy));
    for (std::size_t r = 0; r < 4; ++r) {
        EXPECT_EQ(together[1].runs[r].test.nll, alone[0].runs[r].test.nll) << "bit for bit";
        EXPECT_EQ(together[1].runs[r].best_epoch, alone[0].runs[r].best_epoch);
    }
}

TEST(Evaluate, ComparesWithTheFirstMethodRunByRun) {
    const std::vector<MethodResult> results = evaluate_small({"gcn", "mlp"}, 5, 2);
    EXPECT_FALSE(results[0].paired.has_value());
    ASSERT_TRUE(results[1].paired.has_value());
    double sum = 0;
    for (std::size_t r = 0; r < 5; ++r)
        sum += results[1].values(&Metrics::accuracy)[r] - results[0].values(&Metrics::accuracy)[r];
    EXPECT_NEAR(results[1].paired->mean_difference, sum / 5, 1e-9);
    EXPECT_EQ(results[0].accuracy().count, 5);
}

TEST(Evaluate, RunsAreThoseOfTheirSeedWhateverTheirNumber) {
    const std::vector<MethodResult> many = evaluate_small({"gcn"}, 4, 2);
    const std::vector<MethodResult> few = evaluate_small({"gcn"}, 2, 2);
    EXPECT_EQ(many[0].values(&Metrics::accuracy)[1], few[0].values(&Metrics::accuracy)[1]);
    EXPECT_NE(many[0].runs[0].test.nll, many[0].runs[1].test.nll) << "another seed is another run";
}

TEST(Evaluate, TestLabelsReachNothingButTheJudgement) {
    const Dataset dataset = small_dataset();
    const Split split = make_split(dataset, "random:5:60:100", 0);
    Dataset changed = dataset;
    for (const Index node : split.test)
        changed.labels[node] = (changed.labels[node] + 1) % changed.classes();
    const auto run = [&](Dataset data) {
        const PreparedGraph graph = prepare_graph(std::move(data));
        OperatorPool operators(graph);
        const AskedMethod settings = quick({"hwgcn"}).front();
        return train_feasible({graph, operators, settings, split, 0}, {1}).result;
    };
    const RunResult honest = run(dataset);
    const RunResult fooled = run(changed);
    EXPECT_EQ(honest.best_epoch, fooled.best_epoch);
    EXPECT_EQ(honest.validation.accuracy, fooled.validation.accuracy);
    EXPECT_NE(honest.test.accuracy, fooled.test.accuracy) << "the labels that were judged by did change";
}

TEST(Evaluate, ASplitWithoutTestNodesIsRefused) {
    const PreparedGraph graph = prepare_graph(small_dataset());
    OperatorPool operators(graph);
    EvaluationOptions options = protocol(1);
    options.split = "random:5:60:0";
    EXPECT_THROW(evaluate(graph, operators, quick({"gcn"}), options, {1}), InputError);
}

TEST(Evaluate, AnOperatorWithUnfinishedSolvesIsAFailure) {
    const PreparedGraph graph = prepare_graph(small_dataset());
    OperatorPool operators(graph);
    const std::vector<AskedMethod> methods = quick({"hwgcn"}, {{"tolerance", "1e-300"}});
    EXPECT_THROW(evaluate(graph, operators, methods, protocol(1), {1}), ExecutionError);
}

TEST(Evaluate, EveryMethodOfTheTableTrainsOnEitherOperator) {
    const PreparedGraph graph = prepare_graph(small_dataset());
    OperatorPool operators(graph);
    for (const MethodInfo& info : method_table()) {
        for (const char* kind : {"plain", "higher-order"}) {
            const std::vector<AskedMethod> methods =
                quick({info.name}, {{"operator", kind}, {"epochs", "60"}});
            const MethodResult result = evaluate(graph, operators, methods, protocol(1), {1}).front();
            EXPECT_GT(result.accuracy().mean, 40.0) << info.name << " on the " << kind << " operator";
        }
    }
}

TEST(RunJournal, RemembersWhatWasChosen) {
    const testing::TemporaryDirectory folder;
    RunResult result;
    result.chosen = "HWGCN of order 6";
    RunJournal(folder / "runs.jsonl").add("key", result);
    EXPECT_EQ(RunJournal(folder / "runs.jsonl").find("key")->chosen, "HWGCN of order 6");
}

TEST(RunJournal, FinishedRunsAreNotRepeated) {
    const testing::TemporaryDirectory folder;
    const auto first = [&] {
        RunJournal journal(folder / "runs.jsonl");
        return evaluate_small({"gcn"}, 3, 2, &journal);
    }();
    EXPECT_EQ(first[0].reused, 0);
    RunJournal journal(folder / "runs.jsonl");
    const std::vector<MethodResult> second = evaluate_small({"gcn", "mlp"}, 5, 2, &journal);
    EXPECT_EQ(second[0].reused, 3);
    EXPECT_EQ(second[1].reused, 0);
    for (std::size_t r = 0; r < 3; ++r)
        EXPECT_EQ(first[0].runs[r].seconds, second[0].runs[r].seconds) << "read, not run again";
    EXPECT_EQ(evaluate_small({"gcn"}, 5, 1)[0].values(&Metrics::accuracy),
              second[0].values(&Metrics::accuracy));
}

TEST(RunJournal, DamagedAndCutLinesAreReportedAndRepeated) {
    const testing::TemporaryDirectory folder;
    const std::filesystem::path file = folder / "runs.jsonl";
    {
        RunJournal journal(file);
        evaluate_small({"gcn"}, 4, 1, &journal);
    }
    std::string content = read_file(file);
    const std::size_t digit = content.find("test_accuracy\":") + 17;
    content[digit] = content[digit] == '1' ? '2' : '1';  // in the first line
    content.resize(content.size() - 20);                 // the last line was being written
    testing::write_plainly(file, content);
    {
        RunJournal journal(file);
        ASSERT_EQ(journal.notes().size(), 1U);
        EXPECT_NE(journal.notes().front().find("2 damaged lines"), std::string::npos)
            << journal.notes().front();
        EXPECT_EQ(evaluate_small({"gcn"}, 4, 1, &journal)[0].reused, 2);
    }
    RunJournal repaired(file);
    EXPECT_TRUE(repaired.notes().empty());
    EXPECT_EQ(evaluate_small({"gcn"}, 4, 1, &repaired)[0].reused, 4);
}

TEST(RunJournal, SoundLinesOfOtherContentAreDamagedToo) {
    const testing::TemporaryDirectory folder;
    const std::filesystem::path file = folder / "runs.jsonl";
    std::string content = "hwgcn runs 2\n";
    for (const std::string text : {R"({"run": 7})", "[]", R"({"run": "x", "test_accuracy": "high"})"})
        content += Sha256().text(text).hex().substr(0, 16) + " " + text + "\n";
    testing::write_plainly(file, content);
    const RunJournal journal(file);
    ASSERT_EQ(journal.notes().size(), 1U);
    EXPECT_NE(journal.notes().front().find("3 damaged lines"), std::string::npos) << journal.notes().front();
    EXPECT_EQ(read_file(file.string() + ".damaged"), content);
}

TEST(RunJournal, ALineWithoutItsEndIsKeptAndTheNextOneStartsAnew) {
    const testing::TemporaryDirectory folder;
    const std::filesystem::path file = folder / "runs.jsonl";
    {
        RunJournal journal(file);
        evaluate_small({"gcn"}, 2, 1, &journal);
    }
    const std::string content = read_file(file);
    testing::write_plainly(file, content.substr(0, content.size() - 1));
    {
        RunJournal journal(file);
        EXPECT_TRUE(journal.notes().empty());
        EXPECT_EQ(evaluate_small({"gcn"}, 3, 1, &journal)[0].reused, 2);
    }
    RunJournal journal(file);
    EXPECT_TRUE(journal.notes().empty());
    EXPECT_EQ(evaluate_small({"gcn"}, 3, 1, &journal)[0].reused, 3);
}

TEST(RunJournal, AnyOtherFileIsRefusedAndLeftAlone) {
    const testing::TemporaryDirectory folder;
    for (const std::string& content :
         {std::string("id,label\n1,red\n"), std::string("h"), std::string("x")}) {
        testing::write_plainly(folder / "precious.csv", content);
        if (content == "h") {  // a journal that was killed in its first line
            EXPECT_NO_THROW(RunJournal(folder / "precious.csv"));
            continue;
        }
        EXPECT_THROW(RunJournal(folder / "precious.csv"), InputError);
        EXPECT_EQ(read_file(folder / "precious.csv"), content);
    }
}

TEST(RunJournal, OfAnOlderVersionIsRefusedAndLeftAlone) {
    const testing::TemporaryDirectory folder;
    const std::string content = "hwgcn runs 1\n0123456789abcdef {}\n";
    testing::write_plainly(folder / "old.jsonl", content);
    testing::expect_input_error([&] { RunJournal(folder / "old.jsonl"); },
                                {"old.jsonl: is a journal of an older version", "choose another file"});
    EXPECT_EQ(read_file(folder / "old.jsonl"), content);
}

TEST(RunJournal, BelongsToOneAtATime) {
    const testing::TemporaryDirectory folder;
    {
        const RunJournal journal(folder / "runs.jsonl");
        EXPECT_THROW(RunJournal(folder / "runs.jsonl"), InputError);
    }
    EXPECT_NO_THROW(RunJournal(folder / "runs.jsonl"));
}

TEST(RunJournal, KeysKnowDataSettingsSplitAndSeed) {
    const MethodSettings gcn("gcn", "cora");
    const MethodSettings mlp("mlp", "cora");
    const std::string key = RunJournal::key("data", gcn, "split", 1);
    EXPECT_EQ(RunJournal::key("data", gcn, "split", 1), key);
    EXPECT_NE(RunJournal::key("other", gcn, "split", 1), key);
    EXPECT_NE(RunJournal::key("data", mlp, "split", 1), key);
    EXPECT_NE(RunJournal::key("data", gcn, "other", 1), key);
    EXPECT_NE(RunJournal::key("data", gcn, "split", 2), key);
}

TEST(RunJournal, AFileThatCannotBeWrittenIsAnError) {
    const testing::TemporaryDirectory folder;
    testing::write_plainly(folder / "file", "");
    EXPECT_THROW(RunJournal(folder / "file" / "runs.jsonl"), Error);
}

TEST(PreparedGraph, TheHashKnowsGraphFeaturesLabelsAndNames) {
    const auto hash = [](const auto& change) {
        Dataset dataset = small_dataset();
        change(dataset);
        return dataset_hash(prepare_graph(std::move(dataset)));
    };
    const std::string original = hash([](Dataset&) {});
    EXPECT_EQ(hash([](Dataset&) {}), original);
    EXPECT_NE(hash([](Dataset& d) { d.edges.pop_back(); }), original);
    EXPECT_NE(hash([](Dataset& d) { d.features.values[3] += 1; }), original);
    EXPECT_NE(hash([](Dataset& d) { d.labels[5] = (d.labels[5] + 1) % 3; }), original);
    EXPECT_NE(hash([](Dataset& d) { d.class_names[0] += "x"; }), original);
}

}  // namespace
}  // namespace hwgcn::evaluate_test
