// Labels that count more than others in the loss.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/pipeline/train_run.hpp"

namespace hwgcn::label_weights_test {
namespace {

using ::testing::HasSubstr;

struct Problem {
    PreparedGraph graph;
    Split split;
    OperatorPool operators;

    Problem()
        : graph(prepare_graph(data())),
          split(random_split(graph.dataset, {6, 30, 60, 1})),
          operators(graph) {}

    static Dataset data() {
        SyntheticOptions options;
        options.nodes = 150;
        options.classes = 3;
        options.vocabulary = 40;
        options.words = 6;
        options.topic_share = 0.2;
        return make_synthetic(options);
    }

    TrainedModel train(const std::string& method, const std::vector<Setting>& more = {}) {
        MethodSettings settings(method, "synthetic");
        settings.apply(settings.read_among({{"epochs", "20"}, {"order", "2"}, {"patience", "0"}}));
        settings.apply(more);
        return hwgcn::train(graph, operators.get(settings, {1}), settings, split, 2, {1});
    }

    TrainedRun run(AskedMethod method) {
        const auto* settings = std::get_if<MethodSettings>(&method);
        const bool has_epochs =
            settings == nullptr || method_info(settings->method()).kind == MethodKind::network;
        if (has_epochs) apply_settings(method, {{"epochs", "20"}});
        return train_run({graph, operators, std::move(method), split, 2}, {1});
    }

    void weigh(Index label, float weight) {
        graph.label_weights.of_nodes.assign(static_cast<std::size_t>(graph.dataset.nodes), 1.0F);
        for (Index node = 0; node < graph.dataset.nodes; ++node) {
            if (graph.dataset.labels[node] == label) graph.label_weights.of_nodes[node] = weight;
        }
    }
};

std::vector<double> losses(const TrainedModel& model) {
    std::vector<double> result;
    for (const EpochRecord& record : model.history)
        result.push_back(record.train_loss);
    return result;
}

TEST(LabelWeights, EqualOnesChangeNoBit) {
    for (const char* const method : {"gcn", "hwgpr", "planetoid"}) {
        Problem problem;
        const std::vector<double> plain = losses(problem.train(method));
        problem.graph.label_weights.of_nodes.assign(static_cast<std::size_t>(problem.graph.dataset.nodes),
                                                    2.5F);
        EXPECT_EQ(losses(problem.train(method)), plain) << method << ": only their ratios count";
    }
}

TEST(LabelWeights, ALabelThatCountsAlmostNothingIsAsGoodAsNone) {
    const std::vector<Setting> no_dropout = {{"input_dropout", "0"}, {"hidden_dropout", "0"}};
    Problem problem;
    const Index forgotten = problem.split.train.front();
    const std::vector<double> all = losses(problem.train("gcn", no_dropout));
    problem.graph.label_weights.of_nodes.assign(static_cast<std::size_t>(problem.graph.dataset.nodes), 1.0F);
    problem.graph.label_weights.of_nodes[forgotten] = 1e-20F;
    const std::vector<double> weighted = losses(problem.train("gcn", no_dropout));
    problem.graph.label_weights.of_nodes.clear();
    std::erase(problem.split.train, forgotten);
    const std::vector<double> without = losses(problem.train("gcn", no_dropout));
    ASSERT_EQ(weighted.size(), without.size());
    for (std::size_t epoch = 0; epoch < without.size(); ++epoch)
        EXPECT_NEAR(weighted[epoch], without[epoch], 1e-4);
    EXPECT_NE(all.front(), weighted.front());
}

TEST(LabelWeights, AHeavyClassBecomesMoreProbable) {
    for (const char* const method :
         {"gcn", "hwgcn", "mlp", "linear", "linear-neighbors", "diffusion", "boosted"}) {
        Problem problem;
        problem.split.validation.clear();  // the last epoch is taken, whatever it is good for
        const auto share = [&] {
            const TrainedRun run = problem.run(asked_method(method, ""));
            double sum = 0;
            for (Index node = 0; node < run.probabilities.rows(); ++node)
                sum += static_cast<double>(run.probabilities.at(node, 1));
            return sum / run.probabilities.rows();
        };
        const double before = share();
        problem.weigh(1, 50.0F);
        EXPECT_GT(share(), before + 0.03) << method;
    }
}

TEST(LabelWeights, MethodsWithoutALossRefuseThemByName) {
    Problem problem;
    problem.weigh(1, 2.0F);
    for (const char* const method : {"lp", "ica", "deepwalk", "manireg"}) {
        try {
            problem.train(method);
            ADD_FAILURE() << method << " should refuse weights";
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), HasSubstr(method_info(method).title + " cannot weigh labels"));
        }
    }
}

TEST(LabelWeights, AutoTriesOnlyWhatCanWeighLabels) {
    Problem problem;
    const auto has_lp = [](const TrainedRun& run) {
        return std::ranges::any_of(run.choice->tried,
                                   [](const TriedMethod& tried) { return tried.method == "lp"; });
    };
    EXPECT_TRUE(has_lp(problem.run(asked_method("auto", ""))));
    problem.weigh(1, 2.0F);
    const TrainedRun run = problem.run(asked_method("auto", ""));
    EXPECT_FALSE(has_lp(run));
    EXPECT_THAT(run.result.notes,
                ::testing::Contains(HasSubstr("auto does not try LP, which cannot weigh labels")));
}

}  // namespace
}  // namespace hwgcn::label_weights_test
