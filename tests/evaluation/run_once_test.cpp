// That a run of `evaluate` is the training that its seed names, judged on the nodes that its numbers name.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/evaluation/evaluate.hpp"
#include "hwgcn/pipeline/train_run.hpp"

#include "choice/trials.hpp"
#include "metrics/calibration.hpp"
#include "operators/propagation.hpp"
#include "pipeline/feasible.hpp"

namespace hwgcn::run_once_test {
namespace {

Dataset small_dataset() {
    SyntheticOptions options;
    options.nodes = 240;
    options.classes = 3;
    options.vocabulary = 60;
    options.words = 6;
    options.topic_share = 0.4;
    return make_synthetic(options);
}

MethodSettings quick(const std::string& method, const std::string& epochs = "20") {
    MethodSettings settings(method, "synthetic");
    settings.apply(settings.read_among({{"epochs", epochs}, {"order", "2"}}));
    return settings;
}

Automatic quick_auto(const std::string& epochs = "20") {
    AskedMethod method = asked_method("auto", "synthetic");
    apply_settings(method, {{"epochs", epochs}, {"order", "2"}});
    auto automatic = std::get<Automatic>(method);
    automatic.with_validation.clear();  // the same candidates with and without validation nodes
    return automatic;
}

class RunOnceTest : public ::testing::Test {
  protected:
    DenseMatrix predictions(const MethodSettings& settings, const Split& split, std::uint64_t seed) {
        const Propagation& propagation = operators.get(settings, control);
        const TrainedModel model = train(graph, propagation, settings, split, seed, control);
        return predict_nodes(graph, propagation, settings, model.parameters, control);
    }

    double temperature_of(const DenseMatrix& probabilities, const std::vector<Index>& nodes) const {
        return calibration_of(probabilities, nodes).temperature;
    }

    Calibration calibration_of(const DenseMatrix& probabilities, const std::vector<Index>& nodes) const {
        return fit_calibration(probabilities, graph.dataset.labels, nodes);
    }

    void expect_judged_by(const RunResult& result, const DenseMatrix& probabilities, const Split& split) {
        const Metrics test = compute_metrics(probabilities, graph.dataset.labels, split.test);
        const Metrics validation = compute_metrics(probabilities, graph.dataset.labels, split.validation);
        EXPECT_EQ(result.test.accuracy, test.accuracy);
        EXPECT_EQ(result.test.macro_f1, test.macro_f1);
        EXPECT_EQ(result.test.nll, test.nll);
        EXPECT_EQ(result.test.ece, test.ece);
        EXPECT_EQ(result.validation.accuracy, validation.accuracy);
        EXPECT_NE(test.ece, validation.ece) << "otherwise this test could not tell them apart";
    }

