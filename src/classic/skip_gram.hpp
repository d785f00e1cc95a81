#pragma once

#include <cstdint>

#include "hwgcn/classic/classic_options.hpp"
#include "hwgcn/linalg/csr_matrix.hpp"
#include "hwgcn/linalg/dense_matrix.hpp"
#include "hwgcn/support/run_control.hpp"

namespace hwgcn {

struct WalkEmbedding {
    DenseMatrix vectors;  ///< nodes x dimensions; zero for nodes without edges
    Index walked = 0;     ///< nodes with edges
    std::int64_t pairs = 0;
};

/// Learns vectors that tell which nodes lie near each other on random walks (skip-gram). `weights` are
/// symmetric and not negative. The same bits at any number of threads. Throws ExecutionError where the rate
/// is so high that the numbers grow without bound.
WalkEmbedding embed_by_walks(const CsrMatrix<float>& weights, const ClassicOptions& options,
                             std::uint64_t seed, const ExecutionControl& control);

}  // namespace hwgcn
