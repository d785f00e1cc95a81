// What defaults become on data of one's own.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/methods/train_run.hpp"

#include "support/random_stream.hpp"

namespace hwgcn::own_data_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// Four measured numbers per node, each of which says something; neighbours are random.
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
    const PreparedGraph graph(measured(200, "table.csv"));
    for (const char* const method : {"mlp", "gcn", "hwgcn", "appnp"}) {
        const TrainedRun run = trained(graph, method);
        EXPECT_EQ(run.settings.value("input_dropout"), "0") << method;
        EXPECT_THAT(run.notes, Contains(HasSubstr(method_info(method).title +
                                                  " drops none of them in training (`input_dropout`)")));
        const TrainedRun asked = trained(graph, method, {{"input_dropout", "0.5"}});
        EXPECT_EQ(asked.settings.value("input_dropout"), "0.5") << "as it was asked for, if that is usual";
        EXPECT_THAT(asked.notes, Not(Contains(HasSubstr("are few"))));
    }
}

TEST(OwnData, BenchmarksKeepTheirPublishedSettings) {
    const PreparedGraph graph(measured(200, "built-in"));
    const TrainedRun run = trained(graph, "mlp");
    EXPECT_EQ(run.settings.value("input_dropout"), MethodSettings("mlp", "").value("input_dropout"));
    EXPECT_THAT(run.notes, Not(Contains(HasSubstr("are few"))));
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

}  // namespace
}  // namespace hwgcn::own_data_test