    PreparedGraph graph = prepare_graph(small_dataset());
    OperatorPool operators{graph};
    ExecutionControl control{1, nullptr, nullptr};
};

TEST_F(RunOnceTest, EveryNumberIsThatOfItsNodes) {
    const MethodSettings settings = quick("hwgcn");
    const Split split = make_split(graph.dataset, "random:5:60:100", 3);
    DenseMatrix probabilities = predictions(settings, split, 3);
    apply_calibration(probabilities, calibration_of(probabilities, split.validation));
    expect_judged_by(train_feasible({graph, operators, settings, split, 3}, control).result, probabilities,
                     split);
}

TEST_F(RunOnceTest, RunsOfEvaluateHaveSplitsAndSeedsOfTheirOwn) {
    const MethodSettings settings = quick("gcn");
    const EvaluationOptions options{.split = "random:5:60:100", .runs = 3, .first_seed = 11};
    const MethodResult result = evaluate(graph, operators, {settings}, options, {2}).front();
    for (std::size_t r = 0; r < 3; ++r) {
        const Split split = make_split(graph.dataset, options.split, 11 + r);
        const RunResult expected =
            train_feasible({graph, operators, settings, split, 11 + r}, control).result;
        EXPECT_EQ(result.runs[r].test.nll, expected.test.nll) << "run " << r;
        EXPECT_EQ(result.runs[r].test.accuracy, expected.test.accuracy) << "run " << r;
    }
}

TEST_F(RunOnceTest, OnOneSplitTheSeedIsWhatDiffers) {
    MethodSettings settings = quick("gcn");
    const EvaluationOptions options{.split = "all", .runs = 1, .first_seed = 0};
    EXPECT_THROW(evaluate(graph, operators, {settings}, options, {1}), InputError);
    const Split split = make_split(graph.dataset, "random:5:60:100", 0);
    EXPECT_NE(train_feasible({graph, operators, settings, split, 0}, control).result.test.nll,
              train_feasible({graph, operators, settings, split, 1}, control).result.test.nll);
}

TEST_F(RunOnceTest, AnAutomaticMethodIsJudgedWithItsTemperature) {
    const Automatic automatic = quick_auto();
    for (const char* const specification : {"random:5:60:100", "random:6:0:100"}) {
        const Split split = make_split(graph.dataset, specification, 5);
        const ChosenMethod chosen = choose_method(graph, operators, automatic, split, 5, control);
        const RunResult result = train_feasible({graph, operators, automatic, split, 5}, control).result;
        DenseMatrix probabilities = predictions(chosen.settings, split, 5);
        ASSERT_GT(std::abs(chosen.choice.calibration.temperature - 1.0), 0.02)
            << "otherwise it would not matter";
        apply_calibration(probabilities, chosen.choice.calibration);
        expect_judged_by(result, probabilities, split);
        EXPECT_EQ(result.chosen, method_label(chosen.settings));
    }
}

TEST_F(RunOnceTest, TheTemperatureOfAMethodComesFromItsValidationNodes) {
    const Split split = make_split(graph.dataset, "random:5:60:100", 3);
    const DenseMatrix p = predictions(quick("hwgcn"), split, 3);
    const TrainedRun run = train_feasible({graph, operators, quick("hwgcn"), split, 3}, control);
    EXPECT_EQ(run.temperature, temperature_of(p, split.validation));
    EXPECT_NE(run.temperature, temperature_of(p, split.test));
    EXPECT_NE(run.temperature, temperature_of(p, split.train));
    EXPECT_EQ(run.result.raw_ece, compute_metrics(p, graph.dataset.labels, split.test).ece);
}

TEST_F(RunOnceTest, TheOtherSelectionIsThatOfATrainingByIt) {
    MethodSettings settings = quick("gcn", "60");
    bool told_apart = false;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const Split split = make_split(graph.dataset, "random:5:60:100", seed);
        settings.apply({{"selection", "accuracy"}});
        const RunResult by_accuracy =
            train_feasible({graph, operators, settings, split, seed}, control).result;
        settings.apply({{"selection", "loss"}});
        const RunResult by_loss = train_feasible({graph, operators, settings, split, seed}, control).result;
        EXPECT_EQ(by_accuracy.alternative_accuracy, by_loss.test.accuracy);
        EXPECT_EQ(by_loss.alternative_accuracy, by_accuracy.test.accuracy);
        told_apart = told_apart || by_loss.test.accuracy != by_accuracy.test.accuracy;
    }
    EXPECT_TRUE(told_apart);
}

// Every candidate judged once more on the nodes that it was held back from, one trial after the other.
TEST_F(RunOnceTest, CandidatesAreJudgedOnWhatTheyDidNotLearnFrom) {
    const Automatic automatic = quick_auto();
    for (const char* const specification : {"random:5:40:100", "random:12:0:100"}) {
        const Split split = make_split(graph.dataset, specification, 2);
        const Choice choice = choose_method(graph, operators, automatic, split, 2, control).choice;
        ASSERT_EQ(choice.tried.size(), automatic.candidates.size());
        std::vector<std::vector<int>> right;  // per candidate and node
        for (std::size_t k = 0; k < choice.tried.size(); ++k) {
            const auto candidate = std::ranges::find_if(automatic.candidates, [&](const MethodSettings& one) {
                return method_label(one) == choice.tried[k].label;
            });
            double nll = 0;
            std::vector<int>& hits = right.emplace_back();
            for (const Trial& trial : plan_trials(graph.dataset, split, 2)) {
                const DenseMatrix p = predictions(*candidate, trial.split, 2);
                for (const Index node : trial.held_out) {
                    const Index label = graph.dataset.labels[node];
                    hits.push_back(argmax(p, node) == label ? 1 : 0);
                    nll -= std::log(static_cast<double>(p.at(node, label)));
                }
            }
            const auto count = static_cast<double>(hits.size());
            EXPECT_NEAR(choice.tried[k].held_out.accuracy, std::reduce(hits.begin(), hits.end()) / count,
                        1e-9);
            EXPECT_NEAR(choice.tried[k].held_out.nll, nll / count, 1e-6) << choice.tried[k].label;
        }
        for (std::size_t k = 0; k < right.size(); ++k) {
            double sum = 0, squares = 0;
            for (std::size_t i = 0; i < right[k].size(); ++i) {
                sum += right[choice.best][i] - right[k][i];
                squares += std::abs(right[choice.best][i] - right[k][i]);
            }
            const auto count = static_cast<double>(right[k].size());
            const double mean = sum / count;
            EXPECT_NEAR(choice.tried[k].behind, mean, 1e-12);
            EXPECT_NEAR(choice.tried[k].behind_error, std::sqrt((squares / count - mean * mean) / count),
                        1e-9);
        }
    }
}

TEST_F(RunOnceTest, OfEquallyAccurateCandidatesTheOneWithTheSmallestLogLossIsBest) {
    bool tie = false;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const Split split = make_split(graph.dataset, "random:5:12:100", seed);
        const Choice choice = choose_method(graph, operators, quick_auto("10"), split, seed, control).choice;
        const Metrics& best = choice.tried[choice.best].held_out;
        for (const TriedMethod& tried : choice.tried) {
            EXPECT_LE(tried.held_out.accuracy, best.accuracy);
            if (tried.held_out.accuracy < best.accuracy) continue;
            EXPECT_GE(tried.held_out.nll, best.nll);
            tie = tie || tried.held_out.nll > best.nll;
        }
    }
    EXPECT_TRUE(tie) << "otherwise this test could not tell them apart";
}

