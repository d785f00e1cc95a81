#include "hwgcn/choice/choose_method.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/evaluation/evaluate.hpp"

#include "io/expect_input_error.hpp"
#include "pipeline/feasible.hpp"

namespace hwgcn::choose_method_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

SyntheticOptions small() {
    SyntheticOptions options;
    options.nodes = 300;
    options.classes = 3;
    options.vocabulary = 60;
    options.words = 8;
    return options;
}

Automatic automatic(const std::vector<Setting>& more = {}) {
    AskedMethod method = asked_method("auto", "synthetic");
    apply_settings(method, {{"epochs", "30"}});
    apply_settings(method, more);
    return std::get<Automatic>(method);
}

ChosenMethod choose(const PreparedGraph& graph, const Split& split, int threads = 1,
                    const std::vector<Setting>& more = {}) {
    OperatorPool operators(graph);
    std::vector<std::string> notes;
    const Automatic settings = feasible_candidates(graph, automatic(more), {threads}, notes);
    return choose_method(graph, operators, settings, split, 3, {threads});
}

// Of every class so many training nodes, and as many others to validate and to test as asked for.
Split draw(const Dataset& dataset, int per_class, int validation, int test) {
    return random_split(dataset, {per_class, validation, test, 1});
}

void expect_same_choice(const ChosenMethod& a, const ChosenMethod& b) {
    EXPECT_EQ(settings_hash(a.settings), settings_hash(b.settings));
    EXPECT_EQ(a.choice.reason, b.choice.reason);
    EXPECT_EQ(a.choice.calibration.temperature, b.choice.calibration.temperature);
    ASSERT_EQ(a.choice.tried.size(), b.choice.tried.size());
    for (std::size_t k = 0; k < a.choice.tried.size(); ++k)
        EXPECT_EQ(a.choice.tried[k].held_out.nll, b.choice.tried[k].held_out.nll) << k;
    ASSERT_EQ(a.model.has_value(), b.model.has_value());
    for (std::size_t k = 0; a.model && k < a.model->parameters.size(); ++k) {
        EXPECT_TRUE(std::ranges::equal(a.model->parameters[k].value.numbers(),
                                       b.model->parameters[k].value.numbers()));
    }
}

TEST(ChooseMethod, NeverLooksAtTestLabels) {
    const Dataset dataset = make_synthetic(small());
    for (const int validation : {60, 0}) {
        const Split split = draw(dataset, 5, validation, 150);
        Dataset changed = dataset;
        for (Index node = 0; node < dataset.nodes; ++node) {
            const bool known =
                std::ranges::count(split.train, node) + std::ranges::count(split.validation, node);
            if (!known) changed.labels[node] = (dataset.labels[node] + 1) % 3;
        }
        expect_same_choice(choose(prepare_graph(dataset), split), choose(prepare_graph(changed), split));
    }
}

TEST(ChooseMethod, ThreadsChangeNothing) {
    const PreparedGraph graph = prepare_graph(make_synthetic(small()));
    for (const int validation : {60, 0}) {
        const Split split = draw(graph.dataset, 4, validation, 150);
        const ChosenMethod alone = choose(graph, split, 1);
        expect_same_choice(alone, choose(graph, split, 2));
        expect_same_choice(alone, choose(graph, split, 3));
    }
}

TEST(ChooseMethod, LeavesOutCandidatesThatDiverge) {
    const PreparedGraph graph = prepare_graph(make_synthetic(small()));
    const std::vector<Setting> wild = {{"optimizer", "gradient-descent"}, {"rate", "1e6"}, {"l2", "1e6"}};
    for (const int validation : {60, 0}) {
        const Split split = draw(graph.dataset, 5, validation, 150);
        const ChosenMethod alone = choose(graph, split, 1, wild);
        for (const TriedMethod& tried : alone.choice.tried)
            EXPECT_EQ(method_info(tried.method).kind, MethodKind::classic) << tried.method << " has a rate";
        EXPECT_THAT(alone.notes, ::testing::Contains(AllOf(HasSubstr("GCN: training diverged at epoch "),
                                                           HasSubstr("auto leaves it out"))));
        const ChosenMethod shared = choose(graph, split, 3, wild);
        EXPECT_EQ(shared.notes, alone.notes);
        expect_same_choice(shared, alone);
    }
}

