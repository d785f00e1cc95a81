// What holds for every method of the table, on graphs that nobody wishes for.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/runs/run_folder.hpp"

#include "io/expect_input_error.hpp"
#include "operators/propagation.hpp"
#include "pipeline/baselines.hpp"
#include "tensor/finite.hpp"
#include "test_data.hpp"

namespace hwgcn::every_method_test {
namespace {

MethodSettings quick(const std::string& method, const std::string& kind = "plain") {
    MethodSettings settings(method, "synthetic");
    settings.apply(
        settings.read_among({{"epochs", "8"}, {"order", "2"}, {"operator", kind}, {"walks", "2"}}));
    return settings;
}

// Classes 0 and 1 in two components, class 2 in a third one; the last twenty nodes are alone, and every tenth
// node has no features.
Dataset scattered() {
    SyntheticOptions options;
    options.nodes = 120;
    options.classes = 3;
    options.vocabulary = 40;
    options.words = 6;
    options.topic_share = 0.8;
    Dataset dataset = make_synthetic(options);
    std::erase_if(dataset.edges, [&](const Edge& edge) {
        return dataset.labels[edge.from] != dataset.labels[edge.to] || edge.from >= 100 || edge.to >= 100;
    });
    std::vector<Triplet<float>> kept;
    for (Index i = 0; i < dataset.nodes; ++i) {
        for (std::size_t e = 0; i % 10 != 0 && e < dataset.features.row(i).size(); ++e)
            kept.push_back({i, dataset.features.row(i).indices[e], dataset.features.row(i).values[e]});
    }
    dataset.features = csr_from_triplets(dataset.nodes, dataset.features.columns, std::move(kept));
    return dataset;
}

// Training nodes of the classes 0 and 1 only.
Split without_third_class(const Dataset& dataset) {
    Split split{"two classes", {}, {}, {}};
    for (Index i = 0; i < dataset.nodes; ++i) {
        if (dataset.labels[i] < 2 && split.train.size() < 12) {
            split.train.push_back(i);
        } else {
            (i % 3 == 0 ? split.validation : split.test).push_back(i);
        }
    }
    return split;
}

struct Trained {
    TrainedModel model;
    DenseMatrix probabilities;
};

Trained train_on(const PreparedGraph& graph, const MethodSettings& settings, const Split& split,
                 int threads = 1) {
    OperatorPool operators(graph);
    const ExecutionControl control{threads};
    const Propagation& propagation = operators.get(settings, control);
    TrainedModel model = train(graph, propagation, settings, split, 5, control);
    DenseMatrix probabilities = predict_nodes(graph, propagation, settings, model, control);
    return {std::move(model), std::move(probabilities)};
}

void expect_probabilities(const DenseMatrix& probabilities) {
    for (Index i = 0; i < probabilities.rows(); ++i) {
        double sum = 0;
        for (Index c = 0; c < probabilities.columns(); ++c) {
            ASSERT_TRUE(std::isfinite(probabilities.at(i, c))) << "node " << i;
            sum += static_cast<double>(probabilities.at(i, c));
        }
        EXPECT_NEAR(sum, 1.0, 1e-4) << "node " << i;
    }
}

void expect_same_bits(const Trained& a, const Trained& b) {
    ASSERT_EQ(a.model.parameters.size(), b.model.parameters.size());
    for (std::size_t k = 0; k < a.model.parameters.size(); ++k) {
        EXPECT_TRUE(
            std::ranges::equal(a.model.parameters[k].value.numbers(), b.model.parameters[k].value.numbers()))
            << a.model.parameters[k].name;
    }
    EXPECT_TRUE(std::ranges::equal(a.probabilities.numbers(), b.probabilities.numbers()));
}

class EveryMethod : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryMethod, IsolatedNodesComponentsAndAMissingClassGiveProbabilities) {
    const PreparedGraph graph = prepare_graph(scattered());
    const Split split = without_third_class(graph.dataset);
    for (const char* kind : {"plain", "higher-order"}) {
        const Trained trained = train_on(graph, quick(GetParam(), kind), split);
        expect_probabilities(trained.probabilities);
        EXPECT_FALSE(trained.model.summary.empty());
    }
}

// However wild the settings are, there are finite numbers, or there is no model.
TEST_P(EveryMethod, WhatDivergesIsSaidToAndGivesNothing) {
    const PreparedGraph graph = prepare_graph(scattered());
    Split split = without_third_class(graph.dataset);
    for (const bool validated : {true, false}) {
        if (!validated) split.validation.clear();
        for (const char* l2 : {"0", "1", "1e6"}) {
            for (const char* optimizer : {"gradient-descent", "adam"}) {
                MethodSettings settings = quick(GetParam());
                settings.apply(settings.read_among(
                    {{"rate", "1e6"}, {"l2", l2}, {"optimizer", optimizer}, {"walk_rate", "10"}}));
                try {
                    const Trained trained = train_on(graph, settings, split);
                    expect_probabilities(trained.probabilities);
                    for (const TrainableMatrix& parameter : trained.model.parameters)
                        EXPECT_TRUE(all_finite(parameter.value)) << parameter.name;
                    for (const EpochRecord& record : trained.model.history)
                        EXPECT_TRUE(std::isfinite(record.train_loss)) << record.epoch;
                } catch (const Diverged& failure) {
                    EXPECT_EQ(std::string(failure.what()).find(method_label(settings) + ": "), 0U);
                    EXPECT_NE(std::string(failure.what()).find("diverged"), std::string::npos)
                        << failure.what();
                }
            }
        }
    }
}

TEST_P(EveryMethod, OneTrainingNodeAndNoValidationNodesSuffice) {
    const PreparedGraph graph = prepare_graph(scattered());
    const Split split{"one", {1}, {}, {2, 3, 4}};
    expect_probabilities(train_on(graph, quick(GetParam()), split).probabilities);
}

TEST_P(EveryMethod, WithoutFeaturesItRefusesOrWorks) {
    Dataset bare = scattered();
    bare.features = {bare.nodes, 0, std::vector<std::int64_t>(bare.nodes + std::size_t{1}), {}, {}};
    bare.feature_names.clear();
    const PreparedGraph structural = prepare_graph(Dataset(bare));
    const PreparedGraph graph = prepare_graph(std::move(bare), {.structural = false});
    const Split split = without_third_class(graph.dataset);
    for (const char* kind : {"plain", "higher-order"})
        expect_probabilities(train_on(structural, quick(GetParam(), kind), split).probabilities);
    if (method_info(GetParam()).uses_features) {
        testing::expect_input_error([&] { train_on(graph, quick(GetParam()), split); },
                                    {"the dataset has no features, and", "learns from features"});
    } else {
        expect_probabilities(train_on(graph, quick(GetParam()), split).probabilities);
        testing::expect_input_error([&] { train_on(graph, quick(GetParam(), "higher-order"), split); },
                                    {"the dataset has no features"});
    }
}

TEST_P(EveryMethod, WithoutEdgesItRefusesOrWorks) {
    Dataset lonely = scattered();
    lonely.edges.clear();
    const PreparedGraph graph = prepare_graph(std::move(lonely));
    const Split split = without_third_class(graph.dataset);
    if (GetParam() == "deepwalk") {
        testing::expect_input_error([&] { train_on(graph, quick(GetParam()), split); },
                                    {"the graph has no edges"});
    } else {
        expect_probabilities(train_on(graph, quick(GetParam()), split).probabilities);
    }
}

TEST_P(EveryMethod, ThreadsChangeNoBit) {
    const PreparedGraph graph = prepare_graph(scattered());
    const Split split = without_third_class(graph.dataset);
    const Trained one = train_on(graph, quick(GetParam()), split, 1);
    expect_same_bits(one, train_on(graph, quick(GetParam()), split, 2));
    expect_same_bits(one, train_on(graph, quick(GetParam()), split, 3));
}

TEST_P(EveryMethod, TestLabelsReachNothing) {
    const Dataset dataset = scattered();
    const Split split = without_third_class(dataset);
    Dataset changed = dataset;
    for (const Index node : split.test)
        changed.labels[node] = (changed.labels[node] + 1) % 3;
    expect_same_bits(train_on(prepare_graph(dataset), quick(GetParam()), split),
                     train_on(prepare_graph(changed), quick(GetParam()), split));
}

TEST_P(EveryMethod, AModelReadBackPredictsTheSame) {
    const PreparedGraph graph = prepare_graph(scattered());
    const Split split = without_third_class(graph.dataset);
    const MethodSettings settings = quick(GetParam());
    const Trained trained = train_on(graph, settings, split);
    const testing::TemporaryDirectory folder;
    RunManifest manifest = make_manifest(graph, {}, split, 5);
    manifest.settings = settings;
    start_run(folder.path(), manifest, split, graph.dataset);
    manifest.result = RunResult{};
    finish_run(folder.path(), manifest, trained.model, trained.probabilities, split, graph.dataset);
    const RunManifest stored = read_run(folder.path());
    const std::vector<TrainableMatrix> parameters = read_model(folder.path(), stored, graph);
    OperatorPool operators(graph);
    const DenseMatrix again =
        predict_nodes(graph, operators.get(stored.settings, {1}), stored.settings, parameters, {1});
    EXPECT_TRUE(std::ranges::equal(again.numbers(), trained.probabilities.numbers()));
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const MethodInfo& method : method_table())
        all.push_back(method.name);
    return all;
}

