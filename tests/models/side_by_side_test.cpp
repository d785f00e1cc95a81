// Methods whose operators lie side by side: on graphs with directions, with learned rings, with new nodes.
#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/pipeline/train_run.hpp"

#include "base/random_stream.hpp"
#include "io/expect_input_error.hpp"
#include "operators/propagation.hpp"
#include "pipeline/warnings.hpp"

namespace hwgcn::side_by_side_test {
namespace {

using testing::expect_input_error;

MethodSettings settings_of(const std::string& method, const std::vector<Setting>& changes = {}) {
    MethodSettings settings(method, "synthetic");
    settings.apply(changes);
    return settings;
}

// Everybody has a topic; the class is the commonest topic among the five that one follows, which differ from
// the topics of the followers and from one's own.
Dataset followers(Index people = 400) {
    constexpr Index topics = 3;
    Dataset dataset;
    dataset.name = "followers";
    dataset.nodes = people;
    dataset.directed = true;
    dataset.class_names = {"a", "b", "c"};
    std::vector<Triplet<float>> features;
    RandomStream random(5, 1);
    for (Index i = 0; i < people; ++i)
        features.push_back({i, i % topics, 1.0F});
    for (Index i = 0; i < people; ++i) {
        const auto favourite = static_cast<Index>(random.below(topics));
        for (int k = 0; k < 5; ++k) {
            auto whom = static_cast<Index>(random.below(static_cast<std::uint64_t>(people - topics)));
            if (k < 3) whom += (favourite - whom % topics + topics) % topics;
            dataset.edges.push_back({i, whom});
        }
        dataset.labels.push_back(favourite);
    }
    dataset.features = csr_from_triplets(people, topics, std::move(features));
    return dataset;
}

double accuracy_of(const Dataset& dataset, const MethodSettings& settings) {
    const PreparedGraph graph = prepare_graph(Dataset(dataset));
    OperatorPool operators(graph);
    return train_run({graph, operators, settings, random_split(dataset, {60, 80, 120, 1}), 1}, {1})
        .result.test.accuracy;
}

TEST(MethodsSideBySide, TellWhomOneFollowsFromWhoFollows) {
    const Dataset dataset = followers();
    Dataset both_ways = dataset;
    both_ways.directed = false;
    const std::vector<Setting> quick = {{"epochs", "60"}, {"hidden", "32"}, {"layers", "1"}};
    const double with = accuracy_of(dataset, settings_of("sage", quick));
    EXPECT_GT(with, 0.9);
    EXPECT_GT(with, accuracy_of(both_ways, settings_of("sage", quick)) + 0.1);
    const std::vector<Setting> layers = {{"epochs", "60"}, {"hidden", "32"}, {"layers", "2"}};
    for (const char* const neighbors : {"symmetric", "mean"}) {
        std::vector<Setting> settings = layers;
        settings.push_back({"neighbors", neighbors});
        EXPECT_GT(accuracy_of(dataset, settings_of("deep-gcn", settings)), 0.9) << neighbors;
    }
    std::vector<Setting> out = quick;
    out.push_back({"operator", "out"});
    EXPECT_GT(accuracy_of(dataset, settings_of("gcn-res", out)), 0.75);
}

TEST(MethodsSideBySide, AreAsManyAsTheNetworkExpects) {
    SyntheticOptions options;
    options.nodes = 120;
    options.vocabulary = 40;
    options.words = 6;
    for (const bool directed : {false, true}) {
        Dataset dataset = make_synthetic(options);
        dataset.directed = directed;
        const PreparedGraph graph = prepare_graph(std::move(dataset));
        OperatorPool operators(graph);
        for (const MethodSettings& settings :
             {settings_of("sage"), settings_of("hwsage"), settings_of("hwsage", {{"order", "3"}}),
              settings_of("hwsage", {{"order", "1"}}), settings_of("gcn-res"), settings_of("lp"),
              settings_of("deep-gcn"), settings_of("wide-gcn", {{"operator", "higher-order"}})}) {
            EXPECT_EQ(operators.get(settings, {1}).blocks, operator_blocks(graph, settings))
                << method_label(settings);
        }
        EXPECT_EQ(operator_blocks(graph, settings_of("hwsage", {{"order", "3"}})), directed ? 5 : 4);
    }
}

// A pool has an operator for each way to take the neighbors.
TEST(MethodsSideBySide, TakeTheirNeighborsAsTheSettingsSay) {
    const PreparedGraph graph = prepare_graph(followers(60));
    OperatorPool operators(graph);
    const Propagation& symmetric = operators.get(settings_of("deep-gcn"), {1});
    const Propagation& mean = operators.get(settings_of("deep-gcn", {{"neighbors", "mean"}}), {1});
    EXPECT_EQ(&mean, &operators.get(settings_of("sage"), {1}));
    EXPECT_EQ(&symmetric, &operators.get(settings_of("wide-gcn"), {1}));
    EXPECT_NE(symmetric.matrix, mean.matrix);
    const auto sum_of = [](const SparseRow<float>& row) {
        return std::accumulate(row.values.begin(), row.values.end(), 0.0);
    };
    for (Index row = 0; row < mean.matrix->rows; ++row) {
        if (mean.matrix->row(row).size() == 0) continue;
        EXPECT_NEAR(sum_of(mean.matrix->row(row)), 1, 1e-6) << row;
    }
    EXPECT_GT(symmetric.matrix->entries(), mean.matrix->entries()) << "the node itself is among them";
}

TEST(MethodsSideBySide, SageOnLearnedRingsIsHwsage) {
    std::vector<MethodSettings> learned = {settings_of("sage", {{"operator", "higher-order"}}),
                                           settings_of("hwsage")};
    merge_equal_candidates(learned);
    ASSERT_EQ(learned.size(), 1U);
    EXPECT_EQ(method_label(learned[0]), "HWSAGE of order 2");
    std::vector<MethodSettings> plain = {settings_of("hwsage", {{"operator", "plain"}}), settings_of("sage")};
    merge_equal_candidates(plain);
    ASSERT_EQ(plain.size(), 1U);
    EXPECT_EQ(method_label(plain[0]), "SAGE");
}

TEST(MethodsSideBySide, UseDirectionsAndNeedNone) {
    const PreparedGraph graph = prepare_graph(followers(60));
    EXPECT_THAT(unused_of_edges(graph, std::vector<AskedMethod>{settings_of("sage"), settings_of("hwsage")}),
                ::testing::IsEmpty());
    EXPECT_THAT(unused_of_edges(graph, std::vector<AskedMethod>{settings_of("gcn-res")}),
                ::testing::ElementsAre(
                    ::testing::HasSubstr("for GCN-res they go both ways; SAGE and Boosted use them")));
    expect_input_error(
        [] {
            settings_of("sage", {{"operator", "in"}});
        },
        {"operator: expected plain or higher-order (either takes both directions of a directed graph), got "
         "'in'"});
}

// New nodes have rows of their own; those of the old ones within reach change, all others stay.
TEST(MethodsSideBySide, TakeNewNodes) {
    for (const char* const method : {"sage", "hwsage"}) {
        const auto before = std::make_shared<const PreparedGraph>(prepare_graph(followers(60)));
        Dataset grown = followers(60);
        grown.nodes = 62;
        grown.labels.insert(grown.labels.end(), 2, unlabelled);
        grown.features.rows = 62;
        grown.features.offsets.insert(grown.features.offsets.end(), 2, grown.features.offsets.back());
        grown.edges.push_back({60, 3});
        grown.edges.push_back({3, 61});
        const PreparedGraph after = prepare_addition(std::move(grown), {before, false});
        const MethodSettings settings = settings_of(method, {{"epochs", "3"}, {"hidden", "16"}});
        check_takes_new_nodes(after, settings);
        OperatorPool old_operators(*before), new_operators(after);
        const Propagation& old_operator = old_operators.get(settings, {1});
        const Propagation& new_operator = new_operators.get(settings, {1});
        ASSERT_EQ(new_operator.nodes(), 62);
        ASSERT_EQ(new_operator.blocks, old_operator.blocks);
        const Index out_of_3 = 3 * new_operator.blocks + 2;
        EXPECT_EQ(new_operator.matrix->row(out_of_3).size(), old_operator.matrix->row(out_of_3).size() + 1);
        const Split split = random_split(before->dataset, {5, 10, 20, 1});
        const TrainedModel model = train(*before, old_operator, settings, split, 1, {1});
        const DenseMatrix found = predict_nodes(after, new_operator, settings, model, {1});
        EXPECT_EQ(found.rows(), 62);
    }
}

}  // namespace
}  // namespace hwgcn::side_by_side_test
