#pragma once

#include <numeric>
#include <span>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"
#include "hwgcn/tensor/node_blocks.hpp"

namespace hwgcn {

/// Process r has the nodes bounds[r] .. bounds[r + 1] - 1.
inline std::vector<Index> node_bounds(const Partition& partition) {
    std::vector<Index> bounds;
    for (const Index block : partition.owners)
        bounds.push_back(partition.blocks.bounds[block]);
    return bounds;
}

/// Of a matrix whose rows several processes have: row k here is that of node nodes[k], columns are numbers of
/// the whole graph. The result has the rows of the transposed matrix that belong to the nodes of this
/// process, all of them, with ascending columns. Collective.
template <typename Value>
CsrMatrix<Value> shared_transpose(const Partition& partition, std::span<const Index> nodes,
                                  const CsrMatrix<Value>& matrix) {
    struct Entry {
        Index row;
        Index column;
        Value value;
    };
    std::vector<std::vector<Entry>> out(static_cast<std::size_t>(partition.peers->size()));
    const std::vector<Index> bounds = node_bounds(partition);
    for (Index i = 0; i < matrix.rows; ++i) {
        const SparseRow<Value> row = matrix.row(i);
        std::size_t owner = 0;
        for (std::size_t e = 0; e < row.size(); ++e) {
            while (row.indices[e] >= bounds[owner + 1])
                ++owner;
            out[owner].push_back({row.indices[e], nodes[i], row.values[e]});
        }
    }
    const std::vector<std::vector<Entry>> in = exchange_values(*partition.peers, out);
    const Index first = partition.first_node();
    CsrMatrix<Value> result{partition.end_node() - first, matrix.columns, {}, {}, {}};
    result.offsets.assign(static_cast<std::size_t>(result.rows) + 1, 0);
    for (const std::vector<Entry>& entries : in) {
        for (const Entry& entry : entries)
            ++result.offsets[entry.row - first + std::size_t{1}];
    }
    std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
    result.indices.resize(static_cast<std::size_t>(result.offsets.back()));
    result.values.resize(result.indices.size());
    // Processes have ascending runs of nodes, and each sent its rows in order.
    std::vector<std::int64_t> next(result.offsets.begin(), result.offsets.end() - 1);
    for (const std::vector<Entry>& entries : in) {
        for (const Entry& entry : entries) {
            const std::int64_t place = next[entry.row - first]++;
            result.indices[place] = entry.column;
            result.values[place] = entry.value;
        }
    }
    return result;
}

/// The nodes of this process.
inline std::vector<Index> own_nodes(const Partition& partition) {
    std::vector<Index> nodes(static_cast<std::size_t>(partition.end_node() - partition.first_node()));
    std::iota(nodes.begin(), nodes.end(), partition.first_node());
    return nodes;
}

/// The columns of a matrix that belong to nodes of other processes, ascending, each once.
template <typename Value>
std::vector<Index> foreign_columns(const Partition& partition, const CsrMatrix<Value>& matrix) {
    std::vector<bool> is_column(static_cast<std::size_t>(partition.blocks.bounds.back()));
    for (const Index column : matrix.indices)
        is_column[column] = true;
    std::vector<Index> columns;
    for (Index node = 0; node < partition.blocks.bounds.back(); ++node) {
        if (is_column[node] && !partition.owns(node)) columns.push_back(node);
    }
    return columns;
}

/// Columns become places: in `own`, or behind these in `foreign`. The order of a row's entries, which is that
/// of their sum, stays.
inline void number_columns(const Partition& partition, std::span<const Index> own,
                           std::span<const Index> foreign, CsrMatrix<float>& matrix) {
    std::vector<Index> places(static_cast<std::size_t>(partition.blocks.bounds.back()));
    Index next = 0;
    for (const std::span<const Index> nodes : {own, foreign}) {
        for (const Index node : nodes)
            places[node] = next++;
    }
    for (Index& column : matrix.indices)
        column = places[column];
    matrix.columns = static_cast<Index>(own.size() + foreign.size());
}

/// These nodes of other processes, by who has them.
inline std::vector<std::vector<Index>> by_owner(const Partition& partition, std::span<const Index> foreign) {
    std::vector<std::vector<Index>> nodes(static_cast<std::size_t>(partition.peers->size()));
    for (const Index node : foreign)
        nodes[partition.owner_of(node)].push_back(node);
    return nodes;
}

}  // namespace hwgcn
