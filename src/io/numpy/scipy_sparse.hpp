#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

/// A sparse matrix as a file holds it: entries in any order, possibly repeated, possibly zero.
struct SparseEntries {
    Index rows = 0;
    Index columns = 0;
    std::vector<Triplet<float>> triplets;
};

/// The arrays of SciPy's compressed formats: `csr` with `major` = rows, `csc` with columns.
struct CompressedArrays {
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> indptr;
    std::vector<Index> indices;
    std::vector<float> data;
};
enum class Major { rows, columns };

/// Throws InputError, starting with `where`, unless the arrays fit together and stay within the shape.
SparseEntries entries_of(const CompressedArrays& arrays, Major major, std::string_view where);

/// The arrays of SciPy's coordinate format.
struct CoordinateArrays {
    std::vector<std::int64_t> shape;
    std::vector<Index> row;
    std::vector<Index> col;
    std::vector<float> data;
};
SparseEntries entries_of(const CoordinateArrays& arrays, std::string_view where);

/// Compressed rows: repeated entries added up, zeros left out.
CsrMatrix<float> to_csr(SparseEntries entries);

}  // namespace hwgcn
