#include "hwgcn/explanation/feature_importance.hpp"

#include <atomic>
#include <limits>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random_stream.hpp"
#include "explanation/explained_method.hpp"
#include "explanation/permuted_features.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::feature_importance_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Trained = testing::TrainedMethod;

FeatureImportances measure(Trained& trained, const ImportanceOptions& options = {},
                           const ExecutionControl& control = {1}) {
    return measure_importances(trained.graph, trained.propagation(), trained.settings,
                               trained.model.parameters, trained.split, options, control);
}

// Two classes on a ring; feature 1 of three tells them apart, the others are the same for both.
Dataset told_by_one_feature() {
    Dataset dataset;
    dataset.name = "ring";
    dataset.nodes = 120;
    dataset.class_names = {"a", "b"};
    dataset.features = {120, 3, {0}, {}, {}};
    dataset.scale = Scale::none;
    for (Index i = 0; i < dataset.nodes; ++i) {
        dataset.edges.push_back({i, (i + 1) % dataset.nodes});
        dataset.labels.push_back(i % 2);
        for (Index f = 0; f < 3; ++f) {
            dataset.features.indices.push_back(f);
            dataset.features.values.push_back(f == 1 ? (i % 2 == 0 ? -1.0F : 1.0F)
                                                     : 0.1F * static_cast<float>((i / 2 + f) % 5));
        }
        dataset.features.offsets.push_back(dataset.features.entries());
    }
    return dataset;
}

TEST(FeatureImportance, TheFeatureThatTellsTheClassesApartComesFirst) {
    Trained trained("mlp", told_by_one_feature());
    trained.settings.apply({{"epochs", "100"}, {"input_dropout", "0"}, {"hidden_dropout", "0"}});
    trained.model = train(trained.graph, trained.propagation(), trained.settings, trained.split, 2, {1});
    const FeatureImportances found = measure(trained);
    EXPECT_EQ(found.on, "test");
    EXPECT_EQ(found.nodes, static_cast<Index>(trained.split.test.size()));
    EXPECT_EQ(found.metric, "accuracy");
    EXPECT_EQ(found.score, 1.0);
    EXPECT_THAT(found.notes, ElementsAre(HasSubstr("column 'feature 1' alone tells the classes apart")));
    ASSERT_EQ(found.columns.size(), 3U);
    EXPECT_EQ(found.columns[0].name, "feature 1");
    EXPECT_GT(found.columns[0].summary.mean, 0.25);  // half of the nodes get the number of the other class
    EXPECT_LT(found.columns[1].summary.mean, 0.1);
    for (const FeatureImportance& column : found.columns) {
        ASSERT_EQ(column.drops.size(), 5U);
        EXPECT_NEAR(column.summary.mean, std::accumulate(column.drops.begin(), column.drops.end(), 0.0) / 5,
                    1e-12);
    }
}

TEST(FeatureImportance, TheScoreIsWhatTheRunWasSelectedBy) {
    Trained trained("gcn", told_by_one_feature());
    trained.settings.apply({{"selection", "auc"}});
    const FeatureImportances found = measure(trained, {.repeats = 1});
    const DenseMatrix probabilities =
        predict_nodes(trained.graph, trained.propagation(), trained.settings, trained.model.parameters, {1});
    EXPECT_EQ(found.metric, "ROC AUC");
    EXPECT_NEAR(found.score,
                compute_metrics(probabilities, trained.graph.dataset.labels, trained.split.test).roc_auc,
                1e-12);
    std::erase_if(trained.split.test, [&](Index node) { return trained.graph.dataset.labels[node] == 0; });
    EXPECT_EQ(measure(trained, {.repeats = 1}).metric, "accuracy") << "nodes of one class have no ranking";
    trained.settings.apply({{"selection", "loss"}});
    EXPECT_EQ(measure(trained, {.repeats = 1}).metric, "accuracy");
}

TEST(FeatureImportance, AThresholdDecidesHereToo) {
    Trained trained("gcn", told_by_one_feature());
    ImportanceOptions options{.repeats = 1, .columns = 1};
    options.shown.decision.threshold = Threshold{1, 0.0};  // always class 1
    const FeatureImportances found = measure(trained, options);
    const auto ones = std::ranges::count_if(
        trained.split.test, [&](Index node) { return trained.graph.dataset.labels[node] == 1; });
    EXPECT_NEAR(found.score, static_cast<double>(ones) / static_cast<double>(trained.split.test.size()),
                1e-12);
    EXPECT_EQ(found.columns[0].summary.mean, 0.0);
}

