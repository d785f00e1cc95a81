#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <string>

#include <gmock/gmock.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/synthetic.hpp"

#include "instruction_sets.hpp"
#include "methods/embedding/skip_gram.hpp"
#include "methods/small_graphs.hpp"

namespace hwgcn::testing::deepwalk_test {
namespace {

constexpr SkipGramObjective objectives[] = {SkipGramObjective::negative_sampling,
                                            SkipGramObjective::hierarchical_softmax};

DeepWalkOptions with(SkipGramObjective objective) {
    DeepWalkOptions options;
    options.objective = objective;
    return options;
}

std::unique_ptr<ClassicMethod> make_deepwalk(SkipGramObjective objective) {
    const bool tree = objective == SkipGramObjective::hierarchical_softmax;
    return make_classic_method("deepwalk",
                               {{"skip_gram", tree ? "hierarchical-softmax" : "negative-sampling"}});
}

// Two cliques of `size` nodes, joined by one edge.
SmallGraph two_cliques(Index size) {
    std::vector<Edge> edges = {{0, size}};
    for (const Index first : {Index{0}, size}) {
        for (Index i = 0; i < size; ++i) {
            for (Index j = 0; j < i; ++j)
                edges.push_back({first + i, first + j});
        }
    }
    return {2 * size, edges, 2};
}

double cosine(const DenseMatrix& vectors, Index a, Index b) {
    const auto product = [&](Index i, Index j) {
        double sum = 0;
        for (Index k = 0; k < vectors.columns(); ++k)
            sum += static_cast<double>(vectors.at(i, k)) * static_cast<double>(vectors.at(j, k));
        return sum;
    };
    return product(a, b) / std::sqrt(product(a, a) * product(b, b));
}

TEST(DeepWalk, NodesOfACliqueComeTogetherAndThoseOfTwoCliquesApart) {
    const SmallGraph graph = two_cliques(12);
    for (const SkipGramObjective objective : objectives) {
        const DenseMatrix vectors = embed_by_walks(*graph.weights.matrix, with(objective), 1, {1}).vectors;
        double within = 0;
        double across = 0;
        for (Index i = 1; i < 12; ++i) {
            for (Index j = 1; j < i; ++j) {
                within += cosine(vectors, i, j) / 55;
                across += cosine(vectors, i, 12 + j) / 55;
            }
        }
        EXPECT_GT(within, across + 0.5);
    }
}

TEST(DeepWalk, FindsTheFactionsOfTheKarateClub) {
    const Dataset karate = make_karate();
    const SmallGraph graph(karate.nodes, karate.edges, 2);
    const KnownLabels known{{{0, 33}, {karate.labels[0], karate.labels[33]}}, {}};
    for (const SkipGramObjective objective : objectives) {
        const DenseMatrix p = learn_and_predict(*make_deepwalk(objective), graph, known, 2);
        expect_probabilities(p);
        int right = 0;
        for (Index i = 0; i < karate.nodes; ++i)
            right += p.at(i, karate.labels[i]) > 0.5F ? 1 : 0;
        EXPECT_GE(right, 28) << "of 34; 17 would be chance";
    }
}

// Large enough for several buckets, with weights that differ.
CsrMatrix<float> weighted_random_graph() {
    CsrMatrix<float> weights = *weighted_graph(Graph(600, random_edges(600, 1500, 4))).matrix;
    for (Index i = 0; i < weights.rows; ++i) {
        for (std::int64_t e = weights.offsets[i]; e < weights.offsets[i + 1]; ++e)
            weights.values[e] = static_cast<float>(1 + (i + weights.indices[e]) % 3);
    }
    return weights;
}

TEST(DeepWalk, TheBitsAreTheSameAtAnyNumberOfThreadsAndOnEveryInstructionSet) {
    const CsrMatrix<float> weights = weighted_random_graph();
    for (const SkipGramObjective objective : objectives) {
        DeepWalkOptions options = with(objective);
        options.walks = 2;
        options.dimensions = 24;
        const WalkEmbedding first = embed_by_walks(weights, options, 9, {1});
        const auto expect_same = [&](int threads, const std::string& what) {
            const WalkEmbedding again = embed_by_walks(weights, options, 9, {threads});
            EXPECT_TRUE(std::ranges::equal(again.vectors.numbers(), first.vectors.numbers())) << what;
            EXPECT_EQ(again.pairs, first.pairs);
        };
        for (const int threads : {2, 3, 8})
            expect_same(threads, std::to_string(threads) + " threads");
        for_every_instruction_set([&](const std::string& name) { expect_same(2, name); });
        const WalkEmbedding other = embed_by_walks(weights, options, 10, {1});
        EXPECT_FALSE(std::ranges::equal(other.vectors.numbers(), first.vectors.numbers())) << "another seed";
    }
}

TEST(DeepWalk, NodesWithoutEdgesHaveVectorsOfZeroAndStillAClass) {
    const SmallGraph graph(9, {{0, 1}, {1, 2}, {4, 5}, {5, 6}, {3, 3}}, 3);  // 3 (a loop), 7 and 8 alone
    const KnownLabels known{{{0, 4, 7}, {0, 1, 1}}, {{2, 8}, {0, 1}}};       // nothing of class 2
    for (const SkipGramObjective objective : objectives) {
        const WalkEmbedding embedding = embed_by_walks(*graph.weights.matrix, with(objective), 0, {1});
        EXPECT_EQ(embedding.walked, 6);
        for (const Index alone : {3, 7, 8}) {
            const float* row = embedding.vectors.row(alone);
            EXPECT_TRUE(std::all_of(row, row + 64, [](float x) { return x == 0.0F; })) << alone;
        }
        expect_probabilities(learn_and_predict(*make_deepwalk(objective), graph, known));
    }
}

TEST(DeepWalk, OneEdgeIsEnough) {
    const SmallGraph graph(2, {{0, 1}}, 2);
    for (const SkipGramObjective objective : objectives) {
        expect_probabilities(learn_and_predict(*make_deepwalk(objective), graph, {{{0}, {0}}, {}}));
    }
}

TEST(DeepWalk, AGraphWithoutEdgesIsRefused) {
    const SmallGraph graph(4, {{1, 1}}, 2);
    const KnownLabels known{{{0, 1}, {0, 1}}, {}};
    try {
        make_classic_method("deepwalk", {})->learn(graph.view(), known, 0, {1});
        FAIL() << "no edges";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "the graph has no edges, and DeepWalk learns from nothing else");
    }
}

TEST(DeepWalk, ARateThatMakesTheVectorsGrowWithoutBoundIsReported) {
    const SmallGraph graph(60, random_edges(60, 200, 5), 2);
    DeepWalkOptions options;
    options.walk_rate = 10;
    try {
        embed_by_walks(*graph.weights.matrix, options, 0, {1});
        FAIL() << "a rate of 10";
    } catch (const ExecutionError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("a smaller `walk_rate` helps"));
    }
}

