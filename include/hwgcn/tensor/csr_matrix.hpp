#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace hwgcn {

/// Index of a node, a feature or a class. 2^31 of each are enough; entries are counted in 64 bits.
using Index = std::int32_t;

/// One row of a sparse matrix: parallel views of column numbers and values.
template <typename Value>
struct SparseRow {
    std::span<const Index> indices;  ///< the column of each entry
    std::span<const Value> values;

    std::size_t size() const { return indices.size(); }
};

/// Compressed sparse rows. Invariant (see `validate`): offsets ascend from 0 to the number of entries,
/// the columns of each row ascend strictly and lie in [0, columns).
template <typename Value>
struct CsrMatrix {
    Index rows = 0;
    Index columns = 0;
    std::vector<std::int64_t> offsets = {0};
    std::vector<Index> indices;  ///< the column of each entry
    std::vector<Value> values;

    std::int64_t entries() const { return static_cast<std::int64_t>(indices.size()); }

    SparseRow<Value> row(Index i) const {
        const auto begin = static_cast<std::size_t>(offsets[i]);
        const auto count = static_cast<std::size_t>(offsets[i + 1]) - begin;
        return {{indices.data() + begin, count}, {values.data() + begin, count}};
    }
};

/// One entry of a matrix given in any order.
template <typename Value>
struct Triplet {
    Index row;
    Index column;
    Value value;
};

/// Builds compressed rows from entries in any order; entries at the same place are added up.
CsrMatrix<float> csr_from_triplets(Index rows, Index columns, std::vector<Triplet<float>> triplets);

/// Throws InputError, naming `what`, unless `matrix` fulfils the invariant above.
/// Readers call it on everything that comes from outside.
template <typename Value>
void validate_csr(const CsrMatrix<Value>& matrix, std::string_view what);

/// Each row divided by the sum of its absolute values; rows of zeros stay as they are.
CsrMatrix<float> row_normalized(CsrMatrix<float> matrix);

/// How the nodes of a dataset are cut into blocks: runs of successive nodes, the units of work and of sums on
/// several machines. Order and blocks belong to the data, not to a run.
struct NodeBlocks {
    std::vector<Index> bounds;  ///< block b has the nodes bounds[b] .. bounds[b + 1] - 1

    Index count() const { return bounds.empty() ? 0 : static_cast<Index>(bounds.size()) - 1; }
};

}  // namespace hwgcn