// The features with one column permuted as documented, written apart from the code under test.
CsrMatrix<float> permuted(const CsrMatrix<float>& features, Index feature, int repeat, std::uint64_t seed) {
    std::vector<Index> origin(static_cast<std::size_t>(features.rows));
    std::iota(origin.begin(), origin.end(), Index{0});
    const std::uint64_t number = static_cast<std::uint64_t>(feature) << 16 | static_cast<unsigned>(repeat);
    RandomStream(seed, stream_for(StreamPurpose::permutations, number)).shuffle(std::span(origin));
    std::vector<Triplet<float>> triplets;
    for (Index i = 0; i < features.rows; ++i) {
        const auto take = [&](Index from, bool inside) {
            const SparseRow<float> row = features.row(from);
            for (std::size_t e = 0; e < row.size(); ++e) {
                if ((row.indices[e] == feature) == inside)
                    triplets.push_back({i, row.indices[e], row.values[e]});
            }
        };
        take(i, false);
        take(origin[static_cast<std::size_t>(i)], true);
    }
    return csr_from_triplets(features.rows, features.columns, std::move(triplets));
}

TEST(FeatureImportance, EveryMethodWithFeaturesLosesWhatItsPredictionsOnPermutedFeaturesLose) {
    for (const MethodInfo& method : method_table()) {
        if (!method.uses_features) continue;
        Trained trained(method.name);
        const FeatureImportances found = measure(trained, {.repeats = 2, .columns = 3, .seed = 9});
        ASSERT_EQ(found.columns.size(), 3U) << method.name;
        auto& features =
            method.takes_given_features ? trained.graph.features.given : trained.graph.features.scaled;
        const auto original = features;
        const auto accuracy = [&] {
            const DenseMatrix probabilities = predict_nodes(trained.graph, trained.propagation(),
                                                            trained.settings, trained.model.parameters, {1});
            return compute_metrics(probabilities, trained.graph.dataset.labels, trained.split.test).accuracy;
        };
        EXPECT_EQ(found.score, accuracy()) << method.name;
        const Propagation propagation = trained.propagation();
        for (const FeatureImportance& column : found.columns) {
            for (int repeat = 0; repeat < 2; ++repeat) {
                features = std::make_shared<const CsrMatrix<float>>(
                    permuted(*original, column.features.at(0), repeat, 9));
                EXPECT_EQ(column.drops[repeat], found.score - accuracy()) << method.name << column.name;
            }
        }
        features = original;
    }
}

TEST(FeatureImportance, TheSameAtAnyNumberOfThreadsAndAnotherWithAnotherSeed) {
    Trained trained("gcn");
    const auto drops = [&](std::uint64_t seed, int threads) {
        std::vector<double> all;
        for (const FeatureImportance& column : measure(trained, {.seed = seed}, {threads}).columns)
            all.insert(all.end(), column.drops.begin(), column.drops.end());
        return all;
    };
    EXPECT_EQ(drops(1, 1), drops(1, 3));
    EXPECT_NE(drops(1, 1), drops(2, 1));
}

TEST(FeatureImportance, AColumnHasTheSameDropsWhateverElseIsPermuted) {
    Trained trained("gcn");
    const FeatureImportances all = measure(trained), few = measure(trained, {.columns = 4});
    EXPECT_EQ(all.columns.size(), 40U);
    ASSERT_EQ(few.columns.size(), 4U);
    EXPECT_EQ(few.columns_in_all, 40);
    for (const FeatureImportance& column : few.columns) {
        const auto same = std::ranges::find(all.columns, column.name, &FeatureImportance::name);
        ASSERT_NE(same, all.columns.end());
        EXPECT_EQ(column.drops, same->drops);
    }
    ASSERT_EQ(few.notes.size(), 1U);
    EXPECT_EQ(few.notes[0],
              "Of 40 columns the 4 that the model weighs most were permuted; `columns` takes more.");
}

TEST(FeatureImportance, WorkIsLimitedToAtLeastOneColumn) {
    Trained trained("gcn");
    EXPECT_EQ(measure(trained, {.most_work = 1}).columns.size(), 1U);
    EXPECT_EQ(measure(trained, {.most_work = std::numeric_limits<std::int64_t>::max()}).columns.size(), 40U);
}

