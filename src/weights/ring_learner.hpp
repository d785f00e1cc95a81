#pragma once

#include <utility>
#include <vector>

#include "hwgcn/dataset/feature_scaling.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "graph/rings.hpp"
#include "graph/smoothing.hpp"
#include "weights/ring_solver.hpp"

namespace hwgcn {

/// The weights of the ring around one node, with what is worth counting about them.
struct RingWeights {
    std::size_t ring_size = 0;
    std::vector<std::pair<Index, double>> weights;  ///< by node, ascending
    bool solved = false;                            ///< the ring had a positive total
    std::size_t left_out = 0;                       ///< members that max_ring kept from carrying weight
    bool sampled = false;                           ///< sample_ring has cut it, or a ring on the way to it
    SolveStatus status = SolveStatus::optimal;
    int iterations = 0;
    double gap = 0;
};

/// Learns one ring after another; holds the scratch memory, so keep one per thread.
class RingLearner {
  public:
    /// Rings are found by `search`, features are smoothed over `graph`.
    RingLearner(const Graph& graph, RingSearch search, const CsrMatrix<float>& features, RingSolver solver,
                WeightOptions options);

    /// The weights of the neighbors of `node` of that order; valid until the next call.
    const RingWeights& learn(Index node, int order);

  private:
    void weigh_uniformly(std::span<const Index> members, const RingSolver::RingScale& scale);
    void weigh_by_solution(std::span<const Index> members, const Solution& solution, double total);

    WeightOptions options_;
    RingSearch search_;
    RowSmoother smoother_;
    RingSolver solver_;
    RingWeights result_;
};

/// One learner per worker thread; they share what they know of the feature rows. Rings are searched in
/// `rings`. Where the graphs are parts of a larger one, `facts` are of the features of the whole, and
/// `numbers` are what the nodes are called in it.
std::vector<RingLearner> make_learners(const Graph& graph, const Graph& rings,
                                       const CsrMatrix<float>& features, const WeightOptions& options,
                                       const ExecutionControl& control, const FeatureFacts* facts = nullptr,
                                       std::span<const Index> numbers = {});

}  // namespace hwgcn
