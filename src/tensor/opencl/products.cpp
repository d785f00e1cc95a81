#include "tensor/products.hpp"

#include <algorithm>
#include <memory>

#include "tensor/opencl/arguments.hpp"

namespace hwgcn::opencl {
namespace {

constexpr std::size_t tile = 16;  // the side of the squares of dense_product

std::size_t in_tiles(std::size_t count) {
    return rounded_up(std::max<std::size_t>(count, 1), tile);
}

// Enough pieces for a device to be busy, without more memory for them than 8 MB or that of one piece: every
// run has its own.
Pieces product_pieces(Index rows, MatrixView out) {
    constexpr std::int64_t most_numbers = std::int64_t{1} << 20;
    const std::int64_t most =
        std::max<std::int64_t>(most_numbers / static_cast<std::int64_t>(out.size() + 1), 1);
    return pieces_of(rows, std::max<std::int64_t>(row_pieces(rows).size, (rows + most - 1) / most));
}

// A sparse matrix, or a transposed one: its rows, then, are columns.
struct SparseRows {
    const RowPieces& pieces;
    const std::vector<std::int64_t>& starts;
    const std::vector<Index>& indices;
    const std::vector<float>& values;
    std::span<const std::int64_t> entries;     // of the matrix, where it is transposed
    const std::vector<std::int64_t>& offsets;  // of the matrix
};

// As many slices as the groups of the grid have room for.
Grid over_pieces(std::size_t pieces, std::size_t stride, Index& slices) {
    const Grid grid = over_rows(pieces, stride);
    slices = std::min(slices, static_cast<Index>(grid.group[1]));
    return over_rows(pieces * static_cast<std::size_t>(slices), stride);
}

void multiply(const SparseRows& m, Device& device, const KeptEntries* kept, ConstMatrixView b, MatrixView out,
              Write write) {
    const RowPieces& pieces = m.pieces;
    const std::vector<std::int64_t>& starts = pieces.cut() ? pieces.starts : m.starts;
    const auto count = static_cast<Index>(starts.size()) - 1;
    const Index stride = stride_of(b);
    Index slices = pieces.slices;
    const Grid grid = over_pieces(static_cast<std::size_t>(count), b.stride(), slices);
    MatrixView sums{nullptr, pieces.cut() ? pieces.first_slots.back() : 0, b.columns};
    if (pieces.cut()) sums.data = device.scratch(sums.size());
    const Index cut{pieces.cut() ? 1 : 0};
    if (kept != nullptr) {
        device.run("kept_sparse_product", grid, starts, pieces.rows, pieces.slots, cut, count, slices,
                   m.indices, m.values, m.entries, Index{m.entries.empty() ? 0 : 1}, kept->bits, kept->origin,
                   m.offsets, kept->scale, b, stride, out, is_added(write), sums);
    } else {
        device.run("sparse_product", grid, starts, pieces.rows, pieces.slots, cut, count, slices, m.indices,
                   m.values, b, stride, out, is_added(write), sums);
    }
    if (!pieces.cut()) return;
    const auto long_rows = static_cast<Index>(pieces.long_rows.size());
    device.run("add_long_rows", over_rows(pieces.long_rows.size(), b.stride()), pieces.long_rows,
               pieces.first_slots, long_rows, sums, stride, out, is_added(write));
}

}  // namespace

void multiply(const CsrMatrix<float>& m, const KeptEntries* kept, ConstMatrixView b, MatrixView out,
              Write write, const ExecutionControl&) {
    Device& device = device_at(out);
    const std::shared_ptr<const RowPieces> pieces = device.pieces_of(m);
    multiply({*pieces, m.offsets, m.indices, m.values, {}, m.offsets}, device, kept, b, out, write);
}

void add_transposed_product(const CsrMatrix<float>& m, const KeptEntries* kept, ConstMatrixView g,
                            MatrixView out, const ExecutionControl&, const SummedRows& rows) {
    Device& device = device_at(out);
    expect_no_blocks(rows);
    const std::shared_ptr<const ColumnLists> columns = device.columns_of(m);
    multiply({columns->pieces, columns->starts, columns->rows, columns->values, columns->entries, m.offsets},
             device, kept, g, out, Write::add);
}

void multiply(ConstMatrixView a, ConstMatrixView b, MatrixView out, Write write, const ExecutionControl&) {
    const Grid grid{{in_tiles(b.stride()), in_tiles(static_cast<std::size_t>(a.rows))}, {tile, tile}};
    device_at(out).run("dense_product", grid, a, stride_of(a), b, stride_of(b), out, a.rows, b.rows,
                       is_added(write));
}

void add_transposed_product(ConstMatrixView a, ConstMatrixView g, MatrixView out, const ExecutionControl&,
                            const SummedRows& rows) {
    Device& device = device_at(out);
    expect_no_blocks(rows);
    if (out.size() == 0) return;
    const Pieces pieces = product_pieces(a.rows, out);
    const std::uint64_t count = out.size();
    const Reals sums = device.real_scratch(count * static_cast<std::size_t>(pieces.count));
    device.run(
        "transposed_dense_pieces",
        over_rows(static_cast<std::size_t>(out.rows) * static_cast<std::size_t>(pieces.count), g.stride()), a,
        stride_of(a), g, stride_of(g), a.rows, out.rows, pieces.size, pieces.count, sums);
    device.run("add_pieces", over_numbers(count), sums, pieces.count, count, out, 1.0F);
}

}  // namespace hwgcn::opencl