TEST(FeatureImportance, CategoriesOfAColumnAndMarksOfGapsGoTogether) {
    Dataset dataset = told_by_one_feature();
    dataset.features.columns = 5;
    dataset.feature_names = {"age", "a=b=Rome", "a=b=Oslo", "a=c=Rome", "x=y"};
    dataset.feature_kinds = {FeatureKind::number, FeatureKind::category, FeatureKind::category,
                             FeatureKind::category, FeatureKind::number};
    dataset.columns = {
        {.name = "age", .kind = ColumnKind::number},
        {.name = "a=b", .kind = ColumnKind::category, .categories = {"Rome", "Oslo"}, .first_feature = 1},
        {.name = "a=c", .kind = ColumnKind::category, .categories = {"Rome"}, .first_feature = 3}};
    dataset.features.values[0] = std::numeric_limits<float>::quiet_NaN();
    dataset.scale = Scale::standard;
    const PreparedGraph graph = prepare_graph(std::move(dataset));
    const std::vector<FeatureColumn> columns = feature_columns(graph);
    ASSERT_EQ(columns.size(), 4U);
    EXPECT_EQ(columns[0].name, "age");
    EXPECT_EQ(columns[0].features, (std::vector<Index>{0, 5}));
    EXPECT_EQ(graph.dataset.feature_names[5], "age is missing");
    EXPECT_EQ(columns[1].name, "a=b");
    EXPECT_EQ(columns[1].features, (std::vector<Index>{1, 2}));
    EXPECT_EQ(columns[2].name, "a=c");
    EXPECT_EQ(columns[3].name, "x=y");
}

TEST(FeatureImportance, PermutedRowsKeepTheColumnTogetherAndEverythingElseInPlace) {
    const CsrMatrix<float> features{3, 4, {0, 3, 4, 6}, {0, 1, 3, 2, 1, 3}, {1, 2, 3, 4, 5, 6}};
    const ColumnPermutation column(features, {"both", {1, 2}});
    const CsrMatrix<float> rows = column.rows({0, 2}, {1, 2, 0});
    EXPECT_EQ(rows.rows, 2);
    EXPECT_EQ(rows.offsets, (std::vector<std::int64_t>{0, 3, 5}));
    EXPECT_EQ(rows.indices, (std::vector<Index>{0, 2, 3, 1, 3}));
    EXPECT_EQ(rows.values, (std::vector<float>{1, 4, 3, 2, 6}));
}

TEST(FeatureImportance, WithoutTestNodesValidationNodesJudgeAndWithoutTheseNone) {
    Trained trained("gcn");
    trained.split.test.clear();
    EXPECT_EQ(measure(trained, {.repeats = 1, .columns = 1}).on, "validation");
    trained.split.validation.clear();
    const std::string reason = why_no_importances(trained.graph, trained.settings, trained.split);
    EXPECT_NE(reason.find("All labels were trained on"), std::string::npos);
    EXPECT_THROW(measure(trained), InputError);
}

TEST(FeatureImportance, MethodsWithoutFeaturesSaySo) {
    for (const std::string name : {"lp", "deepwalk"}) {
        Trained trained(name);
        EXPECT_NE(why_no_importances(trained.graph, trained.settings, trained.split)
                      .find("does not look at features"),
                  std::string::npos);
        EXPECT_THROW(measure(trained), InputError);
    }
}

TEST(FeatureImportance, GraphsWithoutFeaturesAreJudgedByTheirStructure) {
    Dataset dataset = told_by_one_feature();
    dataset.features = {dataset.nodes, 0, std::vector<std::int64_t>(121, 0), {}, {}};
    dataset.scale = Scale::automatic;
    Trained trained("gcn", dataset);
    const FeatureImportances found = measure(trained);
    std::set<std::string> names;
    for (const FeatureImportance& column : found.columns)
        names.insert(column.name);
    EXPECT_TRUE(names.contains("degree"));
    const PreparedGraph bare = prepare_graph(std::move(dataset), {.structural = false});
    EXPECT_EQ(why_no_importances(bare, trained.settings, trained.split), "The nodes have no features.");
}

TEST(FeatureImportance, TenThousandWordsAreMeasuredByTheHeaviest) {
    SyntheticOptions options;
    options.nodes = 150;
    options.classes = 3;
    options.vocabulary = 10'000;
    options.words = 20;
    Trained trained("gcn", make_synthetic(options));
    const FeatureImportances found = measure(trained, {.repeats = 1});
    EXPECT_EQ(found.columns.size(), 100U);
    EXPECT_EQ(found.columns_in_all, 10'000);
}

TEST(FeatureImportance, CanBeStopped) {
    Trained trained("gcn");
    trained.propagation();
    const std::atomic<bool> stop = true;
    EXPECT_THROW(measure(trained, {}, {1, nullptr, &stop}), Interrupted);
}

}  // namespace
}  // namespace hwgcn::feature_importance_test