TEST(ChooseMethod, DivergesWhereAllCandidatesDo) {
    const PreparedGraph graph = prepare_graph(make_synthetic(small()));
    Automatic settings = automatic({{"optimizer", "gradient-descent"}, {"rate", "1e6"}, {"l2", "1e6"}});
    std::erase_if(settings.candidates, [](const MethodSettings& one) {
        return method_info(one.method()).kind == MethodKind::classic;
    });
    OperatorPool operators(graph);
    EXPECT_THROW(choose_method(graph, operators, settings, draw(graph.dataset, 5, 60, 150), 3, {1}),
                 Diverged);
}

TEST(ChooseMethod, TakesThePreferredOfThoseThatAreNotClearlyWorse) {
    const PreparedGraph graph = prepare_graph(make_synthetic(small()));
    const ChosenMethod chosen = choose(graph, draw(graph.dataset, 5, 60, 150));
    const Choice& choice = chosen.choice;
    ASSERT_EQ(choice.tried.size(), 13U) << "classes of a hundred nodes are not taught";
    EXPECT_FALSE(choice.loss_decides) << "sixty nodes are few";
    double best = 0;
    for (const TriedMethod& tried : choice.tried)
        best = std::max(best, tried.held_out.accuracy);
    for (std::size_t k = 0; k < choice.tried.size(); ++k) {
        const TriedMethod& tried = choice.tried[k];
        EXPECT_EQ(tried.held_out.count, 60);
        EXPECT_NEAR(tried.behind, best - tried.held_out.accuracy, 1e-12) << tried.label;
        if (k < choice.chosen) {
            EXPECT_TRUE(tried.behind > tried.behind_error || tried.loss_behind > tried.loss_behind_error)
                << tried.label;
        }
    }
    EXPECT_LE(choice.tried[choice.chosen].behind, choice.tried[choice.chosen].behind_error);
    EXPECT_THAT(choice.reason, HasSubstr(choice.tried[choice.chosen].label + " was chosen"));
    EXPECT_THAT(choice.reason, HasSubstr("60 validation nodes"));
}

TEST(ChooseMethod, OfEqualsTakesTheSmallestLossWhereManyNodesValidate) {
    SyntheticOptions options = small();
    options.nodes = 600;
    const PreparedGraph graph = prepare_graph(make_synthetic(options));
    const Choice choice = choose(graph, draw(graph.dataset, 5, 300, 150)).choice;
    EXPECT_TRUE(choice.loss_decides);
    const TriedMethod& chosen = choice.tried[choice.chosen];
    EXPECT_LE(chosen.behind, chosen.behind_error);
    for (const TriedMethod& tried : choice.tried) {
        if (tried.dropped || tried.behind > tried.behind_error) continue;
        EXPECT_LE(chosen.calibrated_nll, tried.calibrated_nll) << tried.label;
    }
    EXPECT_FALSE(choose(graph, draw(graph.dataset, 5, 299, 150)).choice.loss_decides);
    EXPECT_FALSE(choose(graph, draw(graph.dataset, 5, 0, 150)).choice.loss_decides);
}

TEST(ChooseMethod, TheModelIsTheOneThatTrainingAloneGives) {
    const PreparedGraph graph = prepare_graph(make_synthetic(small()));
    const Split split = draw(graph.dataset, 5, 60, 150);
    const ChosenMethod chosen = choose(graph, split);
    ASSERT_TRUE(chosen.model.has_value());
    OperatorPool operators(graph);
    const TrainedModel alone =
        train(graph, operators.get(chosen.settings, {1}), chosen.settings, split, 3, {1});
    ASSERT_EQ(alone.parameters.size(), chosen.model->parameters.size());
    for (std::size_t k = 0; k < alone.parameters.size(); ++k) {
        EXPECT_TRUE(std::ranges::equal(alone.parameters[k].value.numbers(),
                                       chosen.model->parameters[k].value.numbers()));
    }
}

