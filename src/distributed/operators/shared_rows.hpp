#pragma once

#include <numeric>
#include <span>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"

#include "distributed/peers/partition.hpp"

namespace hwgcn {

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
    std::vector<std::vector<Entry>> out(static_cast<std::size_t>(partition.peers().size()));
    for (Index i = 0; i < matrix.rows; ++i) {
        const SparseRow<Value> row = matrix.row(i);
        int owner = 0;
        for (std::size_t e = 0; e < row.size(); ++e) {
            while (row.indices[e] >= partition.first_node_of(owner + 1))
                ++owner;
            out[owner].push_back({row.indices[e], nodes[i], row.values[e]});
        }
    }
    const std::vector<std::vector<Entry>> in = exchange_values(partition.peers(), out);
    const Index first = partition.first_node();
    CsrMatrix<Value> result{partition.nodes(), matrix.columns, {}, {}, {}};
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

/// These nodes of other processes, by who has them.
inline std::vector<std::vector<Index>> by_owner(const Partition& partition, std::span<const Index> foreign) {
    std::vector<std::vector<Index>> nodes(static_cast<std::size_t>(partition.peers().size()));
    for (const Index node : foreign)
        nodes[partition.owner_of(node)].push_back(node);
    return nodes;
}

}  // namespace hwgcn
