#include "graph/smoothing.hpp"

#include <algorithm>
#include <cmath>

namespace hwgcn {

RowSmoother::RowSmoother(const Graph& graph, const CsrMatrix<float>& features)
    : graph_(&graph), features_(&features), sum_(static_cast<std::size_t>(features.columns), 0.0) {}

void RowSmoother::add_row(Index node, double factor) {
    result_.mass += factor;
    const SparseRow<float> row = features_->row(node);
    for (std::size_t e = 0; e < row.size(); ++e) {
        double& sum = sum_[row.indices[e]];
        if (sum == 0.0) result_.columns.push_back(row.indices[e]);
        sum += factor * row.values[e];
    }
}

// t_i = sum_j (A + I)_ij x_j / sqrt(d_i d_j), over the node itself and its neighbors.
const SparseVector& RowSmoother::smooth(Index node) {
    result_.columns.clear();
    result_.mass = 0;
    const double degree = graph_->degree_with_identity(node);
    const std::span<const Index> neighbors = graph_->neighbors(node);
    const std::span<const float> weights = graph_->weights(node);
    add_row(node, (1.0 + graph_->loop_weight(node)) / degree);
    for (std::size_t e = 0; e < neighbors.size(); ++e) {
        const double weight = weights.empty() ? 1.0 : static_cast<double>(weights[e]);
        add_row(neighbors[e], weight / std::sqrt(degree * graph_->degree_with_identity(neighbors[e])));
    }
    // Stored zeros and sums that underflowed may have put a column on the list twice.
    std::sort(result_.columns.begin(), result_.columns.end());
    result_.columns.erase(std::unique(result_.columns.begin(), result_.columns.end()), result_.columns.end());
    result_.values.clear();
    for (const Index column : result_.columns) {
        result_.values.push_back(sum_[column]);
        sum_[column] = 0.0;
    }
    return result_;
}

}  // namespace hwgcn
