#pragma once

#include <string>
#include <vector>

#include "hwgcn/graph/graph.hpp"
#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn::benchmarks {

/// What weight learning needs of a dataset; loaded once per program.
struct Input {
    Graph graph;
    CsrMatrix<float> features;  ///< normalised rows
};
const Input& input(const std::string& dataset);

/// "synthetic", and those of cora, citeseer and pubmed that $HWGCN_DATA holds.
std::vector<std::string> datasets();

}  // namespace hwgcn::benchmarks
