#include "choice/preference.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"

#include "base/random_stream.hpp"
#include "choice/feature_likeness.hpp"

namespace hwgcn::preference_test {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

Dataset graph_of(Index nodes) {
    SyntheticOptions options;
    options.nodes = nodes;
    options.classes = 3;
    options.vocabulary = 300;
    options.words = 20;
    return make_synthetic(options);
}

std::vector<std::string> labels_for(const Dataset& dataset, const RandomSplitOptions& split,
                                    const std::vector<Setting>& settings = {}) {
    const PreparedGraph graph = prepare_graph(dataset);
    AskedMethod method = asked_method("auto", "synthetic");
    apply_settings(method, settings);
    const Candidates candidates =
        candidates_for(graph, std::get<Automatic>(method), random_split(graph.dataset, split), {1});
    std::vector<std::string> labels;
    for (const MethodSettings& candidate : candidates.methods)
        labels.push_back(method_label(candidate));
    return labels;
}

TEST(Preference, RandomPropagationNeedsValidationNodesAndFewLabels) {
    const Dataset dataset = graph_of(900);
    const auto with = labels_for(dataset, {5, 100, 100, 1});
    for (const char* name : {"HWGRAND", "HWGRAND-sharp", "HWGRAND-norm"})
        EXPECT_THAT(with, Contains(std::string(name) + " of order 4"));
    EXPECT_THAT(with, Contains("self-trained HWGPR of order 4"));
    EXPECT_THAT(labels_for(dataset, {5, 0, 100, 1}), Each(Not(HasSubstr("GRAND"))));
    EXPECT_THAT(labels_for(dataset, {5, 0, 100, 1}), Each(Not(HasSubstr("self-trained"))));
    EXPECT_THAT(labels_for(dataset, {100, 100, 100, 1}), Each(Not(HasSubstr("GRAND"))));
}

TEST(Preference, WithoutValidationNodesWhatIsSolvedComesFirst) {
    const Dataset dataset = graph_of(900);
    EXPECT_EQ(labels_for(dataset, {5, 0, 100, 1}).front(), "Diffusion of order 4");
    EXPECT_THAT(labels_for(dataset, {5, 0, 100, 1}).back(), HasSubstr("HWGPR"));
    EXPECT_EQ(labels_for(dataset, {5, 100, 100, 1}).front(), "HWGPR of order 4");
    EXPECT_EQ(labels_for(dataset, {25, 0, 100, 1}).front(), "HWGPR of order 4");
}

// The same features, dealt to other nodes: they say nothing about the graph any more.
Dataset with_shuffled_features(Dataset dataset) {
    std::vector<Index> order(static_cast<std::size_t>(dataset.nodes));
    std::iota(order.begin(), order.end(), Index{0});
    RandomStream(5, 0).shuffle(std::span(order));
    std::vector<Triplet<float>> entries;
    for (Index node = 0; node < dataset.nodes; ++node) {
        const SparseRow<float> row = dataset.features.row(order[node]);
        for (std::size_t k = 0; k < row.size(); ++k)
            entries.push_back({node, row.indices[k], row.values[k]});
    }
    dataset.features = csr_from_triplets(dataset.nodes, dataset.features.columns, entries);
    dataset.content.clear();
    return dataset;
}

TEST(Preference, FeaturesThatSayNothingAboutTheGraphLeaveItToLp) {
    const Dataset dataset = graph_of(900);
    const Dataset shuffled = with_shuffled_features(dataset);
    EXPECT_TRUE(feature_likeness(prepare_graph(dataset)).is_there());
    EXPECT_FALSE(feature_likeness(prepare_graph(shuffled)).is_there());
    EXPECT_EQ(labels_for(shuffled, {5, 0, 100, 1}).front(), "LP");
    EXPECT_EQ(labels_for(shuffled, {5, 100, 100, 1}).front(), "HWGPR of order 4") << "validation nodes tell";
}

TEST(Preference, WithOneLabelPerClassThePlainGraphComesFirst) {
    EXPECT_EQ(labels_for(graph_of(900), {1, 0, 100, 1}).front(), "Diffusion");
}

TEST(Preference, SmallClassesAreNotTaught) {
    EXPECT_THAT(labels_for(graph_of(700), {5, 100, 100, 1}), Each(Not(HasSubstr("self-trained"))));
}

TEST(Preference, SelfTrainingThatIsAskedForGoesToAllNetworks) {
    const auto labels = labels_for(graph_of(900), {5, 100, 100, 1}, {{"self_training", "20"}});
    for (const std::string& label : labels) {
        if (label == "LP" || label == "Boosted" || label.starts_with("Linear") ||
            label.starts_with("Diffusion"))
            continue;
        EXPECT_THAT(label, HasSubstr("self-trained"));
    }
    EXPECT_EQ(std::ranges::count(labels, "self-trained HWGPR of order 4"), 1) << "equal ones are one";
    EXPECT_THAT(labels_for(graph_of(700), {5, 100, 100, 1}, {{"self_training", "200"}}),
                Contains("self-trained HWGRAND of order 4"));
    EXPECT_THAT(labels_for(graph_of(900), {5, 0, 100, 1}, {{"self_training", "20"}}),
                Contains("self-trained HWGPR of order 4"));
}

}  // namespace
}  // namespace hwgcn::preference_test
