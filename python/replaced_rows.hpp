#pragma once

#include <vector>

#include "hwgcn/linalg/csr_matrix.hpp"

namespace hwgcn::python {

/// The features with the row `nodes[k]` replaced by row k of `rows`.
inline CsrMatrix<float> with_rows(const CsrMatrix<float>& features, const std::vector<Index>& nodes,
                                  const CsrMatrix<float>& rows) {
    std::vector<Index> replaced(static_cast<std::size_t>(features.rows), -1);
    for (std::size_t k = 0; k < nodes.size(); ++k)
        replaced.at(static_cast<std::size_t>(nodes[k])) = static_cast<Index>(k);
    CsrMatrix<float> result{features.rows, features.columns, {0}, {}, {}};
    for (Index i = 0; i < features.rows; ++i) {
        const SparseRow<float> row = replaced[i] < 0 ? features.row(i) : rows.row(replaced[i]);
        result.indices.insert(result.indices.end(), row.indices.begin(), row.indices.end());
        result.values.insert(result.values.end(), row.values.begin(), row.values.end());
        result.offsets.push_back(static_cast<std::int64_t>(result.indices.size()));
    }
    return result;
}

}  // namespace hwgcn::python
