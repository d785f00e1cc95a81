#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/choice/choose_method.hpp"
#include "hwgcn/dataset/synthetic.hpp"

#include "io/expect_input_error.hpp"
#include "operators/propagation.hpp"
#include "pipeline/feasible.hpp"

namespace hwgcn::without_features_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Dataset small() {
    SyntheticOptions options;
    options.nodes = 300;
    options.classes = 3;
    options.vocabulary = 60;
    options.words = 8;
    return make_synthetic(options);
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

void expect_same_bits(const TrainedModel& a, const TrainedModel& b) {
    EXPECT_EQ(a.summary, b.summary);
    ASSERT_EQ(a.parameters.size(), b.parameters.size());
    for (std::size_t k = 0; k < a.parameters.size(); ++k)
        EXPECT_TRUE(std::ranges::equal(a.parameters[k].value.numbers(), b.parameters[k].value.numbers()));
}

Dataset without_features(Dataset bare = small()) {
    bare.features = {bare.nodes, 0, std::vector<std::int64_t>(bare.nodes + std::size_t{1}), {}, {}};
    bare.feature_names.clear();
    return bare;
}

std::vector<std::string> names_in(const Automatic& automatic) {
    std::vector<std::string> labels;
    for (const MethodSettings& candidate : automatic.candidates)
        labels.push_back(method_label(candidate));
    return labels;
}

TEST(WithoutFeatures, AndStructureThereAreDeepWalkAndLabelPropagation) {
    const PreparedGraph graph = prepare_graph(without_features(), {.structural = false});
    const Split split = random_split(graph.dataset, {5, 60, 150, 1});
    std::vector<std::string> notes;
    EXPECT_THAT(names_in(feasible_candidates(graph, automatic(), {1}, notes)), ElementsAre("DeepWalk", "LP"));
    EXPECT_THAT(notes, ElementsAre(HasSubstr("without features, there is only the graph to learn from")));
    testing::expect_input_error(
        [&] {
            choose(graph, split, 1, {{"operator", "higher-order"}});
        },
        {"auto has nothing to choose from"});
}

TEST(WithoutFeatures, StructuralFeaturesAreForAllWhoReadFeatures) {
    const PreparedGraph graph = prepare_graph(without_features());
    std::vector<std::string> notes;
    const Automatic left = feasible_candidates(graph, automatic(), {1}, notes);
    EXPECT_THAT(names_in(left), ElementsAre("DeepWalk", "LP", "HWGPR of order 4", "HWGPR on the plain graph",
                                            "Diffusion of order 4", "Diffusion", "HWGCN of order 4", "GCN",
                                            "Boosted", "Linear+neighbors", "Linear"));
    EXPECT_THAT(notes, ElementsAre(HasSubstr("`structural_features=off`")));
    EXPECT_TRUE(left.without_features.empty());
    // Once for several methods, and not at all where it does not matter.
    feasible(graph, MethodSettings("gcn", ""), {1}, notes);
    EXPECT_EQ(notes.size(), 1U);
    notes.clear();
    feasible(graph, MethodSettings("lp", ""), {1}, notes);
    EXPECT_TRUE(notes.empty());
    feasible(graph, MethodSettings("gcn", ""), {1}, notes);
    EXPECT_EQ(notes.size(), 1U);
}

TEST(WithoutFeatures, WithFeaturesDeepWalkIsNotTriedAndItsSettingsAreRefused) {
    const PreparedGraph graph = prepare_graph(small());
    std::vector<std::string> notes;
    const Automatic left = feasible_candidates(graph, automatic(), {1}, notes);
    EXPECT_EQ(settings_hash(AskedMethod(left)), settings_hash(AskedMethod(automatic())));
    EXPECT_EQ(left.candidates.size(), 10U);
    EXPECT_TRUE(notes.empty());
    testing::expect_input_error(
        [&] {
            feasible_candidates(graph, automatic({{"walks", "3"}}), {1}, notes);
        },
        {"`walks`: synthetic has features, and auto tries DeepWalk"});
    EXPECT_NO_THROW(feasible_candidates(graph, automatic({{"order", "3"}}), {1}, notes));
}

TEST(WithoutFeatures, DeepWalkIsLeftOutWhereItCannotWalkOrWalksTooLong) {
    Dataset lonely = without_features();
    lonely.edges.clear();
    std::vector<std::string> notes;
    const PreparedGraph nowhere = prepare_graph(std::move(lonely), {.structural = false});
    EXPECT_THAT(names_in(feasible_candidates(nowhere, automatic(), {1}, notes)), ElementsAre("LP"));
    notes.clear();
    const PreparedGraph graph = prepare_graph(without_features(), {.structural = false});
    const Automatic left = feasible_candidates(graph, automatic({{"walks", "100000"}}), {1}, notes);
    EXPECT_THAT(names_in(left), ElementsAre("LP"));
    EXPECT_THAT(notes, Contains(HasSubstr("auto does not try DeepWalk")));
}

// The vectors are learned once, before the trials: no numbers depend on it.
TEST(WithoutFeatures, DeepWalkIsJudgedAndTrainedAsAlone) {
    const PreparedGraph graph = prepare_graph(without_features(), {.structural = false});
    for (const int validation : {60, 0}) {
        const Split split = random_split(graph.dataset, {5, validation, 150, 1});
        const ChosenMethod chosen = choose(graph, split, 2);
        const std::size_t place = validation > 0 ? 0 : 1;  // five labels per class are few
        ASSERT_EQ(chosen.choice.tried[place].label, "DeepWalk");
        const ChosenMethod again = choose(graph, split, 1);
        EXPECT_EQ(chosen.choice.reason, again.choice.reason);
        EXPECT_EQ(chosen.choice.tried[place].held_out.nll, again.choice.tried[place].held_out.nll);
        OperatorPool operators(graph);
        const MethodSettings alone("deepwalk", "synthetic");
        const Propagation& propagation = operators.get(alone, {1});
        const auto groundwork = lay_groundwork(graph, propagation, alone, 3, {1});
        ASSERT_NE(groundwork, nullptr);
        const TrainedModel with = train(graph, propagation, alone, split, 3, {1}, {}, groundwork.get());
        const TrainedModel without = train(graph, propagation, alone, split, 3, {1});
        expect_same_bits(with, without);
    }
    EXPECT_EQ(lay_groundwork(graph, OperatorPool(graph).get(MethodSettings("lp", ""), {1}),
                             MethodSettings("lp", ""), 3, {1}),
              nullptr);
}

// Classes that differ in degree alone, 2 in a ring and 5 in a ring with chords: nothing that walks could
// tell.
TEST(WithoutFeatures, StructuralFeaturesTellPlacesInTheGraphApart) {
    Dataset rings;
    rings.name = "rings";
    rings.nodes = 240;
    rings.class_names = {"sparse", "dense"};
    for (Index ring = 0; ring < 12; ++ring) {
        for (Index i = 0; i < 20; ++i) {
            const auto at = [&](Index place) { return 20 * ring + place % 20; };
            rings.edges.push_back({at(i), at(i + 1)});
            if (ring % 2 == 1) rings.edges.push_back({at(i), at(i + 2)});
            rings.labels.push_back(ring % 2);
        }
    }
    const PreparedGraph graph = prepare_graph(without_features(std::move(rings)));
    // Learned in four of the rings only: in the others DeepWalk and LP can but guess.
    Split split{"rings", {0, 5, 10, 20, 25, 30}, {40, 45, 50, 60, 65, 70}, {}};
    for (Index node = 80; node < 240; ++node)
        split.test.push_back(node);
    const ChosenMethod chosen = choose(graph, split, 2);
    EXPECT_TRUE(method_info(chosen.settings.method()).uses_features) << chosen.choice.reason;
    EXPECT_THAT(chosen.choice.reason, HasSubstr("the structural features alone (Linear)"));
    OperatorPool operators(graph);
    const Propagation& propagation = operators.get(chosen.settings, {2});
    const DenseMatrix p = predict_nodes(graph, propagation, chosen.settings, *chosen.model, {2});
    EXPECT_GT(compute_metrics(p, graph.dataset.labels, split.test).accuracy, 0.95);
}

// What an old run says of a dataset without features is still true: its hash is that of the graph alone.
TEST(WithoutFeatures, TheHashIsThatOfTheGraph) {
    const PreparedGraph with = prepare_graph(without_features());
    const PreparedGraph without = prepare_graph(without_features(), {.structural = false});
    EXPECT_TRUE(with.features.structural);
    EXPECT_FALSE(without.features.structural);
    EXPECT_EQ(with.features.scaled->columns, 11);
    EXPECT_EQ(without.features.scaled->columns, 0);
    EXPECT_EQ(dataset_hash(with), dataset_hash(without));
    EXPECT_FALSE(prepare_graph(small()).features.structural);
    EXPECT_TRUE(prepare_graph(small()).features.notes.empty());
}

}  // namespace
}  // namespace hwgcn::without_features_test
