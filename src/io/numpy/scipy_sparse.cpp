#include "io/numpy/scipy_sparse.hpp"

#include <limits>

#include <fmt/format.h>

#include "base/fail.hpp"

namespace hwgcn {
namespace {

SparseEntries empty_matrix(const std::vector<std::int64_t>& shape, std::string_view where) {
    if (shape.size() != 2) {
        fail_in_file(where, fmt::format("a shape of {} numbers, expected 2", shape.size()));
    }
    for (const std::int64_t size : shape) {
        if (size < 0 || size >= std::numeric_limits<Index>::max()) {
            fail_in_file(where, fmt::format("a size of {}, expected 0 to {}", size,
                                            std::numeric_limits<Index>::max() - 1));
        }
    }
    return {static_cast<Index>(shape[0]), static_cast<Index>(shape[1]), {}};
}

void expect_same_size(std::size_t indices, std::size_t data, std::string_view where) {
    if (indices != data) fail_in_file(where, fmt::format("{} values for {} indices", data, indices));
}

void expect_within(Index index, Index size, std::size_t entry, std::string_view where) {
    if (index < 0 || index >= size) {
        fail_in_file(where, fmt::format("entry {} has the index {}, outside 0..{}", entry, index, size - 1));
    }
}

// Offsets that run from 0 to the number of entries and never descend.
void expect_offsets(const CompressedArrays& arrays, Index majors, std::string_view where) {
    const std::vector<std::int64_t>& indptr = arrays.indptr;
    if (indptr.size() != static_cast<std::size_t>(majors) + 1) {
        fail_in_file(where, fmt::format("indptr has {} elements, expected {}", indptr.size(),
                                        std::int64_t{majors} + 1));
    }
    const auto entries = static_cast<std::int64_t>(arrays.indices.size());
    if (indptr.front() != 0 || indptr.back() != entries) {
        fail_in_file(where, fmt::format("indptr runs from {} to {}, expected 0 to {}", indptr.front(),
                                        indptr.back(), entries));
    }
    for (std::size_t i = 1; i < indptr.size(); ++i) {
        if (indptr[i] < indptr[i - 1]) fail_in_file(where, fmt::format("indptr descends at element {}", i));
    }
}

}  // namespace

SparseEntries entries_of(const CompressedArrays& arrays, Major major, std::string_view where) {
    SparseEntries result = empty_matrix(arrays.shape, where);
    const bool by_rows = major == Major::rows;
    const Index majors = by_rows ? result.rows : result.columns;
    const Index minors = by_rows ? result.columns : result.rows;
    expect_offsets(arrays, majors, where);
    expect_same_size(arrays.indices.size(), arrays.data.size(), where);
    result.triplets.reserve(arrays.indices.size());
    for (Index i = 0; i < majors; ++i) {
        for (auto entry = static_cast<std::size_t>(arrays.indptr[i]);
             entry < static_cast<std::size_t>(arrays.indptr[i + 1]); ++entry) {
            const Index j = arrays.indices[entry];
            expect_within(j, minors, entry, where);
            result.triplets.push_back({by_rows ? i : j, by_rows ? j : i, arrays.data[entry]});
        }
    }
    return result;
}

SparseEntries entries_of(const CoordinateArrays& arrays, std::string_view where) {
    SparseEntries result = empty_matrix(arrays.shape, where);
    expect_same_size(arrays.row.size(), arrays.col.size(), where);
    expect_same_size(arrays.row.size(), arrays.data.size(), where);
    result.triplets.reserve(arrays.row.size());
    for (std::size_t entry = 0; entry < arrays.row.size(); ++entry) {
        expect_within(arrays.row[entry], result.rows, entry, where);
        expect_within(arrays.col[entry], result.columns, entry, where);
        result.triplets.push_back({arrays.row[entry], arrays.col[entry], arrays.data[entry]});
    }
    return result;
}

CsrMatrix<float> to_csr(SparseEntries entries) {
    std::erase_if(entries.triplets, [](const Triplet<float>& triplet) { return triplet.value == 0.0F; });
    return csr_from_triplets(entries.rows, entries.columns, std::move(entries.triplets));
}

}  // namespace hwgcn