TEST(DeepWalk, ThePenaltyIsChosenOnTheValidationNodesAndTheFirstOneWithoutThem) {
    const SmallGraph graph = two_cliques(8);
    const auto method = make_classic_method("deepwalk", {{"walks", "2"}, {"classifier_l2", "1e5,1e-3"}});
    const LabelledNodes train{{1, 2, 3, 9}, {0, 0, 0, 1}};
    const LabelledNodes validation{{4, 10}, {0, 1}};
    const auto summary = [&](const KnownLabels& known) {
        return method->learn(graph.view(), known, 0, {1}).summary;
    };
    EXPECT_THAT(summary({train, {}}), ::testing::HasSubstr("l2 100000"));
    EXPECT_THAT(summary({train, validation}), ::testing::HasSubstr("l2 0.001"));
    EXPECT_THAT(summary({train, {}}), ::testing::HasSubstr("2 walks of 40 nodes from each of 16 nodes"));
}

TEST(DeepWalk, StopsWhenAskedTo) {
    const SmallGraph graph = two_cliques(20);
    const std::atomic<bool> stop = true;
    for (const SkipGramObjective objective : objectives) {
        EXPECT_THROW(
            embed_by_walks(*graph.weights.matrix, with(objective), 0, ExecutionControl{1, nullptr, &stop}),
            Interrupted);
    }
}

}  // namespace
}  // namespace hwgcn::testing::deepwalk_test
