#include <algorithm>

#include <gmock/gmock.h>

#include "classic/small_graphs.hpp"

namespace hwgcn::testing {
namespace {

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

TEST(Ica, OneSweepReachesLessFarThanTen) {
    // A path: the only label is at its end, and each node listens to its neighbours alone.
    const SmallGraph graph(40, path(40), 2, csr_from_triplets(40, 2, {{0, 0, 1.0F}, {39, 1, 1.0F}}));
    const KnownLabels known{{{0, 39}, {0, 1}}, {}};
    const auto found = [&](int sweeps) {
        ClassicOptions options;
        options.sweeps = sweeps;
        const DenseMatrix p = learn_and_predict(*make_ica(options), graph, known, 5);
        return std::count_if(p.numbers().begin(), p.numbers().end(), [](float x) { return x > 0.5F; });
    };
    EXPECT_GE(found(20), found(1));
}

TEST(Ica, ASeedDecidesTheOrderAndTheSameSeedGivesTheSameBits) {
    const SmallGraph graph(60, random_edges(60, 100, 3), 3, random_features(60, 9, 0.3, 4));
    const KnownLabels known{{{0, 1, 2, 3, 4, 5}, {0, 1, 2, 0, 1, 2}}, {{6, 7, 8}, {0, 1, 2}}};
    const DenseMatrix first = learn_and_predict(*make_ica({}), graph, known, 1);
    const DenseMatrix again = learn_and_predict(*make_ica({}), graph, known, 1, 3);
    EXPECT_TRUE(std::ranges::equal(first.numbers(), again.numbers()));
}

TEST(Ica, SaysWhatWasChosen) {
    ClassicOptions options;
    options.counts = NeighborCounts::count;
    options.classifier_l2 = {0.5};
    const ClassicModel model = make_ica(options)->learn(two_rings().view(), known_rings(), 0, {1});
    EXPECT_EQ(model.summary, "Classes of neighbours as counts, l2 0.5, 10 sweeps.");
}

}  // namespace
}  // namespace hwgcn::testing
