#include <mutex>
#include <set>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "distributed/operators/shared_propagation.hpp"
#include "distributed/thread_peers.hpp"
#include "operators/propagation.hpp"
#include "tensor/blocks/node_blocks.hpp"
#include "training/fit_options.hpp"
#include "training/small_problem.hpp"

namespace hwgcn {
namespace {

using namespace hwgcn::testing;

// Rows first .. end - 1.
template <typename Value>
CsrMatrix<Value> part_of_rows(const CsrMatrix<Value>& whole, Index first, Index end) {
    CsrMatrix<Value> part{end - first, whole.columns, {0}, {}, {}};
    for (Index i = first; i < end; ++i) {
        const SparseRow<Value> row = whole.row(i);
        part.indices.insert(part.indices.end(), row.indices.begin(), row.indices.end());
        part.values.insert(part.values.end(), row.values.begin(), row.values.end());
        part.offsets.push_back(part.entries());
    }
    return part;
}

// A with its loops.
CsrMatrix<float> adjacency_of(const Graph& graph) {
    std::vector<Triplet<float>> entries;
    for (Index node = 0; node < graph.nodes(); ++node) {
        if (graph.has_self_loop(node)) entries.push_back({node, node, 1.0F});
        for (const Index neighbor : graph.neighbors(node))
            entries.push_back({node, neighbor, 1.0F});
    }
    return csr_from_triplets(graph.nodes(), graph.nodes(), std::move(entries));
}

// A problem whose nodes fall into blocks, for one process and for several.
class BlockedProblem {
  public:
    BlockedProblem(const std::string& method, Index block_size, int order = 1,
                   Orientation orientation = Orientation::paper)
        : graph_(problem_.dataset.nodes, problem_.dataset.edges), adjacency_(adjacency_of(graph_)) {
        problem_.use(method);
        problem_.options = problem_.method.fit();
        problem_.options.epochs = 10;
        options_.orientation = orientation;
        if (order > 1) weights_ = learn_weights(graph_, *problem_.features, {.order = order}, {1});
        for (Index first = 0; first < problem_.dataset.nodes; first += block_size)
            blocks_.bounds.push_back(first);
        blocks_.bounds.push_back(problem_.dataset.nodes);
    }

    SmallProblem& problem() { return problem_; }
    void leave_out(double share) { options_.least_share = share; }

    FitState fit_alone(int threads = 1) const {
        SmallProblem alone = problem_;
        alone.propagation = build_propagation(graph_, weights_, options_);
        alone.propagation.layout = whole_layout(blocks_);
        alone.control.threads = threads;
        return alone.fit();
    }

    // The part that a process has; with `skew`, the first ones have nothing.
    SmallProblem part(Peers& peers, int skew) const {
        std::vector<Index> owners{0};
        for (int rank = 1; rank < peers.size(); ++rank)
            owners.push_back(skew >= rank ? 0 : blocks_.count() * rank / peers.size());
        owners.push_back(blocks_.count());
        const auto partition = std::make_shared<const Partition>(blocks_, owners, peers);
        const Index first = partition->first_node();
        const Index end = partition->end_node();
        SmallProblem own = problem_;
        LearnedWeights weights;
        for (const OrderWeights& order : weights_.orders)
            weights.orders.push_back({part_of_rows(order.matrix, first, end), {}, order.summary});
        own.features = std::make_shared<const CsrMatrix<float>>(part_of_rows(*problem_.features, first, end));
        own.propagation =
            build_shared_propagation(partition, part_of_rows(adjacency_, first, end), weights, options_);
        return own;
    }

