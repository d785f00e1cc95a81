// What defaults become on data of one's own.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/pipeline/train_run.hpp"

#include "base/random_stream.hpp"
#include "io/shards/shards.hpp"
#include "training/fit_options.hpp"

namespace hwgcn::own_data_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// Four measured numbers per node, each of which says something; neighbors are random.
Dataset measured(Index nodes, const std::string& source) {
    Dataset dataset;
    dataset.name = "table";
    dataset.source = source;
    dataset.nodes = nodes;
    dataset.class_names = {"no", "yes"};
    constexpr Index columns = 4;
    dataset.features = {nodes, columns, {0}, {}, {}};
    RandomStream random(1, 0);
    for (Index i = 0; i < nodes; ++i) {
        double sum = 0;
        for (Index f = 0; f < columns; ++f) {
            const double value = random.uniform() - 0.5;
            sum += value;
            dataset.features.indices.push_back(f);
            dataset.features.values.push_back(static_cast<float>(value));
        }
        dataset.features.offsets.push_back(static_cast<std::int64_t>(dataset.features.indices.size()));
        dataset.labels.push_back(sum > 0 ? 1 : 0);
        dataset.edges.push_back({i, static_cast<Index>(random.uniform() * nodes)});
    }
    std::erase_if(dataset.edges, [](const Edge& edge) { return edge.from == edge.to; });
    return dataset;
}

TrainedRun trained(const PreparedGraph& graph, const std::string& method,
                   const std::vector<Setting>& given = {}) {
    OperatorPool operators(graph);
    AskedMethod asked = asked_method(method, graph.dataset.name);
    apply_settings(asked, {{"epochs", "2"}});
    apply_settings(asked, given);
    const Split split = make_split(graph.dataset, "shares:60:20", 1);
    return train_run({graph, operators, asked, split, 1}, {1});
}

TEST(OwnData, FewFeaturesAreNotDroppedByAnyMethod) {
    const PreparedGraph graph = prepare_graph(measured(200, "table.csv"));
    for (const char* const method : {"mlp", "gcn", "hwgcn", "appnp"}) {
        const TrainedRun run = trained(graph, method);
        EXPECT_EQ(run.settings.value("input_dropout"), "0") << method;
        EXPECT_THAT(run.result.notes,
                    Contains(HasSubstr(method_info(method).title +
                                       " drops none of them in training (`input_dropout`)")));
        const TrainedRun asked = trained(graph, method, {{"input_dropout", "0.5"}});
        EXPECT_EQ(asked.settings.value("input_dropout"), "0.5") << "as it was asked for, if that is usual";
        EXPECT_THAT(asked.result.notes, Not(Contains(HasSubstr("are few"))));
    }
}

TEST(OwnData, BenchmarksKeepTheirPublishedSettings) {
    const PreparedGraph graph = prepare_graph(measured(200, "built-in"));
    const TrainedRun run = trained(graph, "mlp");
    EXPECT_EQ(run.settings.value("input_dropout"), MethodSettings("mlp", "").value("input_dropout"));
    EXPECT_THAT(run.result.notes, Not(Contains(HasSubstr("are few"))));
}

TEST(OwnData, GetsTheSplitOfAutoForEveryMethod) {
    const AskedMethod gcn = asked_method("gcn", ""), automatic = asked_method("auto", "");
    const Dataset few = measured(60, "table.csv"), many = measured(400, "table.csv");
    for (const AskedMethod& method : {gcn, automatic}) {
        EXPECT_EQ(default_split_for(few, method), "all");
        EXPECT_EQ(default_split_for(many, method), "shares:60:20");
    }
    EXPECT_EQ(default_repeated_split(few), "shares:60:20");
    EXPECT_EQ(default_repeated_split(many), "shares:60:20");
    const Dataset benchmark = measured(4000, "built-in");
    EXPECT_EQ(default_split_for(benchmark, gcn), "random:20");
    EXPECT_EQ(default_repeated_split(benchmark), "random:20");
    Dataset published = many;
    published.published_split = shares_split(many, 10, 10, 1);
    EXPECT_EQ(default_split_for(published, gcn), "published");
    EXPECT_EQ(default_repeated_split(published), "published");
}

// Steps that are far too long, which end in knowing the training labels by heart.
TrainedRun hasty(const PreparedGraph& graph, const Split& split, const std::vector<Setting>& given = {},
                 int threads = 1) {
    OperatorPool operators(graph);
    AskedMethod asked = asked_method("gcn", graph.dataset.name);
    apply_settings(asked, {{"rate", "0.2"}, {"l2", "0"}, {"hidden_dropout", "0"}});
    apply_settings(asked, given);
    return train_run({graph, operators, asked, split, 1}, {threads});
}

const auto says_how_long = Contains(HasSubstr("labels held out in turn (5 folds): "));

TEST(OwnData, WithoutValidationNodesHeldOutLabelsStopATrainingInTime) {
    const PreparedGraph graph = prepare_graph(measured(100, "table.csv"));
    const Split all = all_training_split(graph.dataset);
    const TrainedRun run = hasty(graph, all);
    EXPECT_THAT(run.result.notes, says_how_long);
    EXPECT_THAT(run.result.notes,
                Contains(HasSubstr("right after " + run.settings.value("epochs") + " of 200 epochs")));
    EXPECT_LT(run.settings.fit().epochs, 200);
    EXPECT_EQ(run.model.history.size(), static_cast<std::size_t>(run.settings.fit().epochs));
    const TrainedRun again = hasty(graph, all, {}, 3);
    EXPECT_EQ(again.result.notes, run.result.notes);
    for (std::size_t k = 0; k < run.model.parameters.size(); ++k)
        EXPECT_TRUE(std::ranges::equal(again.model.parameters[k].value.numbers(),
                                       run.model.parameters[k].value.numbers()));
}

