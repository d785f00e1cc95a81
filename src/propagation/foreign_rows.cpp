#include <algorithm>

#include <fmt/format.h>

#include "hwgcn/propagation/receptive_field.hpp"
#include "hwgcn/support/error.hpp"

#include "linalg/row_ranges.hpp"
#include "linalg/rows.hpp"

namespace hwgcn {
namespace {

// The rows of the nodes that somebody asked for.
std::vector<Index> rows_among(std::span<const Index> own, std::span<const Index> asked, Index per_node) {
    std::vector<Index> rows;
    rows.reserve(asked.size() * static_cast<std::size_t>(per_node));
    for (const Index node : asked) {
        const auto place = std::lower_bound(own.begin(), own.end(), node);
        if (place == own.end() || *place != node)
            throw ExecutionError(
                fmt::format("a process asks for the row of node {}, which is not here", node));
        for (Index k = 0; k < per_node; ++k)
            rows.push_back(static_cast<Index>(place - own.begin()) * per_node + k);
    }
    return rows;
}

}  // namespace

ForeignRows::ForeignRows(const Partition& partition, std::span<const Index> own,
                         std::span<const Index> wanted, Index per_node)
    : partition_(&partition), count_(static_cast<Index>(wanted.size()) * per_node) {
    Peers& peers = *partition.peers;
    std::vector<std::vector<Index>> requests(static_cast<std::size_t>(peers.size()));
    for (const Index node : wanted)
        requests[partition.owner_of(node)].push_back(node);
    for (const std::vector<Index>& from : requests)
        received_.push_back(static_cast<Index>(from.size()) * per_node);
    for (const std::vector<Index>& asked : exchange_values(peers, requests))
        sent_.push_back(rows_among(own, asked, per_node));
}

// Processes have runs of nodes, so that the rows from each of them lie together. They talk in pairs: the rows
// for one peer are in memory at a time.
void ForeignRows::fetch(ConstMatrixView own, MatrixView all) const {
    Peers& peers = *partition_->peers;
    copy(own, part_of(all, {0, own.rows}));
    const int size = peers.size();
    std::vector<Index> first(received_.size() + 1, own.rows);
    for (std::size_t k = 0; k < received_.size(); ++k)
        first[k + 1] = first[k] + received_[k];
    DenseMatrix outgoing;
    for (int step = 1; step < size; ++step) {
        const int to = (peers.rank() + step) % size;
        const int from = (peers.rank() - step + size) % size;
        const auto rows = static_cast<Index>(sent_[to].size());
        if (outgoing.rows() < rows || outgoing.columns() != own.columns)
            outgoing = DenseMatrix(rows, own.columns);
        const MatrixView out = part_of(outgoing.view(), {0, rows});
        gather_rows(own, sent_[to], out);
        const MatrixView in = part_of(all, {first[from], first[from] + received_[from]});
        peers.transfer(to, std::as_bytes(std::span(out.data, out.size())), from,
                       std::as_writable_bytes(std::span(in.data, in.size())));
    }
}

}  // namespace hwgcn
