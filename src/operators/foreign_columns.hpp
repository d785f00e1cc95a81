#pragma once

#include <numeric>
#include <span>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"

#include "tensor/blocks/node_blocks.hpp"

namespace hwgcn {

/// The nodes that are here.
inline std::vector<Index> own_nodes(const RowLayout& layout) {
    std::vector<Index> nodes(static_cast<std::size_t>(layout.nodes()));
    std::iota(nodes.begin(), nodes.end(), layout.first_node());
    return nodes;
}

/// The columns of a matrix that belong to nodes elsewhere, ascending, each once.
template <typename Value>
std::vector<Index> foreign_columns(const RowLayout& layout, const CsrMatrix<Value>& matrix) {
    std::vector<bool> is_column(static_cast<std::size_t>(layout.blocks.bounds.back()));
    for (const Index column : matrix.indices)
        is_column[column] = true;
    std::vector<Index> columns;
    for (Index node = 0; node < layout.blocks.bounds.back(); ++node) {
        if (is_column[node] && !layout.has(node)) columns.push_back(node);
    }
    return columns;
}

/// Columns become places: in `own`, or behind these in `foreign`. The order of a row's entries, which is that
/// of their sum, stays.
inline void number_columns(const RowLayout& layout, std::span<const Index> own,
                           std::span<const Index> foreign, CsrMatrix<float>& matrix) {
    std::vector<Index> places(static_cast<std::size_t>(layout.blocks.bounds.back()));
    Index next = 0;
    for (const std::span<const Index> nodes : {own, foreign}) {
        for (const Index node : nodes)
            places[node] = next++;
    }
    for (Index& column : matrix.indices)
        column = places[column];
    matrix.columns = static_cast<Index>(own.size() + foreign.size());
}

}  // namespace hwgcn