TEST(ChooseMethod, NoiseForFeaturesLeavesTheGraph) {
    SyntheticOptions options = small();
    options.topic_share = 0.0;
    options.homophily = 0.95;
    options.mean_degree = 8;
    const PreparedGraph graph = prepare_graph(make_synthetic(options));
    const ChosenMethod chosen = choose(graph, draw(graph.dataset, 5, 100, 100), 1, {{"epochs", "100"}});
    const TriedMethod& linear = chosen.choice.tried.back();
    ASSERT_EQ(linear.method, "linear");
    EXPECT_LT(linear.held_out.accuracy, 0.5) << "noise";
    EXPECT_NE(chosen.settings.method(), "linear");
    EXPECT_GT(chosen.choice.tried[chosen.choice.chosen].held_out.accuracy, 0.75);
}

TEST(ChooseMethod, ARandomGraphLeavesTheFeatures) {
    SyntheticOptions options = small();
    options.homophily = 1.0 / 3;  // as among strangers
    options.words = 20;
    options.topic_share = 0.9;
    const PreparedGraph graph = prepare_graph(make_synthetic(options));
    const ChosenMethod chosen = choose(graph, draw(graph.dataset, 10, 100, 100), 1, {{"epochs", "100"}});
    const auto accuracy = [&](const std::string& method) {
        return std::ranges::find(chosen.choice.tried, method, &TriedMethod::method)->held_out.accuracy;
    };
    EXPECT_LT(accuracy("lp"), 0.6);
    EXPECT_GT(accuracy("linear"), 0.7);
    EXPECT_GT(chosen.choice.tried[chosen.choice.chosen].held_out.accuracy, accuracy("linear") - 0.05);
    EXPECT_NE(chosen.settings.method(), "lp");
    EXPECT_NE(chosen.settings.method(), "gcn");
}

TEST(CrossFitting, HoldsEveryTrainingNodeOutOnce) {
    const PreparedGraph graph = prepare_graph(make_synthetic(small()));
    const ChosenMethod chosen = choose(graph, draw(graph.dataset, 2, 0, 150));
    EXPECT_TRUE(chosen.choice.cross_fitted);
    EXPECT_EQ(chosen.choice.judged_on, "6 training nodes, each held out in one of 2 folds");
    for (const TriedMethod& tried : chosen.choice.tried)
        EXPECT_EQ(tried.held_out.count, 6);
    EXPECT_FALSE(chosen.model.has_value()) << "it has yet to learn from all training nodes";
    EXPECT_EQ(choose(graph, draw(graph.dataset, 30, 0, 150)).choice.judged_on,
              "90 training nodes, each held out in one of 5 folds");
}

TEST(CrossFitting, TheCalibratedPredictionsAreJudgedToo) {
    const PreparedGraph graph = prepare_graph(make_synthetic(small()));
    const Choice folded = choose(graph, draw(graph.dataset, 10, 0, 100)).choice;
    ASSERT_TRUE(folded.calibrated.has_value());
    const Metrics& raw = folded.tried[folded.chosen].held_out;
    EXPECT_EQ(folded.calibrated->count, raw.count);
    EXPECT_EQ(folded.calibrated->accuracy, raw.accuracy);
    EXPECT_NE(folded.calibrated->nll, raw.nll);
    EXPECT_FALSE(choose(graph, draw(graph.dataset, 10, 60, 100)).choice.calibrated.has_value());
}

TEST(CrossFitting, NeedsTwoLabelsOfSomeClass) {
    const PreparedGraph graph = prepare_graph(make_synthetic(small()));
    const ChosenMethod chosen = choose(graph, draw(graph.dataset, 1, 0, 150));
    EXPECT_TRUE(chosen.choice.tried.empty());
    EXPECT_EQ(chosen.choice.calibration.temperature, 1.0);
    EXPECT_THAT(chosen.choice.reason, HasSubstr("without comparison"));
    EXPECT_EQ(method_label(chosen.settings), "Diffusion") << "what is robust with so few labels";
    OperatorPool operators(graph);
    EXPECT_NO_THROW(train(graph, operators.get(chosen.settings, {1}), chosen.settings,
                          draw(graph.dataset, 1, 0, 150), 0, {1}));
}

