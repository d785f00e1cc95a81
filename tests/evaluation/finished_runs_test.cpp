#include <cmath>

#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/evaluation/evaluate.hpp"

#include "base/files/input_file.hpp"
#include "base/hash.hpp"
#include "io/expect_input_error.hpp"
#include "runs/run_journal.hpp"
#include "test_data.hpp"

namespace hwgcn::finished_runs_test {
namespace {

class FinishedRuns : public ::testing::Test {
  protected:
    static Dataset small_dataset() {
        SyntheticOptions options;
        options.nodes = 300;
        options.classes = 3;
        options.vocabulary = 80;
        options.words = 8;
        return make_synthetic(options);
    }

    std::vector<MethodResult> evaluate_in(const std::filesystem::path& file, int runs,
                                          std::uint64_t first_seed = 0, bool finished_only = false) {
        RunJournal journal(file);
        EXPECT_TRUE(journal.notes().empty());
        EvaluationOptions options;
        options.split = "random:5:60:100";
        options.runs = runs;
        options.first_seed = first_seed;
        options.finished_only = finished_only;
        OperatorPool operators(graph_);
        std::vector<AskedMethod> methods;
        for (const char* name : {"gcn", "mlp"}) {
            MethodSettings settings(name, "synthetic");
            settings.apply({{"epochs", "10"}});
            methods.emplace_back(std::move(settings));
        }
        return evaluate(graph_, operators, methods, options, {1}, &journal);
    }

    const testing::TemporaryDirectory folder_;
    const PreparedGraph graph_ = prepare_graph(small_dataset());
};

TEST_F(FinishedRuns, AreFoundWithoutTraining) {
    const auto none = evaluate_in(folder_ / "a", 3, 0, true);
    ASSERT_EQ(none.size(), 2U);
    EXPECT_TRUE(none[0].runs.empty());
    EXPECT_EQ(none[0].accuracy().count, 0);
    EXPECT_FALSE(none[1].paired.has_value());
    EXPECT_FALSE(none[0].alternative_accuracy().has_value());
    const auto trained = evaluate_in(folder_ / "a", 2, 1);
    const auto found = evaluate_in(folder_ / "a", 5, 0, true);
    ASSERT_EQ(found[0].runs.size(), 2U);
    EXPECT_EQ(found[0].runs[0].seed, 1U);
    EXPECT_EQ(found[0].runs[1].seed, 2U);
    EXPECT_EQ(found[0].values(&Metrics::accuracy), trained[0].values(&Metrics::accuracy));
    EXPECT_TRUE(found[1].paired.has_value());
    EXPECT_EQ(found[0].reused, 2);
}

TEST_F(FinishedRuns, OfSeveralJournalsArePutTogether) {
    const auto whole = evaluate_in(folder_ / "whole", 4);
    evaluate_in(folder_ / "a", 2);
    evaluate_in(folder_ / "b", 3, 1);  // run 1 is in both
    testing::write_plainly(folder_ / "all", read_file(folder_ / "a") + read_file(folder_ / "b"));
    const auto all = evaluate_in(folder_ / "all", 4);
    EXPECT_EQ(all[0].reused, 4);
    EXPECT_EQ(all[0].values(&Metrics::accuracy), whole[0].values(&Metrics::accuracy));
    EXPECT_EQ(all[1].values(&Metrics::accuracy), whole[1].values(&Metrics::accuracy));
}

TEST_F(FinishedRuns, OfAJournalThatWasCutOffLoseOneLine) {
    evaluate_in(folder_ / "a", 2);
    evaluate_in(folder_ / "b", 2, 2);
    const std::string cut = read_file(folder_ / "a");
    testing::write_plainly(folder_ / "all", cut.substr(0, cut.size() - 9) + read_file(folder_ / "b"));
    const RunJournal journal(folder_ / "all");
    ASSERT_EQ(journal.notes().size(), 1U);
    EXPECT_NE(journal.notes().front().find("1 damaged line left out"), std::string::npos);
}

TEST_F(FinishedRuns, OfAnOlderVersionAreRefusedBehindOthers) {
    evaluate_in(folder_ / "a", 1);
    const std::string content = read_file(folder_ / "a") + "hwgcn runs 1\n0123456789abcdef {}\n";
    testing::write_plainly(folder_ / "all", content);
    testing::expect_input_error([&] { RunJournal(folder_ / "all"); }, {"is a journal of an older version"});
    EXPECT_EQ(read_file(folder_ / "all"), content);
}

TEST_F(FinishedRuns, KnowTheirTimeMemoryAndValidationLoss) {
    const auto trained = evaluate_in(folder_ / "a", 1);
    const auto found = evaluate_in(folder_ / "a", 1, 0, true);
    const RunResult& run = found[0].runs[0];
    EXPECT_GT(run.seconds, 0);
    EXPECT_EQ(run.seconds, trained[0].runs[0].seconds);
    ASSERT_TRUE(run.peak_mb.has_value());
    EXPECT_GT(*run.peak_mb, 1);
    EXPECT_GT(run.validation.nll, 0);
    EXPECT_EQ(run.validation.nll, trained[0].runs[0].validation.nll);
}

TEST_F(FinishedRuns, OfEarlierVersionsDoNotKnowMemoryAndValidationLoss) {
    evaluate_in(folder_ / "a", 1);
    std::string content = "hwgcn runs 2\n";
    std::string line = read_file(folder_ / "a");
    line = line.substr(line.find('{'), line.find('}') - line.find('{') + 1);
    for (const char* key : {",\"validation_nll\":", ",\"peak_mb\":"}) {
        const std::size_t begin = line.find(key);
        ASSERT_NE(begin, std::string::npos) << line;
        line.erase(begin, line.find_first_of(",}", begin + 1) - begin);
    }
    content += Sha256().text(line).hex().substr(0, 16) + " " + line + "\n";
    testing::write_plainly(folder_ / "old", content);
    const auto found = evaluate_in(folder_ / "old", 1, 0, true);
    ASSERT_EQ(found[0].runs.size(), 1U);
    EXPECT_FALSE(found[0].runs[0].peak_mb.has_value());
    EXPECT_TRUE(std::isnan(found[0].runs[0].validation.nll));
    EXPECT_GT(found[0].runs[0].seconds, 0);
}

}  // namespace
}  // namespace hwgcn::finished_runs_test
