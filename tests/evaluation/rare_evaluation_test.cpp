// Repeated runs with weights of classes and thresholds.
#include <gtest/gtest.h>

#include "hwgcn/evaluation/evaluate.hpp"

#include "pipeline/rare_nodes.hpp"
#include "runs/run_journal.hpp"
#include "test_data.hpp"

namespace hwgcn::rare_evaluation_test {
namespace {

struct Repeated {
    PreparedGraph graph = prepare_graph(testing::make_rare_nodes(600, 60));
    OperatorPool operators{graph};
    EvaluationOptions options;
    testing::TemporaryDirectory folder;

    Repeated() {
        options.split = "shares:50:25";
        options.runs = 2;
    }

    MethodResult run() {
        AskedMethod method = asked_method("mlp", "");
        apply_settings(method, {{"epochs", "20"}});
        RunJournal journal(folder / "journal");
        return evaluate(graph, operators, {method}, options, {1}, &journal).front();
    }
};

TEST(RareEvaluation, TheJournalTellsWeightsAndThresholdsApart) {
    Repeated repeated;
    const MethodResult plain = repeated.run();
    EXPECT_EQ(plain.reused, 0);
    EXPECT_EQ(repeated.run().reused, 2);
    EXPECT_EQ(std::get<MethodSettings>(plain.method).value("selection"), "auc");
    repeated.options.threshold = threshold_rule("0.001");
    const MethodResult eager = repeated.run();
    EXPECT_EQ(eager.reused, 0);
    EXPECT_LT(eager.accuracy().mean, plain.accuracy().mean - 20) << "nearly all are taken for the rare class";
    repeated.options.threshold = {};
    repeated.graph.label_weights.of_classes.balanced = true;
    EXPECT_EQ(repeated.run().reused, 0);
    EXPECT_EQ(repeated.run().reused, 2);
    repeated.graph.label_weights.of_classes = {false, {1, 3}};
    EXPECT_EQ(repeated.run().reused, 0);
    repeated.graph.label_weights.of_classes = {};
    EXPECT_EQ(repeated.run().reused, 2) << "those of the first time";
}

TEST(RareEvaluation, AThresholdThatCannotBeIsToldBeforeAnythingRuns) {
    Repeated repeated;
    repeated.options.threshold = threshold_rule("f1");
    repeated.graph.dataset.class_names.emplace_back("perhaps");
    EXPECT_THROW(repeated.run(), InputError);
}

}  // namespace
}  // namespace hwgcn::rare_evaluation_test
