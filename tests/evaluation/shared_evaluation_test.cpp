// Several processes that share every run find, and say, what one process does on the same shards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/base/peers.hpp"
#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/distributed/shared_run.hpp"
#include "hwgcn/evaluation/evaluate.hpp"
#include "hwgcn/io/shards.hpp"

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

    const PreparedGraph whole(read_shards(directory / "s"));
    OperatorPool operators(whole);
    const auto alone = evaluate(whole, operators, {hardly_trained}, protocol, {1});
    EXPECT_THAT(alone.front().notes(), Contains(HasSubstr("of the predictions")));
    for (const int processes : {1, 3}) {
        run_as_threads(processes, [&](Peers& peers) {
            const ShardReader reader(directory / "s");
            const PreparedGraph part = read_part(reader, training_partition(reader, false, peers));
            const auto shared = evaluate_shared(
                part, {hardly_trained}, protocol,
                [&](const MethodSettings& settings) { return make_operator(part, settings, {}); }, {1});
            if (peers.rank() != 0) return;
            EXPECT_EQ(shared.front().accuracies(), alone.front().accuracies());
            EXPECT_EQ(shared.front().notes(), alone.front().notes());
        });
    }
}

}  // namespace
}  // namespace hwgcn::shared_evaluation_test
