#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn::opencl {

/// How the rows of a sparse matrix are shared among work items: long ones, those of hubs, are cut into
/// pieces, whose sums are added up afterwards. Where no row is long, the lists are empty: pieces are rows.
struct RowPieces {
    explicit RowPieces(std::span<const std::int64_t> offsets);

    bool cut() const { return !long_rows.empty(); }

    Index slices = 1;                  ///< items that should share a piece, for its entries: a power of two
    std::vector<std::int64_t> starts;  ///< of the entries of each piece; one more than pieces
    std::vector<Index> rows;           ///< of each piece
    std::vector<Index> slots;          ///< which of the sums that are added up a piece is; -1: it is a row
    std::vector<Index> long_rows;
    std::vector<Index> first_slots;  ///< of each long row; one more than long rows
};

/// The columns of a sparse matrix, as a device needs them to multiply by its transpose.
struct ColumnLists {
    explicit ColumnLists(const CsrMatrix<float>& matrix);

    std::vector<std::int64_t> starts;   ///< of each column; one more than columns
    std::vector<Index> rows;            ///< of each entry, ascending within a column
    std::vector<std::int64_t> entries;  ///< which entry it is in the matrix
    std::vector<float> values;
    RowPieces pieces;  ///< of the columns
};

}  // namespace hwgcn::opencl
