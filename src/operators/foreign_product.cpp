#include "operators/foreign_product.hpp"

#include <algorithm>
#include <future>

#include "tensor/blocks/row_exchange.hpp"
#include "tensor/products.hpp"
#include "tensor/rows.hpp"

namespace hwgcn {
namespace {

constexpr Index tile_columns = 16;

// Some columns of H: the rows that are here, then those of others.
void fetch_tile(const ForeignRows& foreign, ConstMatrixView own, Index first, MatrixView tile) {
    copy_columns(own, first, tile.columns, part_of(tile, {0, own.rows}), 0, Write::replace);
    foreign.fetch(tile);
}

// Rows that begin at a later column, for a product with fewer columns: it writes no further than these.
MatrixView from_column(MatrixView matrix, Index first) {
    return {matrix.data + first, matrix.rows, matrix.columns};
}

}  // namespace

void multiply_with_foreign(const CsrMatrix<float>& m, const ForeignRows* foreign, ConstMatrixView own,
                           MatrixView out, Write write, Workspace& workspace,
                           const ExecutionControl& control) {
    if (foreign == nullptr) return multiply(m, nullptr, own, out, write, control);
    const auto tile_from = [&](Index first) {
        return workspace.matrix(own.rows + foreign->count(), std::min(tile_columns, own.columns - first));
    };
    MatrixView tile = tile_from(0);
    fetch_tile(*foreign, own, 0, tile);
    for (Index first = 0; first < own.columns; first += tile_columns) {
        const Index next = first + tile_columns;
        if (next >= own.columns) return multiply(m, nullptr, tile, from_column(out, first), write, control);
        const MatrixView following = tile_from(next);
        std::future<void> arrival =
            std::async(std::launch::async, [&] { fetch_tile(*foreign, own, next, following); });
        multiply(m, nullptr, tile, from_column(out, first), write, control);
        arrival.get();
        tile = following;
    }
}

}  // namespace hwgcn