TEST(OwnData, EpochsThatWereAskedForAreTrained) {
    const PreparedGraph graph = prepare_graph(measured(100, "table.csv"));
    const Split all = all_training_split(graph.dataset);
    const TrainedRun run = hasty(graph, all, {{"epochs", "200"}});
    EXPECT_EQ(run.model.history.size(), 200U);
    EXPECT_THAT(run.result.notes, Not(says_how_long));
    const Split shares = make_split(graph.dataset, "shares:60:20", 1);
    EXPECT_THAT(hasty(graph, shares).result.notes, Not(says_how_long)) << "validation nodes select the epoch";
    const PreparedGraph benchmark = prepare_graph(measured(100, "built-in"));
    EXPECT_THAT(hasty(benchmark, all).result.notes, Not(says_how_long));
}

TEST(OwnData, LabelsOutsideTheTrainingNodesDoNotSayHowLong) {
    PreparedGraph graph = prepare_graph(measured(100, "table.csv"));
    Split half;
    for (Index i = 0; i < 50; ++i)
        half.train.push_back(i);
    const TrainedRun run = hasty(graph, half);
    for (Index i = 50; i < 100; ++i)
        graph.dataset.labels[i] = 1 - graph.dataset.labels[i];
    EXPECT_EQ(hasty(graph, half).settings.value("epochs"), run.settings.value("epochs"));
}

const auto linear_says_more =
    Contains(HasSubstr("the features without the graph say more; `method=auto` compares"));

// The neighbors are random and their mean says next to nothing; a node's own numbers do.
TEST(OwnData, ABaselineThatDoesBetterOnTheLabelsHeldOutIsTold) {
    const PreparedGraph graph = prepare_graph(measured(200, "table.csv"));
    const Split all = all_training_split(graph.dataset);
    OperatorPool operators(graph);
    const auto run = [&](const char* method) {
        return train_run({graph, operators, asked_method(method, ""), all, 1}, {1});
    };
    EXPECT_THAT(run("sgc").result.notes, linear_says_more);
    EXPECT_THAT(run("linear").result.notes, Not(linear_says_more)) << "it is what the features say";
}

// Label propagation sees random neighbors and knows nothing; without test nodes nothing else would say so.
TEST(OwnData, MethodsWithoutEpochsAreJudgedWhereNothingElseDoes) {
    const PreparedGraph graph = prepare_graph(measured(120, "table.csv"));
    const auto run = [&](const PreparedGraph& data, const char* method, const Split& split) {
        OperatorPool pool(data);
        return train_run({data, pool, asked_method(method, ""), split, 1}, {1});
    };
    const auto is_judged = Contains(HasSubstr("was judged by labels held out in turn (5 folds): "));
    const Split all = all_training_split(graph.dataset);
    EXPECT_THAT(run(graph, "lp", all).result.notes, AllOf(is_judged, linear_says_more));
    EXPECT_THAT(run(graph, "ica", all).result.notes, AllOf(is_judged, Not(linear_says_more)));
    Split tested = all;
    tested.test.assign(tested.train.begin() + 60, tested.train.end());
    tested.train.resize(60);
    EXPECT_THAT(run(graph, "lp", tested).result.notes, Not(is_judged)) << "test nodes are compared";
    EXPECT_THAT(run(prepare_graph(measured(120, "built-in")), "lp", all).result.notes, Not(is_judged));
}

TEST(OwnData, ShardsWhoseLabelsAllTrainAreSaidToBeJudgedByNothing) {
    Dataset shards = measured(120, "shards");
    shards.blocks = even_blocks(120, 30);
    const PreparedGraph graph = prepare_graph(std::move(shards));
    const auto notes = [&](const PreparedGraph& data, const std::string& split) {
        OperatorPool operators(data);
        AskedMethod sgc = asked_method("sgc", "");
        apply_settings(sgc, {{"epochs", "2"}});
        return train_run({data, operators, sgc, make_split(data.dataset, split, 1), 1}, {1}).result.notes;
    };
    const auto is_said = Contains(HasSubstr("nothing says how good this is: all known labels"));
    EXPECT_THAT(notes(graph, "all"), is_said);
    EXPECT_THAT(notes(graph, "shares:60:20"), Not(is_said));
    EXPECT_THAT(notes(prepare_graph(measured(120, "table.csv")), "all"), Not(is_said))
        << "labels held out judge";
}

// What DeepWalk learns of the graph serves the folds and the training.
TEST(OwnData, JudgingAMethodWithoutEpochsChangesNoBit) {
    const PreparedGraph own = prepare_graph(measured(120, "table.csv"));
    const PreparedGraph benchmark = prepare_graph(measured(120, "built-in"));
    const Split all = all_training_split(own.dataset);
    const auto parameters = [&](const PreparedGraph& data) {
        OperatorPool operators(data);
        return train_run({data, operators, asked_method("deepwalk", ""), all, 1}, {1}).model.parameters;
    };
    const std::vector<TrainableMatrix> judged = parameters(own), alone = parameters(benchmark);
    ASSERT_EQ(judged.size(), alone.size());
    for (std::size_t k = 0; k < judged.size(); ++k)
        EXPECT_TRUE(std::ranges::equal(judged[k].value.numbers(), alone[k].value.numbers()));
}

}  // namespace
}  // namespace hwgcn::own_data_test
