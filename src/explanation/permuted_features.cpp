#include "explanation/permuted_features.hpp"

namespace hwgcn {

ColumnPermutation::ColumnPermutation(const CsrMatrix<float>& features, const FeatureColumn& column)
    : features_(features),
      inside_(static_cast<std::size_t>(features.columns), 0),
      column_{features.rows, features.columns, {0}, {}, {}} {
    for (const Index f : column.features)
        inside_[f] = 1;
    for (Index i = 0; i < features.rows; ++i) {
        const SparseRow<float> row = features.row(i);
        for (std::size_t e = 0; e < row.size(); ++e) {
            if (inside_[row.indices[e]] == 0) continue;
            column_.indices.push_back(row.indices[e]);
            column_.values.push_back(row.values[e]);
        }
        column_.offsets.push_back(column_.entries());
    }
}

// The entries of a row outside of the column, from the one at `next` on, up to the feature `before`.
void ColumnPermutation::append_rest(Index node, CsrMatrix<float>& result, std::size_t& next,
                                    Index before) const {
    const SparseRow<float> row = features_.row(node);
    for (; next < row.size() && row.indices[next] < before; ++next) {
        if (inside_[row.indices[next]] != 0) continue;
        result.indices.push_back(row.indices[next]);
        result.values.push_back(row.values[next]);
    }
}

CsrMatrix<float> ColumnPermutation::rows(const std::vector<Index>& nodes,
                                         const std::vector<Index>& origin) const {
    CsrMatrix<float> result{static_cast<Index>(nodes.size()), features_.columns, {0}, {}, {}};
    for (const Index node : nodes) {
        std::size_t next = 0;
        const SparseRow<float> moved = column_.row(origin[node]);
        for (std::size_t e = 0; e < moved.size(); ++e) {
            append_rest(node, result, next, moved.indices[e]);
            result.indices.push_back(moved.indices[e]);
            result.values.push_back(moved.values[e]);
        }
        append_rest(node, result, next, features_.columns);
        result.offsets.push_back(result.entries());
    }
    return result;
}

}  // namespace hwgcn
