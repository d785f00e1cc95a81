#include <atomic>
#include <mutex>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "distributed/operators/shared_propagation.hpp"
#include "distributed/thread_peers.hpp"
#include "methods/small_graphs.hpp"
#include "operators/propagation.hpp"
#include "tensor/blocks/node_blocks.hpp"

namespace hwgcn::testing::shared_label_propagation_test {
namespace {

constexpr Index nodes = 120;
constexpr Index classes = 3;

// Some components, nodes without neighbors, a loop and edge weights.
Graph some_graph() {
    std::vector<Edge> edges = random_edges(100, 170, 5);
    edges.push_back({7, 7});
    for (Index i = 104; i < 110; ++i)
        edges.push_back({i, i + 1});
    std::vector<float> weights;
    for (std::size_t k = 0; k < edges.size(); ++k)
        weights.push_back(0.25F * static_cast<float>(1 + k % 7));
    return {nodes, edges, weights};
}

// Rows first .. end - 1 of A, with its loops.
CsrMatrix<float> adjacency_rows(const Graph& graph, Index first, Index end) {
    std::vector<Triplet<float>> entries;
    for (Index node = first; node < end; ++node) {
        if (graph.has_self_loop(node))
            entries.push_back({node - first, node, static_cast<float>(graph.loop_weight(node))});
        for (std::size_t e = 0; e < graph.neighbors(node).size(); ++e)
            entries.push_back({node - first, graph.neighbors(node)[e], graph.weights(node)[e]});
    }
    return csr_from_triplets(end - first, graph.nodes(), std::move(entries));
}

LearnedWeights rows_of(const LearnedWeights& whole, Index first, Index end) {
    LearnedWeights part;
    for (const OrderWeights& order : whole.orders) {
        CsrMatrix<double> rows{end - first, order.matrix.columns, {0}, {}, {}};
        for (Index i = first; i < end; ++i) {
            const SparseRow<double> row = order.matrix.row(i);
            rows.indices.insert(rows.indices.end(), row.indices.begin(), row.indices.end());
            rows.values.insert(rows.values.end(), row.values.begin(), row.values.end());
            rows.offsets.push_back(rows.entries());
        }
        part.orders.push_back({std::move(rows), {}, order.summary});
    }
    return part;
}

struct BlockedGraph {
    Graph graph = some_graph();
    LearnedWeights weights = {};
    KnownLabels known = {{{3, 105, 11, 20, 41, 60, 77}, {0, 1, 1, 2, 0, 1, 2}}, {}};
    CsrMatrix<float> no_features = {nodes, 0, std::vector<std::int64_t>(nodes + std::size_t{1}), {}, {}};
    NodeBlocks blocks = {};

    explicit BlockedGraph(Index block_size, bool higher_order = false) {
        for (Index first = 0; first < nodes; first += block_size)
            blocks.bounds.push_back(first);
        blocks.bounds.push_back(nodes);
        if (higher_order)
            weights = learn_weights(graph, random_features(nodes, 30, 0.2, 9), {.order = 2}, {1});
    }

    ClassicModel learn_alone(const ClassicMethod& method, bool with_blocks = true) const {
        const Propagation whole = weighted_graph(graph, weights);
        const auto layout = whole_layout(blocks);
        return method.learn(
            {*whole.matrix, no_features, classes, nullptr, with_blocks ? layout.get() : nullptr}, known, 0,
            {1});
    }

    // One of several processes; with `skew`, the first ones have nothing.
    ClassicModel learn(const ClassicMethod& method, Peers& peers, int skew,
                       const ExecutionControl& control) const {
        std::vector<Index> owners{0};
        for (int rank = 1; rank < peers.size(); ++rank)
            owners.push_back(skew >= rank ? 0 : blocks.count() * rank / peers.size());
        owners.push_back(blocks.count());
        const auto partition = std::make_shared<const Partition>(blocks, owners, peers);
        const Index first = partition->first_node();
        const Index end = partition->end_node();
        const Propagation own =
            shared_weighted_graph(partition, adjacency_rows(graph, first, end), rows_of(weights, first, end));
        const ClassicModel model =
            method.learn({*own.matrix, no_features, classes, nullptr, partition.get()}, known, 0, control);
        EXPECT_EQ(model.parameters[0].value.rows(), end - first);
        return model;
    }
};

void expect_rows(const DenseMatrix& part, const DenseMatrix& whole, Index first, const std::string& where) {
    for (Index i = 0; i < part.rows(); ++i) {
        for (Index c = 0; c < part.columns(); ++c)
            ASSERT_EQ(part.at(i, c), whole.at(first + i, c)) << where << ", node " << first + i;
    }
}

void expect_same_bits(const BlockedGraph& graph, const ClassicMethod& method, const std::string& name) {
    const ClassicModel alone = graph.learn_alone(method);
    for (const int count : {1, 2, 3, 5, 8}) {
        for (const int skew : {0, 1}) {
            std::mutex access;
            std::vector<ClassicModel> parts(static_cast<std::size_t>(count));
            run_as_threads(count, [&](Peers& peers) {
                ClassicModel part = graph.learn(method, peers, skew, {1});
                const std::lock_guard lock(access);
                parts[peers.rank()] = std::move(part);
            });
            Index first = 0;
            for (const ClassicModel& part : parts) {
                expect_rows(part.parameters[0].value, alone.parameters[0].value, first, name);
                first += part.parameters[0].value.rows();
                EXPECT_EQ(part.summary, alone.summary) << name;
                EXPECT_EQ(part.notes, alone.notes) << name;
            }
            EXPECT_EQ(first, nodes);
        }
    }
}

TEST(SharedLabelPropagation, ProcessesFindTheSameSharesToTheBit) {
    for (const std::string rule : {"harmonic", "spreading"}) {
        for (const std::string solver : {"conjugate-gradients", "iteration"}) {
            const auto method = make_classic_method(
                "lp", {{"lp_rule", rule}, {"lp_solver", solver}, {"solver_tolerance", "1e-3"}});
            expect_same_bits(BlockedGraph(9), *method, rule + " " + solver);
        }
    }
}

TEST(SharedLabelPropagation, OnLearnedWeightsAndInBlocksOfOneNode) {
    const auto method = make_classic_method("lp", {});
    expect_same_bits(BlockedGraph(13, true), *method, "learned weights");
    expect_same_bits(BlockedGraph(1), *method, "blocks of one node");
}

TEST(SharedLabelPropagation, OneBlockHasTheBitsOfNone) {
    const auto method = make_classic_method("lp", {});
    const BlockedGraph graph(1000);
    expect_rows(graph.learn_alone(*method).parameters[0].value,
                graph.learn_alone(*method, false).parameters[0].value, 0, "one block");
}

TEST(SharedLabelPropagation, AllStopTogether) {
    const BlockedGraph graph(9);
    const auto method =
        make_classic_method("lp", {{"lp_solver", "iteration"}, {"solver_tolerance", "1e-300"}});
    std::atomic<bool> stop{true};
    std::atomic<int> interrupted{0};
    run_as_threads(3, [&](Peers& peers) {
        const ExecutionControl control{1, nullptr, peers.rank() == 1 ? &stop : nullptr};
        EXPECT_THROW(graph.learn(*method, peers, 0, control), Interrupted);
        ++interrupted;
    });
    EXPECT_EQ(interrupted, 3);
}

}  // namespace
}  // namespace hwgcn::testing::shared_label_propagation_test
