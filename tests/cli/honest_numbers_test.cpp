// Numbers of the program computed once more from the files that it wrote, and labels that it must not use.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.hpp"

namespace hwgcn::testing::honest_numbers_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string small_graph = "nodes=300,classes=3,vocabulary=60,words=6,topic_share=0.4,seed=3";

struct Prediction {
    std::string predicted;
    std::vector<double> probabilities;
    std::string label;
    std::string part;
};

std::vector<std::string> fields_of(const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream stream(line + ",");
    for (std::string field; std::getline(stream, field, ',');)
        fields.push_back(field);
    return fields;
}

// predictions.csv by node: id, prediction, a column per class, label, split.
std::map<std::string, Prediction> predictions_of(const User& user, const std::string& run) {
    std::map<std::string, Prediction> table;
    std::istringstream stream(content_of(user.work() / run / "predictions.csv"));
    std::string line;
    std::getline(stream, line);
    while (std::getline(stream, line)) {
        const std::vector<std::string> fields = fields_of(line);
        Prediction& row = table[fields[0]];
        row.predicted = fields[1];
        for (std::size_t k = 2; k + 2 < fields.size(); ++k)
            row.probabilities.push_back(std::stod(fields[k]));
        row.label = fields[fields.size() - 2];
        row.part = fields.back();
    }
    return table;
}

struct Judged {
    int count = 0;
    double accuracy = 0;
    double ece = 0;  // over fifteen bins of equal width
};

Judged judge_by_hand(const std::map<std::string, Prediction>& table, const std::string& part) {
    std::vector<double> gap(15, 0.0);
    Judged judged;
    for (const auto& [id, row] : table) {
        if (row.part != part) continue;
        const double confidence = *std::ranges::max_element(row.probabilities);
        const bool right = row.predicted == row.label;
        const auto bin = static_cast<std::size_t>(std::ceil(confidence * 15)) - 1;
        gap[std::min<std::size_t>(bin, 14)] += confidence - (right ? 1.0 : 0.0);
        judged.accuracy += right ? 100.0 : 0.0;
        ++judged.count;
    }
    for (const double difference : gap)
        judged.ece += 100.0 * std::abs(difference) / judged.count;
    judged.accuracy /= judged.count;
    return judged;
}

TEST(HonestNumbers, AccuracyAndCalibrationErrorAreThoseOfTheTestNodes) {
    const User user;
    const nlohmann::json result =
        user.run_json({"train", "synthetic", "--synthetic", small_graph, "--order", "2", "--epochs", "30",
                       "--split", "random:5:50:100", "--no-baselines", "--out", "run"});
    const auto table = predictions_of(user, "run");
    const Judged test = judge_by_hand(table, "test"), validation = judge_by_hand(table, "validation");
    EXPECT_EQ(test.count, 100);
    EXPECT_NEAR(result["test_accuracy"], test.accuracy, 1e-9);
    EXPECT_NEAR(result["validation_accuracy"], validation.accuracy, 1e-9);
    EXPECT_NEAR(result["train_accuracy"], judge_by_hand(table, "train").accuracy, 1e-9);
    EXPECT_NEAR(result["ece"], test.ece, 1e-4);
    EXPECT_GT(std::abs(test.ece - validation.ece), 0.01) << "told apart";
}

TEST(HonestNumbers, WithoutValidationNodesNothingIsCalibratedAndBothErrorsAreOne) {
    const User user;
    const nlohmann::json result =
        user.run_json({"train", "synthetic", "--synthetic", small_graph, "--order", "2", "--epochs", "30",
                       "--split", "random:5:0:100", "--no-baselines", "--out", "run"});
    EXPECT_EQ(result["temperature"], 1.0);
    EXPECT_GT(result["ece"], 1.0);
    EXPECT_EQ(result["ece"], result["raw_ece"]);
    EXPECT_NEAR(result["ece"], judge_by_hand(predictions_of(user, "run"), "test").ece, 1e-4);
}

