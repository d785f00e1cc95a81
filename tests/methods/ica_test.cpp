#include <algorithm>
#include <atomic>

#include <gmock/gmock.h>

#include "hwgcn/base/error.hpp"

#include "methods/small_graphs.hpp"

namespace hwgcn::testing::ica_test {
namespace {

std::unique_ptr<ClassicMethod> make_ica(const std::vector<Setting>& settings) {
    return make_classic_method("ica", settings);
}

// Two rings of ten nodes. The features tell the classes apart at the training nodes and at node 1 and 11
// only.
SmallGraph two_rings() {
    std::vector<Edge> edges;
    std::vector<Triplet<float>> features;
    for (Index ring = 0; ring < 2; ++ring) {
        for (Index i = 0; i < 10; ++i)
            edges.push_back({ring * 10 + i, ring * 10 + (i + 1) % 10});
        for (const Index i : {0, 1, 5})
            features.push_back({ring * 10 + i, ring, 1.0F});
    }
    return {20, edges, 2, csr_from_triplets(20, 2, std::move(features))};
}

KnownLabels known_rings() {
    return {{{0, 5, 10, 15}, {0, 0, 1, 1}}, {{1, 11}, {0, 1}}};
}

TEST(Ica, CarriesClassesToNodesWithoutFeatures) {
    const SmallGraph graph = two_rings();
    const DenseMatrix p = learn_and_predict(*make_ica({}), graph, known_rings());
    expect_probabilities(p);
    for (Index i = 0; i < 20; ++i)
        EXPECT_GT(p.at(i, i / 10), 0.5F) << i;
}

// Node 3 looks like those of class 0, but is known to be of class 1. Every training node has one neighbor,
// and these are all alike: nothing but its label tells the class of node 3.
TEST(Ica, KnownClassesStandAgainstWhatTheFeaturesSay) {
    std::vector<Triplet<float>> features = {{4, 1, 1.0F}};
    for (const Index node : {0, 1, 2, 3})
        features.push_back({node, 0, 1.0F});
    const SmallGraph graph(10, {{0, 5}, {1, 6}, {2, 7}, {3, 8}, {4, 9}}, 2,
                           csr_from_triplets(10, 2, std::move(features)));
    const KnownLabels known{{{0, 1, 2, 3, 4}, {0, 0, 0, 1, 1}}, {}};
    for (const char* sweeps : {"1", "10"}) {
        const auto ica = make_ica({{"ica_counts", "count"}, {"classifier_l2", "0.1"}, {"sweeps", sweeps}});
        const ClassicModel model = ica->learn(graph.view(), known, 0, {1});
        const DenseMatrix& neighbors = model.parameters[1].value;
        for (Index node = 0; node < 5; ++node) {
            for (Index c = 0; c < 2; ++c)
                EXPECT_EQ(neighbors.at(5 + node, c), known.train.labels[node] == c ? 1.0F : 0.0F) << node;
        }
        const DenseMatrix p = ica->probabilities(graph.view(), model.parameters, {1});
        EXPECT_GT(p.at(3, 0), 0.5F) << "by features and neighbors, it would be of class 0";
    }
}

TEST(Ica, EndsWhenASweepChangesNothing) {
    const SmallGraph graph(60, random_edges(60, 100, 3), 3, random_features(60, 9, 0.3, 4));
    const KnownLabels known{{{0, 1, 2, 3, 4, 5}, {0, 1, 2, 0, 1, 2}}, {}};
    const auto learned = [&](const char* sweeps) {
        return make_ica({{"sweeps", sweeps}})->learn(graph.view(), known, 1, {1});
    };
    const ClassicModel many = learned("10000");
    EXPECT_THAT(many.summary, ::testing::Not(::testing::HasSubstr("10000"))) << many.summary;
    EXPECT_TRUE(
        std::ranges::equal(many.parameters[1].value.numbers(), learned("500").parameters[1].value.numbers()));
    EXPECT_THAT(learned("1").summary, ::testing::HasSubstr("1 sweeps that changed something"));
}

TEST(Ica, ASeedDecidesTheOrderAndTheSameSeedGivesTheSameBits) {
    const SmallGraph graph(60, random_edges(60, 100, 3), 3, random_features(60, 9, 0.3, 4));
    const KnownLabels known{{{0, 1, 2, 3, 4, 5}, {0, 1, 2, 0, 1, 2}}, {{6, 7, 8}, {0, 1, 2}}};
    const auto predictions = [&](std::uint64_t seed) {
        return learn_and_predict(*make_ica({{"sweeps", "1"}}), graph, known, seed);
    };
    const DenseMatrix first = predictions(1);
    EXPECT_TRUE(std::ranges::equal(first.numbers(), predictions(1).numbers()));
    bool another = false;
    for (std::uint64_t seed = 2; seed < 10; ++seed)
        another = another || !std::ranges::equal(first.numbers(), predictions(seed).numbers());
    EXPECT_TRUE(another);
}

TEST(Ica, CanBeStopped) {
    const std::atomic<bool> stop = true;
    EXPECT_THROW(make_ica({})->learn(two_rings().view(), known_rings(), 0, {1, nullptr, &stop}), Interrupted);
}

TEST(Ica, SaysWhatWasChosen) {
    const auto ica = make_ica({{"ica_counts", "count"}, {"classifier_l2", "0.5"}});
    const ClassicModel model = ica->learn(two_rings().view(), known_rings(), 0, {1});
    EXPECT_THAT(model.summary, ::testing::StartsWith("Classes of neighbors as counts, l2 0.5, "));
}

}  // namespace
}  // namespace hwgcn::testing::ica_test