// A split on which the preferred candidate is behind the best one, but not clearly.
TEST_F(RunOnceTest, ThePreferredCandidateIsTakenWithATemperatureOfItsOwn) {
    const Automatic automatic = quick_auto("25");
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const Split split = make_split(graph.dataset, "random:5:40:100", seed);
        const ChosenMethod chosen = choose_method(graph, operators, automatic, split, seed, control);
        const Choice& choice = chosen.choice;
        if (choice.tried[choice.chosen].behind <= 0) continue;
        // The first that is not clearly worse than the best, by its own numbers.
        std::size_t first = 0;
        while (choice.tried[first].behind > choice.tried[first].behind_error)
            ++first;
        EXPECT_EQ(choice.chosen, first);
        EXPECT_NE(choice.chosen, choice.best);
        EXPECT_EQ(method_label(chosen.settings), choice.tried[first].label);
        EXPECT_EQ(choice.calibration.temperature,
                  temperature_of(predictions(chosen.settings, split, seed), split.validation));
        const MethodSettings& best = automatic.candidates[choice.best];
        ASSERT_EQ(method_label(best), choice.tried[choice.best].label);
        EXPECT_NE(choice.calibration.temperature,
                  temperature_of(predictions(best, split, seed), split.validation));
        return;
    }
    FAIL() << "no split had a preferred candidate behind the best one";
}

}  // namespace
}  // namespace hwgcn::run_once_test
