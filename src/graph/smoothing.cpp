#include "hwgcn/graph/smoothing.hpp"

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

// t_i = sum_j (A + I)_ij x_j / sqrt(d_i d_j), over the node itself and its neighbours.
const SparseVector& RowSmoother::smooth(Index node) {
    result_.columns.clear();
    result_.mass = 0;
    const double degree = graph_->degree_with_identity(node);
    add_row(node, (graph_->has_self_loop(node) ? 2.0 : 1.0) / degree);
    for (const Index neighbor : graph_->neighbors(node)) {
        add_row(neighbor, 1.0 / std::sqrt(degree * graph_->degree_with_identity(neighbor)));
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
