#include <cmath>

#include <gtest/gtest.h>

#include "autodiff/small_field.hpp"
#include "operators/propagation.hpp"
#include "training/fit.hpp"
#include "training/small_problem.hpp"

namespace hwgcn::embedding_networks_test {
namespace {

using testing::random_edges;
using testing::same_bits;
using testing::shared_features;

// SemiEmb and both kinds of Planetoid, from the data to the predictions.
struct Case {
    std::string name;
    std::string method;
    std::vector<Setting> settings = {};
};

constexpr Index node_count = 60;

class EmbeddingNetwork : public ::testing::TestWithParam<Case> {
  protected:
    FitState fit(const std::vector<Edge>& edges, const std::vector<Index>& labels, int threads = 1) const {
        const LabelledField train = field(edges, {0, 1, 2, 3, 4, 5, 6, 7}, labels);
        const LabelledField validation = field(edges, {8, 9, 10, 11}, labels);
        return hwgcn::fit(*network(), train, validation, {.epochs = 6}, 4, {threads, nullptr, nullptr});
    }

    DenseMatrix predictions(const std::vector<Edge>& edges, const std::vector<Index>& labels) const {
        const FitState state = fit(edges, labels);
        const LabelledField all = field(edges, {0}, labels);
        return predict(*network(), state.best, all.field, {1, nullptr, nullptr});
    }

    static std::vector<Index> some_labels() {
        std::vector<Index> labels;
        for (Index i = 0; i < node_count; ++i)
            labels.push_back(i % 3);
        return labels;
    }

  private:
    std::unique_ptr<Network> network() const {
        return make_network(GetParam().method, GetParam().settings, {features_->columns, 3, node_count});
    }

    LabelledField field(const std::vector<Edge>& edges, const std::vector<Index>& nodes,
                        const std::vector<Index>& labels) const {
        const Propagation weights = weighted_graph(Graph(node_count, edges));
        return labelled_field(*network(), weights, features_, nodes, labels);
    }

    std::shared_ptr<const CsrMatrix<float>> features_ = shared_features(node_count, 15, 0.3, 2);
};
INSTANTIATE_TEST_SUITE_P(Of, EmbeddingNetwork,
                         ::testing::Values(Case{"SemiEmb", "semiemb"}, Case{"PlanetoidT", "planetoid"},
                                           Case{
                                               "PlanetoidI", "planetoid", {{"planetoid_kind", "inductive"}}}),
                         [](const auto& parameter) { return parameter.param.name; });

void expect_probabilities(const DenseMatrix& matrix, const char* what) {
    for (Index i = 0; i < matrix.rows(); ++i) {
        double sum = 0;
        for (Index c = 0; c < matrix.columns(); ++c)
            sum += static_cast<double>(matrix.at(i, c));
        ASSERT_NEAR(sum, 1.0, 1e-5) << what << ", node " << i;
    }
}

TEST_P(EmbeddingNetwork, IsFiniteOnAnyGraph) {
    expect_probabilities(predictions({}, some_labels()), "no edges");
    expect_probabilities(predictions({{3, 3}}, some_labels()), "a loop");
    expect_probabilities(predictions({{0, 1}, {50, 51}}, some_labels()), "two components and isolated nodes");
    std::vector<Edge> complete;
    for (Index i = 0; i < node_count; ++i) {
        for (Index j = 0; j < i; ++j)
            complete.push_back({i, j});
    }
    expect_probabilities(predictions(complete, some_labels()), "all edges");
}

TEST_P(EmbeddingNetwork, IsFiniteWithOneClassOnly) {
    const std::vector<Index> labels(node_count, 1);
    expect_probabilities(predictions(random_edges(node_count, 90, 1), labels), "one class");
}

TEST_P(EmbeddingNetwork, LearnsTheSameBitsAtAnyNumberOfThreadsAndAgain) {
    const std::vector<Edge> edges = random_edges(node_count, 90, 1);
    const FitState first = fit(edges, some_labels());
    for (const int threads : {1, 2, 3})
        EXPECT_TRUE(same_bits(first, fit(edges, some_labels(), threads))) << threads;
}

TEST_P(EmbeddingNetwork, LabelsOfTestNodesNeverMatter) {
    const std::vector<Edge> edges = random_edges(node_count, 90, 1);
    std::vector<Index> other = some_labels();
    for (Index i = 12; i < node_count; ++i)
        other[i] = (other[i] + 1) % 3;
    EXPECT_TRUE(same_bits(fit(edges, some_labels()), fit(edges, other)));
}

TEST_P(EmbeddingNetwork, LabelsOfTrainingNodesDoMatter) {
    const std::vector<Edge> edges = random_edges(node_count, 90, 1);
    std::vector<Index> other = some_labels();
    other[3] = 1;
    EXPECT_FALSE(same_bits(fit(edges, some_labels()), fit(edges, other)));
}

}  // namespace
}  // namespace hwgcn::embedding_networks_test
