#pragma once

#include "hwgcn/tensor/csr_matrix.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "graph/summary.hpp"

namespace hwgcn {

/// Feature entries that learning one order visits: the measure of work that estimates and limits share.
/// Solving visits the members of a ring several times; of one that is larger than max_ring, finding the
/// nearest visits each once. Members beyond sample_ring are not visited.
double learning_work(const Graph& graph, const CsrMatrix<float>& features, const RingSummary& rings,
                     const WeightOptions& options);

/// What learning would cost, from ring sizes and a few solved problems: printed before anything long starts.
struct CostEstimate {
    double seconds = 0;
    double peak_mb = 0;
    std::int64_t support = 0;  ///< expected entries of the weight matrices
};

/// Solves the rings of `sample` evenly spaced nodes and scales up.
CostEstimate estimate_cost(const Graph& graph, const CsrMatrix<float>& features, const WeightOptions& options,
                           const ExecutionControl& control, Index sample = 64);

}  // namespace hwgcn
