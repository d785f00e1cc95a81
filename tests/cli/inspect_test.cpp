#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.hpp"

namespace hwgcn::testing::inspect_test {
namespace {

using ::testing::HasSubstr;

void expect_contract_keys(const nlohmann::json& inspection) {
    for (const char* const key :
         {"dataset", "nodes", "edges", "self_loops", "features", "feature_entries", "classes", "labelled",
          "components", "isolated", "homophily", "rings", "estimate"})
        EXPECT_TRUE(inspection.contains(key)) << key;
    for (const auto& ring : inspection["rings"]) {
        for (const char* const key : {"order", "pairs", "largest"})
            EXPECT_TRUE(ring[key].is_number_integer()) << key;
    }
    EXPECT_TRUE(inspection["estimate"].contains("seconds"));
    EXPECT_TRUE(inspection["estimate"].contains("peak_mb"));
}

TEST(Inspect, KarateIsDescribedInFull) {
    const nlohmann::json karate = User().run_json({"inspect", "karate", "--order", "6"});
    expect_contract_keys(karate);
    EXPECT_EQ(karate["nodes"], 34);
    EXPECT_EQ(karate["edges"], 78);
    EXPECT_EQ(karate["classes"], 2);
    EXPECT_EQ(karate["labelled"], 34);
    EXPECT_EQ(karate["components"], 1);
    EXPECT_FALSE(karate["sampled"]);
    // The club has diameter 5: 34 * 33 ordered pairs, 2 * 78 of them at distance 1, none at distance 6.
    ASSERT_EQ(karate["rings"].size(), 5U);
    int pairs = 2 * 78;
    for (const auto& ring : karate["rings"])
        pairs += ring["pairs"].get<int>();
    EXPECT_EQ(pairs, 34 * 33);
    EXPECT_EQ(karate["rings"][0]["order"], 2);
    EXPECT_EQ(karate["rings"][4]["pairs"], 0);
}

TEST(Inspect, ASyntheticGraphHasWhatItsSettingsSay) {
    const nlohmann::json graph =
        User().run_json({"inspect", "--synthetic",
                         "nodes=1e3,classes=4,mean_degree=6,vocabulary=50,words=5,seed=7", "--order", "3"});
    expect_contract_keys(graph);
    EXPECT_EQ(graph["dataset"], "synthetic");
    EXPECT_EQ(graph["nodes"], 1000);
    EXPECT_EQ(graph["edges"], 3000);
    EXPECT_EQ(graph["classes"], 4);
    EXPECT_EQ(graph["features"], 50);
    EXPECT_EQ(graph["feature_entries"], 5000);
    EXPECT_NEAR(graph["homophily"].get<double>(), 0.8, 0.001);
    EXPECT_GT(graph["estimate"]["seconds"].get<double>(), 0.0);
    EXPECT_GT(graph["estimate"]["peak_mb"].get<double>(), 1.0);
}

TEST(Inspect, HintsSayInPlainWordsWhatStandsInTheWay) {
    const User user;
    user.write("edges.csv", "a,b\nb,c\nc,d\n");
    user.write("nodes.csv", "id,label,f\na,x,1\nb,y,1\nc,x,0\nd,y,2\ne,x,1\n");
    const Outcome graph_only = user.run({"inspect", "--edges", "edges.csv"});
    EXPECT_THAT(graph_only.out, HasSubstr("no features"));
    EXPECT_THAT(graph_only.out, HasSubstr("no labels"));
    const Outcome whole = user.run({"inspect", "--edges", "edges.csv", "--nodes", "nodes.csv"});
    EXPECT_EQ(whole.status, 0) << whole;
    EXPECT_THAT(whole.out, HasSubstr("1 node without any feature"));
    EXPECT_THAT(whole.out, HasSubstr("1 node without neighbors"));
    EXPECT_THAT(whole.out, HasSubstr("low homophily: only 0 % of the edges"));
}

TEST(Inspect, AGraphWithoutFeaturesOrLabelsHasNoEstimateAndNoHomophily) {
    const User user;
    user.write("edges.csv", "a,b\nb,c\n");
    const nlohmann::json graph = user.run_json({"inspect", "--edges", "edges.csv"});
    expect_contract_keys(graph);
    EXPECT_TRUE(graph["homophily"].is_null());
    EXPECT_TRUE(graph["estimate"]["seconds"].is_null());
    EXPECT_EQ(graph["rings"][0]["pairs"], 2);
}

TEST(Inspect, HighOrdersOfALargeGraphAreSampled) {
    const nlohmann::json graph = User().run_json(
        {"inspect", "--synthetic", "nodes=201000,mean_degree=3,words=1,vocabulary=100", "--order", "4"});
    EXPECT_TRUE(graph["sampled"]);
    EXPECT_EQ(graph["rings"][0]["searched_nodes"], 201000);
    const int searched = graph["rings"][2]["searched_nodes"];
    EXPECT_LT(searched, 201000);
    // Scaled up to the whole graph: more than what was searched can hold.
    EXPECT_GT(graph["rings"][2]["pairs"].get<std::int64_t>(),
              searched * graph["rings"][2]["largest"].get<std::int64_t>());
}

TEST(Inspect, JsonGoesToAFileBesideTheText) {
    const User user;
    const Outcome outcome = user.run({"inspect", "karate", "--json", "new/folder/karate.json"});
    EXPECT_EQ(outcome.status, 0) << outcome;
    EXPECT_THAT(outcome.out, HasSubstr("homophily"));
    const auto json = nlohmann::json::parse(content_of(user.work() / "new/folder/karate.json"));
    EXPECT_EQ(json["nodes"], 34);
}

TEST(Inspect, CoraHasThePublishedRings) {
    const auto data = HWGCN_REAL_DATA();
    const nlohmann::json cora = User().run_json(
        {"inspect", "cora", "--order", "8", "--data-dir", std::filesystem::absolute(data).string()});
    EXPECT_EQ(cora["nodes"], 2708);
    EXPECT_EQ(cora["edges"], 5278);
    EXPECT_EQ(cora["components"], 78);
    const std::vector<int> expected = {86332, 247250, 663302, 1187132, 1389500, 1118348, 693030};
    ASSERT_EQ(cora["rings"].size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_EQ(cora["rings"][k]["pairs"], expected[k]) << "order " << k + 2;
}

// What inspect says of learned weights, and that its JSON says the same.
std::string outlook_of(const User& user, std::vector<std::string> arguments, const std::string& verdict) {
    arguments.insert(arguments.begin(), "inspect");
    const Outcome outcome = user.run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome;
    const nlohmann::json json = user.run_json(arguments)["learned_weights"];
    EXPECT_EQ(json["outlook"], verdict) << outcome;
    const std::size_t start = outcome.out.find("  learned weights: ");
    EXPECT_NE(start, std::string::npos) << outcome;
    if (start == std::string::npos) return "";
    const std::string line = outcome.out.substr(start, outcome.out.find('\n', start) - start);
    EXPECT_THAT(line, HasSubstr(json["reason"].get<std::string>()));
    EXPECT_THAT(line, HasSubstr("docs/when-it-helps.md"));
    return line;
}

TEST(Inspect, OneLineSaysWhetherLearnedWeightsAreLikelyToHelp) {
    const User user;
    const std::string words = "nodes=400,vocabulary=200,mean_degree=4";
    EXPECT_THAT(outlook_of(user, {"--synthetic", words + ",words=6"}, "likely"),
                HasSubstr("likely to help (48 training labels per class, 6 words per node"));
    EXPECT_THAT(outlook_of(user, {"--synthetic", words + ",words=20"}, "unlikely"),
                HasSubstr("unlikely to help (48 training labels per class; likely with up to 20)"));
    EXPECT_THAT(outlook_of(user, {"--synthetic", words + ",mean_degree=12"}, "unlikely"),
                HasSubstr("unlikely to help (mean degree 12, above 6)"));
    EXPECT_THAT(outlook_of(user, {"--synthetic", words + ",homophily=0.3"}, "unlikely"),
                HasSubstr("homophily 0.30, below 0.6"));
    EXPECT_THAT(outlook_of(user, {"--synthetic", words + ",noise_edges=1"}, "unknown"),
                HasSubstr("help not known (edges with weights were not measured)"));
    EXPECT_THAT(outlook_of(user, {"--synthetic", words + ",words=0,vocabulary=0"}, "unknown"),
                HasSubstr("no features"));
    EXPECT_THAT(outlook_of(user, {"--synthetic", words, "--scale", "standard"}, "unknown"),
                HasSubstr("features that are numbers were not measured"));
}

TEST(Inspect, LearnedWeightsOfTablesWithDirectionsNumbersOrWithoutLabels) {
    const User user;
    user.write("edges.csv", "a,b\nb,c\nc,d\nd,a\na,c\n");
    user.write("numbers.csv", "id,label,f,g\na,x,1.5,-2\nb,y,0.3,7\nc,x,-0.4,1\nd,y,2.25,3\n");
    EXPECT_THAT(outlook_of(user, {"--edges", "edges.csv"}, "unknown"), HasSubstr("no features"));
    EXPECT_THAT(outlook_of(user, {"--edges", "edges.csv", "--nodes", "numbers.csv"}, "unknown"),
                HasSubstr("numbers were not measured"));
    std::string words = "node,feature\n";
    for (const char* node : {"a", "b", "c", "d"}) {
        for (int word = 0; word < 6; ++word)
            words += std::string(node) + ",w" + std::to_string(word) + "\n";
    }
    user.write("words.csv", words);
    const std::vector<std::string> tables = {"--edges", "edges.csv", "--features", "words.csv"};
    EXPECT_THAT(outlook_of(user, tables, "unknown"), HasSubstr("no labels; likely with up to 66 per class"));
    std::vector<std::string> directed = tables;
    directed.emplace_back("--directed");
    EXPECT_THAT(outlook_of(user, directed, "unknown"), HasSubstr("directions were not measured"));
}

}  // namespace
}  // namespace hwgcn::testing::inspect_test