  private:
    SmallProblem problem_;
    Graph graph_;
    CsrMatrix<float> adjacency_;
    LearnedWeights weights_;
    PropagationOptions options_;
    NodeBlocks blocks_;
};

void expect_same_bits(const BlockedProblem& problem, const std::vector<int>& counts = {1, 2, 3, 5, 8}) {
    const FitState alone = problem.fit_alone();
    EXPECT_TRUE(same_bits(problem.fit_alone(3), alone)) << "threads";
    for (const int count : counts) {
        for (const int skew : {0, 1}) {
            std::mutex access;
            run_as_threads(count, [&](Peers& peers) {
                const FitState shared = problem.part(peers, skew).fit();
                const std::lock_guard lock(access);
                EXPECT_TRUE(same_bits(shared, alone)) << count << " processes, skew " << skew;
            });
        }
    }
}

class SharedFit : public ::testing::TestWithParam<std::string> {};

TEST_P(SharedFit, ProcessesTrainTheSameModelToTheBit) {
    expect_same_bits(BlockedProblem(GetParam(), 11));
}

TEST_P(SharedFit, OnTheHigherOrderOperator) {
    expect_same_bits(BlockedProblem(GetParam(), 40, 2, Orientation::symmetric), {3});
}

INSTANTIATE_TEST_SUITE_P(Networks, SharedFit,
                         ::testing::Values("mlp", "gcn", "sgc", "appnp", "gpr", "hwgpr", "mixhop"),
                         [](const auto& network) { return network.param; });

TEST(SharedTraining, EveryOrientation) {
    for (const Orientation orientation : {Orientation::paper, Orientation::transposed})
        expect_same_bits(BlockedProblem("gcn", 17, 3, orientation), {2, 4});
}

TEST(SharedTraining, WithoutSmallWeights) {
    for (const Orientation orientation : {Orientation::paper, Orientation::symmetric}) {
        BlockedProblem problem("gpr", 17, 3, orientation);
        const FitState all = problem.fit_alone();
        problem.leave_out(0.03);
        EXPECT_FALSE(same_bits(problem.fit_alone(), all)) << "some are left out";
        expect_same_bits(problem, {2, 4});
    }
}

// Of 40 columns two tiles of 16 and one of 8 travel by themselves.
TEST(SharedTraining, WideNetworksExchangeTilesOfTheirColumns) {
    for (const char* const hidden : {"17", "32", "40"}) {
        BlockedProblem problem("gcn", 11, 2);
        problem.problem().method.apply({{"hidden", hidden}});
        expect_same_bits(problem, {2, 3});
    }
}

TEST(SharedTraining, BlocksOfOneNode) {
    expect_same_bits(BlockedProblem("gcn", 1, 2), {3});
}

// Where an epoch is one pass: gradients of several are otherwise added up in one chain, not pass by pass.
TEST(SharedTraining, OneBlockHasTheBitsOfNone) {
    for (const char* const method : {"mlp", "gcn", "mixhop"}) {
        BlockedProblem problem(method, 1000);
        const FitState plain = problem.problem().fit();
        EXPECT_TRUE(same_bits(problem.fit_alone(), plain)) << method;
    }
}

TEST(SharedTraining, CriteriaThatNeedAllNodes) {
    BlockedProblem problem("gcn", 11);
    problem.problem().options.selection = Selection::macro_f1;
    expect_same_bits(problem, {3});
}

TEST(SharedTraining, AllStopBeforeTheSameEpoch) {
    const BlockedProblem problem("gcn", 11);
    std::mutex access;
    std::multiset<int> epochs;
    std::atomic<bool> stop{false};
    run_as_threads(3, [&](Peers& peers) {
        SmallProblem own = problem.part(peers, 0);
        own.options.epochs = 1000;
        if (peers.rank() == 1) own.control.stop = &stop;  // one of them is asked to
        FitState state = own.start();
        own.go_on(state, 5);
        if (peers.rank() == 1) stop = true;
        EXPECT_THROW(own.go_on(state), Interrupted);
        const std::lock_guard lock(access);
        epochs.insert(state.epoch);
    });
    EXPECT_EQ(epochs.count(5), 3);
}

}  // namespace
}  // namespace hwgcn
