// Several processes that share every run find, and say, what one process does on the same shards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"

#include "base/random_stream.hpp"
#include "distributed/shared_run.hpp"
#include "distributed/thread_peers.hpp"
#include "io/shards/shards.hpp"
#include "pipeline/feasible.hpp"
#include "test_data.hpp"

namespace hwgcn::shared_evaluation_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// Of 600 nodes half are in the split, and shares of the predictions are those of all.
TEST(SharedEvaluation, SaysWhatOneProcessSays) {
    const testing::TemporaryDirectory directory;
    SyntheticOptions synthetic;
    synthetic.nodes = 600;
    synthetic.mean_degree = 3;
    synthetic.vocabulary = 40;
    synthetic.words = 5;
    write_shards(directory / "s", make_synthetic(synthetic), {even_blocks(600, 50), "keep"});
    MethodSettings hardly_trained("gcn", "synthetic");
    hardly_trained.apply({{"epochs", "2"}, {"selection", "accuracy"}});
    EvaluationOptions protocol;
    protocol.split = "random:10:100:200";
    protocol.runs = 2;

    const PreparedGraph whole = prepare_graph(read_shards(directory / "s"));
    OperatorPool operators(whole);
    const auto alone = evaluate(whole, operators, {hardly_trained}, protocol, {1});
    EXPECT_THAT(alone.front().notes(), Contains(HasSubstr("of the predictions")));
    for (const int processes : {1, 3}) {
        run_as_threads(processes, [&](Peers& peers) {
            const ShardReader reader(directory / "s");
            const GraphPart part = read_part(reader, training_partition(reader, false, peers));
            const auto shared = evaluate_shared(
                part, {hardly_trained}, protocol,
                [&](const MethodSettings& settings) { return make_shared_operator(part, settings, {}); },
                {1});
            if (peers.rank() != 0) return;
            EXPECT_EQ(shared.front().values(&Metrics::accuracy), alone.front().values(&Metrics::accuracy));
            EXPECT_EQ(shared.front().notes(), alone.front().notes());
        });
    }
}

// Four measured numbers per node and a rare class.
Dataset measured() {
    Dataset dataset;
    dataset.name = "table";
    dataset.source = "table.csv";
    dataset.nodes = 300;
    dataset.class_names = {"no", "yes"};
    dataset.features = {dataset.nodes, 4, {0}, {}, {}};
    RandomStream random(1, 0);
    for (Index i = 0; i < dataset.nodes; ++i) {
        for (Index f = 0; f < dataset.features.columns; ++f) {
            dataset.features.indices.push_back(f);
            dataset.features.values.push_back(static_cast<float>(random.uniform() - 0.5));
        }
        dataset.features.offsets.push_back(static_cast<std::int64_t>(dataset.features.indices.size()));
        dataset.labels.push_back(i % 5 == 0 ? 1 : 0);
        dataset.edges.push_back({i, (i + 1) % dataset.nodes});
    }
    return dataset;
}

// What own data change in the settings and in the selection of the epoch holds for several processes, too.
TEST(SharedEvaluation, OwnDataHaveTheDefaultsOfOneProcess) {
    const testing::TemporaryDirectory directory;
    write_shards(directory / "s", measured(), {even_blocks(300, 50), "keep"});
    EvaluationOptions protocol;
    protocol.split = "shares:60:20";
    protocol.runs = 2;
    MethodSettings asked("gcn", "");
    asked.apply({{"epochs", "2"}});
    const auto feasible_of = [&](const PreparedGraph& graph, std::vector<std::string>& notes) {
        return std::get<MethodSettings>(feasible(graph, asked, {1}, notes));
    };

    const PreparedGraph whole = prepare_graph(read_shards(directory / "s"));
    OperatorPool operators(whole);
    std::vector<std::string> notes;
    const MethodSettings settings = feasible_of(whole, notes);
    EXPECT_EQ(settings.value("input_dropout"), "0");
    const auto alone = evaluate(whole, operators, {settings}, protocol, {1});
    EXPECT_THAT(alone.front().notes(), Contains(HasSubstr("selection by ROC AUC")));
    run_as_threads(2, [&](Peers& peers) {
        const ShardReader reader(directory / "s");
        const GraphPart part = read_part(reader, training_partition(reader, false, peers));
        std::vector<std::string> own;
        const MethodSettings shared_settings = feasible_of(part.graph, own);
        EXPECT_EQ(own, notes);
        EXPECT_EQ(part.graph.features.scaling.note, whole.features.scaling.note);
        const auto shared = evaluate_shared(
            part, {shared_settings}, protocol,
            [&](const MethodSettings& method) { return make_shared_operator(part, method, {}); }, {1});
        if (peers.rank() != 0) return;
        EXPECT_EQ(shared.front().runs.front().test.nll, alone.front().runs.front().test.nll);
        EXPECT_EQ(shared.front().notes(), alone.front().notes());
    });
}

}  // namespace
}  // namespace hwgcn::shared_evaluation_test
