#include "linalg/gpu/products.hpp"

#include <memory>

#include "linalg/gpu/arguments.hpp"

namespace hwgcn::gpu {
namespace {

constexpr std::size_t tile = 16;  // the side of the squares of dense_product

std::size_t in_tiles(std::size_t count) {
    return (std::max<std::size_t>(count, 1) + tile - 1) / tile * tile;
}

// Enough pieces for a device to be busy, without more memory for them than 64 MB or that of one piece.
Pieces product_pieces(Index rows, MatrixView out) {
    constexpr std::int64_t fewest_rows = 256;
    constexpr std::int64_t most_numbers = std::int64_t{1} << 23;
    const std::int64_t most =
        std::max<std::int64_t>(most_numbers / static_cast<std::int64_t>(out.size() + 1), 1);
    return pieces_of(rows, std::max<std::int64_t>(fewest_rows, (rows + most - 1) / most));
}

}  // namespace

void multiply(Device& device, const CsrMatrix<float>& m, const KeptEntries* kept, ConstMatrixView b,
              MatrixView out, Write write) {
    const Grid grid = over_rows(static_cast<std::size_t>(m.rows), b.stride());
    if (kept != nullptr) {
        device.run("kept_sparse_product", grid, m.offsets, m.indices, m.values, kept->bits, kept->origin,
                   kept->scale, b, stride_of(b), out, m.rows, is_added(write));
    } else {
        device.run("sparse_product", grid, m.offsets, m.indices, m.values, b, stride_of(b), out, m.rows,
                   is_added(write));
    }
}

void add_transposed_product(Device& device, const CsrMatrix<float>& m, const KeptEntries* kept,
                            ConstMatrixView g, MatrixView out) {
    const std::shared_ptr<const ColumnLists> columns = device.columns_of(m);
    const Grid grid = over_rows(static_cast<std::size_t>(m.columns), g.stride());
    if (kept != nullptr) {
        device.run("add_transposed_kept_sparse_product", grid, columns->starts, columns->rows,
                   columns->entries, m.values, m.offsets, kept->bits, kept->origin, kept->scale, g,
                   stride_of(g), out, m.columns);
    } else {
        device.run("add_transposed_sparse_product", grid, columns->starts, columns->rows, columns->entries,
                   m.values, g, stride_of(g), out, m.columns);
    }
}

void multiply(Device& device, ConstMatrixView a, ConstMatrixView b, MatrixView out, Write write) {
    const Grid grid{{in_tiles(b.stride()), in_tiles(static_cast<std::size_t>(a.rows))}, {tile, tile}};
    device.run("dense_product", grid, a, stride_of(a), b, stride_of(b), out, a.rows, b.rows, is_added(write));
}

void add_transposed_product(Device& device, ConstMatrixView a, ConstMatrixView g, MatrixView out) {
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

}  // namespace hwgcn::gpu