INSTANTIATE_TEST_SUITE_P(Table, EveryMethod, ::testing::ValuesIn(names()), [](const auto& test) {
    std::string name = test.param;
    std::ranges::replace(name, '-', '_');  // what test names may hold
    return name;
});

// Large enough for products to be shared among threads. Networks have such a test of their own.
TEST(ClassicMethods, ThreadsChangeNoBitOfALargerGraph) {
    SyntheticOptions options;
    options.nodes = 12000;
    options.classes = 12;
    options.mean_degree = 10;
    options.vocabulary = 300;
    options.words = 10;
    const PreparedGraph graph = prepare_graph(make_synthetic(options));
    const Split split = random_split(graph.dataset, {5, 100, 100, 0});
    for (const char* const method :
         {"lp", "ica", "manireg", "deepwalk", "linear", "linear-neighbors", "diffusion", "boosted"}) {
        MethodSettings settings = quick(method);
        settings.apply(settings.read_among(
            {{"walks", "1"}, {"walk_length", "5"}, {"smoothness", "1"}, {"classifier_l2", "0.01"}}));
        expect_same_bits(train_on(graph, settings, split, 1), train_on(graph, settings, split, 3));
    }
}

TEST(Baselines, AreLpAndLinearButNotTheMethodItself) {
    const PreparedGraph graph = prepare_graph(scattered());
    const Split split = without_third_class(graph.dataset);
    OperatorPool operators(graph);
    const auto beside = [&](const std::string& method) {
        return evaluate_baselines(graph, operators, method, split, 0, {1});
    };
    const std::vector<Baseline> both = beside("gcn");
    ASSERT_EQ(both.size(), 3U);
    EXPECT_EQ(both[0].method, "lp");
    EXPECT_EQ(both[1].method, "linear");
    EXPECT_EQ(both[0].test.count, static_cast<Index>(split.test.size()));
    EXPECT_GT(both[0].test.accuracy, 0.3);
    const std::vector<Baseline> one = beside("lp");
    ASSERT_EQ(one.size(), 2U);
    EXPECT_EQ(one[0].method, "linear");
    EXPECT_EQ(one[0].test.accuracy, both[1].test.accuracy);
}

TEST(Baselines, WithoutFeaturesThereIsOnlyLp) {
    Dataset bare = scattered();
    bare.features = {bare.nodes, 0, std::vector<std::int64_t>(bare.nodes + std::size_t{1}), {}, {}};
    bare.feature_names.clear();
    for (const bool structural : {false, true}) {
        const PreparedGraph graph = prepare_graph(Dataset(bare), {.structural = structural});
        ASSERT_EQ(baseline_settings(graph).size(), 1U);
        EXPECT_EQ(baseline_settings(graph)[0].method(), "lp");
    }
}

}  // namespace
}  // namespace hwgcn::every_method_test
