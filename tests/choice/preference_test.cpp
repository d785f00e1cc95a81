#include "choice/preference.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"

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
    options.vocabulary = 60;
    options.words = 8;
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