TEST(FeasibleCandidates, OrdersStopWhereRingsExplode) {
    SyntheticOptions options = small();
    options.nodes = 4000;
    options.mean_degree = 60;
    options.vocabulary = 3000;
    for (const auto& [words, expected] : {std::pair(135, 2), std::pair(225, 1)}) {
        options.words = words;
        const PreparedGraph graph = prepare_graph(make_synthetic(options));
        std::vector<std::string> notes;
        const Automatic left = feasible_candidates(graph, automatic(), {2}, notes);
        ASSERT_EQ(notes.size(), 1U);
        EXPECT_THAT(notes[0], HasSubstr("auto tries no orders above " + std::to_string(expected)));
        std::vector<std::string> labels;
        for (const MethodSettings& candidate : left.candidates)
            labels.push_back(method_label(candidate));
        if (expected == 1) {
            EXPECT_THAT(labels, ElementsAre("HWGPR on the plain graph", "Diffusion", "GCN",
                                            "Linear+neighbors", "LP", "Linear"));
        } else {
            EXPECT_THAT(labels, ElementsAre("HWGPR of order 2", "HWGPR on the plain graph",
                                            "Diffusion of order 2", "Diffusion", "HWGCN of order 2", "GCN",
                                            "Linear+neighbors", "LP", "Linear"));
        }
        notes.clear();
        const Automatic capped = feasible_candidates(graph, automatic({{"max_ring", "60"}}), {2}, notes);
        EXPECT_TRUE(notes.empty());
        EXPECT_EQ(capped.candidates.size() + 1, automatic().candidates.size()) << "no trees on words";
    }
}

TEST(AutomaticSettings, AreThoseOfTheCandidatesAndEqualOnesAreOne) {
    EXPECT_EQ(automatic().candidates.size(), 10U);
    const Automatic one_order = automatic({{"order", "3"}});
    std::vector<std::string> labels;
    for (const MethodSettings& candidate : one_order.candidates)
        labels.push_back(method_label(candidate));
    EXPECT_THAT(labels, ElementsAre("HWGPR of order 3", "HWGPR on the plain graph", "Diffusion of order 3",
                                    "Diffusion", "HWGCN of order 3", "GCN", "Boosted", "Linear+neighbors",
                                    "LP", "Linear"));
    const auto labels_of = [](const Automatic& settings) {
        std::vector<std::string> all;
        for (const MethodSettings& candidate : settings.candidates)
            all.push_back(method_label(candidate));
        return all;
    };
    const auto on_the_graph = ElementsAre("HWGPR on the plain graph", "Diffusion", "GCN", "Boosted",
                                          "Linear+neighbors", "LP", "Linear");
    EXPECT_THAT(labels_of(automatic({{"operator", "plain"}})), on_the_graph);
    EXPECT_THAT(labels_of(automatic({{"order", "1"}})), on_the_graph);
    EXPECT_NE(settings_hash(automatic()), settings_hash(one_order));
    EXPECT_EQ(settings_hash(automatic()), settings_hash(automatic()));
    AskedMethod method = automatic();
    EXPECT_THROW(apply_settings(method, {{"hiden", "8"}}), InputError);
    EXPECT_THROW(apply_settings(method, {{"heads", "8"}}), UnreadSetting) << "no candidate has it";
}

TEST(AutomaticSettings, EvaluateRunsThemAndSaysWhatWasChosen) {
    const PreparedGraph graph = prepare_graph(make_synthetic(small()));
    OperatorPool operators(graph);
    const EvaluationOptions protocol{.split = "random:5:60:150", .runs = 3};
    const auto run = [&](int threads) {
        return evaluate(graph, operators, {automatic()}, protocol, {threads}).front();
    };
    const MethodResult alone = run(1);
    int chosen = 0;
    for (const auto& [label, count] : alone.choices())
        chosen += count;
    EXPECT_EQ(chosen, 3);
    EXPECT_EQ(alone.values(&Metrics::accuracy), run(2).values(&Metrics::accuracy));
    EXPECT_GT(alone.accuracy().mean, 50.0);
}

}  // namespace
}  // namespace hwgcn::choose_method_test
