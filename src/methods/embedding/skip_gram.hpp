#pragma once

#include <cstdint>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/tensor/csr_matrix.hpp"
#include "hwgcn/tensor/dense_matrix.hpp"

namespace hwgcn {

enum class SkipGramObjective { negative_sampling, hierarchical_softmax };

struct DeepWalkOptions {
    int walks = 10;        ///< from every node
    int walk_length = 40;  ///< nodes of a walk
    int window = 5;        ///< nodes on each side that are the context of a node, at most
    int dimensions = 64;
    SkipGramObjective objective = SkipGramObjective::negative_sampling;
    int negatives = 5;         ///< drawn for every pair of the walks
    double walk_rate = 0.025;  ///< learning rate, falling to nothing
    /// Candidates: the best one on the validation nodes is taken, the first one where there are none.
    std::vector<double> classifier_l2 = {1e-3, 1e-4, 1e-2, 1e-1};
};

struct WalkEmbedding {
    DenseMatrix vectors;  ///< nodes x dimensions; zero for nodes without edges
    Index walked = 0;     ///< nodes with edges
    std::int64_t pairs = 0;
};

/// Learns vectors that tell which nodes lie near each other on random walks (skip-gram). `weights` are
/// symmetric and not negative. The same bits at any number of threads. Throws ExecutionError where the rate
/// is so high that the numbers grow without bound.
WalkEmbedding embed_by_walks(const CsrMatrix<float>& weights, const DeepWalkOptions& options,
                             std::uint64_t seed, const ExecutionControl& control);

}  // namespace hwgcn