// The table of nodes, in which those of `ids` have the next label.
std::string with_other_labels(const std::string& nodes, const std::vector<std::string>& ids) {
    std::vector<std::vector<std::string>> rows;
    std::istringstream stream(nodes);
    for (std::string line; std::getline(stream, line);)
        rows.push_back(fields_of(line));
    const auto label = static_cast<std::size_t>(std::ranges::find(rows[0], "label") - rows[0].begin());
    std::set<std::string> classes;
    for (std::size_t k = 1; k < rows.size(); ++k)
        classes.insert(rows[k].at(label));
    std::string text;
    for (std::vector<std::string>& row : rows) {
        if (std::ranges::count(ids, row[0]) > 0) {
            const auto next = std::next(classes.find(row[label]));
            row[label] = next == classes.end() ? *classes.begin() : *next;
        }
        for (std::size_t k = 0; k < row.size(); ++k)
            text += (k == 0 ? "" : ",") + row[k];
        text += '\n';
    }
    return text;
}

TEST(HonestNumbers, TestLabelsMoveNeitherModelNorTemperature) {
    const User user;
    user.run({"data", "export", "synthetic", "--synthetic", small_graph, "--format", "csv", "--out", "a"});
    user.run({"data", "split", "--edges", "a/edges.csv", "--nodes", "a/nodes.csv", "--split",
              "random:5:50:100", "--out", "s.json"});
    const nlohmann::json split = nlohmann::json::parse(content_of(user.work() / "s.json"));
    const auto tested = split.at("test").get<std::vector<std::string>>();
    ASSERT_EQ(tested.size(), 100U);
    user.write("b.csv", with_other_labels(content_of(user.work() / "a/nodes.csv"), tested));
    const auto train = [&](const std::string& table, const std::string& method, const std::string& out) {
        return user.run_json({"train", "--edges", "a/edges.csv", "--nodes", table, "--split", "s.json",
                              "--method", method, "--order", "2", "--epochs", "20", "--no-baselines", "--out",
                              out});
    };
    for (const std::string method : {"hwgcn", "auto"}) {
        const nlohmann::json honest = train("a/nodes.csv", method, method + "-a");
        const nlohmann::json fooled = train("b.csv", method, method + "-b");
        EXPECT_EQ(honest["temperature"], fooled["temperature"]) << method;
        EXPECT_NE(honest["temperature"], 1.0);
        EXPECT_EQ(honest["best_epoch"], fooled["best_epoch"]);
        EXPECT_NE(honest["test_accuracy"], fooled["test_accuracy"]) << "the labels did change";
        EXPECT_THAT(fooled["notes"].dump(), Not(HasSubstr("stay within a class"))) << "nor in the doubts";
        EXPECT_TRUE(content_of(user.work() / (method + "-a") / "model.npz") ==
                    content_of(user.work() / (method + "-b") / "model.npz"))
            << method;
    }
}

// Edges of the training and validation nodes stay within a class, all the others join two.
TEST(HonestNumbers, TestLabelsRaiseNoDoubtsAboutTheGraph) {
    const User user;
    std::string edges = "from,to\n", nodes = "id,label,x\n";
    nlohmann::json split = {{"train", nlohmann::json::array()},
                            {"validation", nlohmann::json::array()},
                            {"test", nlohmann::json::array()}};
    for (int k = 0; k < 120; ++k) {
        const bool tested = k >= 60;
        nodes += fmt::format("n{},{},1\n", k, k % 2 == 0 ? "even" : "odd");
        split[tested ? "test" : k < 30 ? "train" : "validation"].push_back(fmt::format("n{}", k));
        const int next = tested ? 60 + (k + 1) % 60 : (k + 2) % 60;
        edges += fmt::format("n{},n{}\n", k, next);
        if (tested) edges += fmt::format("n{},n{}\n", k, 60 + (k + 3) % 60);
    }
    user.write("e.csv", edges);
    user.write("n.csv", nodes);
    user.write("s.json", split.dump());
    const auto notes = [&](const std::string& file) {
        return user
            .run_json({"train", "--edges", "e.csv", "--nodes", "n.csv", "--split", file, "--method", "gcn",
                       "--epochs", "2", "--no-baselines"})["notes"]
            .dump();
    };
    EXPECT_THAT(notes("s.json"), Not(HasSubstr("stay within a class")));
    split["validation"].swap(split["test"]);
    user.write("swapped.json", split.dump());
    EXPECT_THAT(notes("swapped.json"), HasSubstr("stay within a class")) << "labels that may be looked at";
}

