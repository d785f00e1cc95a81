#include <cstdlib>
#include <set>

#include <gtest/gtest.h>

#include "base/random_stream.hpp"
#include "methods/linear/rows.hpp"
#include "methods/small_graphs.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::testing::linear_neighbors_test {
namespace {

constexpr Index nodes = 150;
constexpr Index features = 3;
constexpr Index classes = 3;

// Two numbers and a column that is mostly zero; the class follows what the neighbors have.
struct Problem {
    std::vector<Edge> edges;
    CsrMatrix<float> x{nodes, features, {0}, {}, {}};
    KnownLabels known;

    Problem() {
        RandomStream random(3, 0);
        for (Index i = 0; i + 3 < nodes; ++i) {
            edges.push_back({i, i + 1});
            if (i % 2 == 0) edges.push_back({i + 3, i});
        }
        for (Index i = 0; i < nodes; ++i) {
            for (Index f = 0; f < features; ++f) {
                if (f == 2 && i % 3 != 0) continue;
                x.indices.push_back(f);
                x.values.push_back(static_cast<float>(random.uniform() * (f + 1) + (i / 7) % 3));
            }
            x.offsets.push_back(x.entries());
            known.train.nodes.push_back(i);
            known.train.labels.push_back(((i + 2) / 7) % classes);
        }
    }

    // As the method has them next to each other, by a loop over the edges.
    CsrMatrix<float> with_means(bool directed) const {
        const Index blocks = directed ? 3 : 2;
        DenseMatrix wide(nodes, blocks * features);
        for (Index i = 0; i < nodes; ++i) {
            std::set<Index> into, out_of;
            for (const Edge& edge : edges) {
                if (edge.to == i || (!directed && edge.from == i))
                    into.insert(edge.to == i ? edge.from : edge.to);
                if (directed && edge.from == i) out_of.insert(edge.to);
            }
            add_mean({i}, wide, i, 0);
            add_mean(into, wide, i, features);
            if (directed) add_mean(out_of, wide, i, 2 * features);
        }
        return sparse_rows(wide, all_indices(nodes));
    }

    void add_mean(const std::set<Index>& of, DenseMatrix& wide, Index node, Index first) const {
        for (const Index other : of) {
            const SparseRow<float> row = x.row(other);
            for (std::size_t e = 0; e < row.size(); ++e)
                wide.at(node, first + row.indices[e]) += row.values[e] / static_cast<float>(of.size());
        }
    }

    CsrMatrix<float> arcs() const {
        std::vector<Triplet<float>> triplets;
        for (const Edge& edge : edges)
            triplets.push_back({edge.from, edge.to, 1.0F});
        return csr_from_triplets(nodes, nodes, std::move(triplets));
    }
};

DenseMatrix predicted(const std::string& method, const CsrMatrix<float>& p, const CsrMatrix<float>& x,
                      const KnownLabels& known, int threads = 1) {
    const auto learner = make_classic_method(method, {});
    const ClassicGraph graph{p, x, classes};
    return learner->probabilities(graph, learner->learn(graph, known, 0, {threads}).parameters, {threads});
}

class LinearNeighbors : public ::testing::TestWithParam<bool> {};

TEST_P(LinearNeighbors, IsLinearOnFeaturesAndMeans) {
    const Problem problem;
    const Graph graph(nodes, problem.edges);
    const CsrMatrix<float> arcs = problem.arcs();
    const Propagation p = build_separate_operators(graph, GetParam() ? &arcs : nullptr);
    const DenseMatrix found = predicted("linear-neighbors", *p.matrix, problem.x, problem.known);
    const DenseMatrix expected =
        predicted("linear", *p.matrix, problem.with_means(GetParam()), problem.known);
    const DenseMatrix alone = predicted("linear", *p.matrix, problem.x, problem.known);
    double difference = 0;
    for (Index i = 0; i < nodes; ++i) {
        for (Index c = 0; c < classes; ++c) {
            EXPECT_NEAR(found.at(i, c), expected.at(i, c), 2e-4) << i;
            difference = std::max(difference, std::abs(static_cast<double>(found.at(i, c) - alone.at(i, c))));
        }
    }
    EXPECT_GT(difference, 0.1) << "the neighbors say something";
    const DenseMatrix shared = predicted("linear-neighbors", *p.matrix, problem.x, problem.known, 3);
    EXPECT_TRUE(std::ranges::equal(found.numbers(), shared.numbers())) << "threads change nothing";
}

INSTANTIATE_TEST_SUITE_P(Graphs, LinearNeighbors, ::testing::Values(false, true),
                         [](const auto& one) { return one.param ? "Directed" : "Undirected"; });

}  // namespace
}  // namespace hwgcn::testing::linear_neighbors_test
