#include "tensor/opencl/sparse_lists.hpp"

#include <algorithm>
#include <numeric>

namespace hwgcn::opencl {
namespace {

constexpr std::int64_t longest_piece = 512;   // entries
constexpr std::int64_t entries_of_slice = 8;  // about; fewer leave items with nothing to do
constexpr Index most_slices = 16;

std::int64_t pieces_for(std::int64_t entries) {
    return std::max<std::int64_t>(1, (entries + longest_piece - 1) / longest_piece);
}

// The same entries in the order of their columns.
std::vector<std::int64_t> column_starts(const CsrMatrix<float>& matrix) {
    std::vector<std::int64_t> starts(static_cast<std::size_t>(matrix.columns) + 1, 0);
    for (const Index column : matrix.indices)
        ++starts[static_cast<std::size_t>(column) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    return starts;
}

}  // namespace

RowPieces::RowPieces(std::span<const std::int64_t> offsets) {
    const auto count = static_cast<Index>(offsets.size()) - 1;
    std::int64_t pieces = 0;
    for (Index i = 0; i < count; ++i) {
        const std::int64_t needed = pieces_for(offsets[i + std::size_t{1}] - offsets[i]);
        pieces += needed;
        if (needed > 1) long_rows.push_back(i);
    }
    while (slices < most_slices && offsets.back() > pieces * slices * entries_of_slice)
        slices *= 2;
    if (long_rows.empty()) return;
    Index next_slot = 0;
    for (Index i = 0; i < count; ++i) {
        const std::int64_t needed = pieces_for(offsets[i + std::size_t{1}] - offsets[i]);
        if (needed > 1) first_slots.push_back(next_slot);
        for (std::int64_t piece = 0; piece < needed; ++piece) {
            starts.push_back(offsets[i] + piece * longest_piece);
            rows.push_back(i);
            slots.push_back(needed > 1 ? next_slot++ : -1);
        }
    }
    starts.push_back(offsets.back());
    first_slots.push_back(next_slot);
}

ColumnLists::ColumnLists(const CsrMatrix<float>& matrix)
    : starts(column_starts(matrix)),
      rows(matrix.indices.size()),
      entries(matrix.indices.size()),
      values(matrix.indices.size()),
      pieces(starts) {
    std::vector<std::int64_t> next(starts.begin(), starts.end() - 1);
    for (Index i = 0; i < matrix.rows; ++i) {
        for (std::int64_t entry = matrix.offsets[i]; entry < matrix.offsets[i + std::size_t{1}]; ++entry) {
            const auto place = static_cast<std::size_t>(next[matrix.indices[entry]]++);
            rows[place] = i;
            entries[place] = entry;
            values[place] = matrix.values[entry];
        }
    }
}

}  // namespace hwgcn::opencl