// Neither calibrates here: without validation nodes, and a single method is judged as it is by evaluate.
TEST(HonestNumbers, OneRunOfEvaluateIsTheTrainingOfItsSeed) {
    const User user;
    const std::vector<std::string> how = {"synthetic", "--synthetic", small_graph, "--order",
                                          "2",         "--epochs",    "30",        "--no-baselines",
                                          "--method",  "hwgcn",       "--split",   "random:5:0:100"};
    const auto with = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
        words.insert(words.end(), how.begin(), how.end());
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    const nlohmann::json trained = user.run_json(with({"train"}, {"--seed", "8"}));
    const nlohmann::json evaluated =
        user.run_json(with({"evaluate"}, {"--first-seed", "8", "--runs", "1"}))["results"][0];
    EXPECT_NEAR(evaluated["mean"], trained["test_accuracy"], 1e-9);
    EXPECT_NEAR(evaluated["ece"], trained["ece"], 1e-9);
    EXPECT_NEAR(evaluated["nll"], trained["nll"], 1e-9);
    EXPECT_NEAR(evaluated["macro_f1"], trained["macro_f1"], 1e-9);
    EXPECT_EQ(evaluated["best_epochs"][0], trained["best_epoch"]);
}

// The curve of accuracy against K has a point for each number of orders.
TEST(HonestNumbers, TheReportTrainsWithEveryNumberOfOrders) {
    const User user;
    user.run_json({"train", "karate", "--epochs", "5", "--order", "3", "--split", "random:4:8:12",
                   "--no-baselines", "--out", "run"});
    user.run_json({"report", "run", "--orders", "1", "--out", "page.html"});
    const std::string page = content_of(user.work() / "page.html");
    const std::size_t begin = page.find("\"orders\":[{\"mean\"") + 9;
    const nlohmann::json points =
        nlohmann::json::parse(page.substr(begin, page.find(']', begin) + 1 - begin));
    ASSERT_EQ(points.size(), 3U);
    for (int order = 1; order <= 3; ++order)
        EXPECT_EQ(points[order - 1]["order"], order);
}

TEST(HonestNumbers, ExplainHasTheProbabilitiesOfTheRun) {
    const User user;
    const nlohmann::json result =
        user.run_json({"train", "synthetic", "--synthetic", small_graph, "--order", "2", "--epochs", "60",
                       "--split", "random:5:50:100", "--no-baselines", "--out", "run"});
    ASSERT_GT(std::abs(result["temperature"].get<double>() - 1.0), 0.02) << "otherwise it would not matter";
    const auto table = predictions_of(user, "run");
    for (const std::string node : {"3", "77"}) {
        const nlohmann::json told = user.run_json({"explain", "run", "--node", node});
        std::vector<double> probabilities;
        for (const auto& [name, probability] : told["probabilities"].items())
            probabilities.push_back(probability);
        ASSERT_EQ(probabilities.size(), 3U);
        for (std::size_t c = 0; c < 3; ++c)
            EXPECT_NEAR(probabilities[c], table.at(node).probabilities[c], 1e-5) << "node " << node;
    }
}

}  // namespace
}  // namespace hwgcn::testing::honest_numbers_test
