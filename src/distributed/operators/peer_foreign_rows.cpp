#include "distributed/operators/peer_foreign_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "distributed/operators/shared_rows.hpp"
#include "tensor/row_ranges.hpp"
#include "tensor/rows.hpp"

namespace hwgcn {
namespace {

// The rows of the nodes that somebody asked for.
std::vector<Index> rows_among(std::span<const Index> own, std::span<const Index> asked) {
    std::vector<Index> rows;
    rows.reserve(asked.size());
    for (const Index node : asked) {
        const auto place = std::lower_bound(own.begin(), own.end(), node);
        if (place == own.end() || *place != node)
            throw ExecutionError(
                fmt::format("a process asks for the row of node {}, which is not here", node));
        rows.push_back(static_cast<Index>(place - own.begin()));
    }
    return rows;
}

}  // namespace

PeerForeignRows::PeerForeignRows(const Partition& partition, std::span<const Index> own,
                                 std::span<const Index> wanted)
    : peers_(&partition.peers()), count_(static_cast<Index>(wanted.size())) {
    const std::vector<std::vector<Index>> requests = by_owner(partition, wanted);
    for (const std::vector<Index>& from : requests)
        first_.push_back(first_.back() + from.size());
    for (const std::vector<Index>& asked : exchange_values(*peers_, requests))
        sent_.push_back(rows_among(own, asked));
}

// Processes have runs of nodes, and the rows from each of them lie together. They talk in pairs: the rows
// for one peer are in memory at a time.
template <typename Gathered>
void PeerForeignRows::exchange(std::span<std::byte> foreign, std::size_t row_bytes,
                               const Gathered& gathered) const {
    const int size = peers_->size();
    for (int step = 1; step < size; ++step) {
        const int to = (peers_->rank() + step) % size;
        const int from = (peers_->rank() - step + size) % size;
        const std::size_t rows = first_[from + std::size_t{1}] - first_[from];
        peers_->transfer(to, gathered(sent_[to]), from,
                         foreign.subspan(first_[from] * row_bytes, rows * row_bytes));
    }
}

void PeerForeignRows::fetch(MatrixView all) const {
    const ConstMatrixView own = part_of(all, {0, all.rows - count_});
    const MatrixView foreign = part_of(all, {own.rows, all.rows});
    DenseMatrix outgoing;
    exchange(std::as_writable_bytes(std::span(foreign.data, foreign.size())), own.stride() * sizeof(float),
             [&](std::span<const Index> sent) {
                 const auto rows = static_cast<Index>(sent.size());
                 if (outgoing.rows() < rows || outgoing.columns() != own.columns)
                     outgoing = DenseMatrix(rows, own.columns);
                 const MatrixView out = part_of(outgoing.view(), {0, rows});
                 gather_rows(own, sent, out);
                 return std::as_bytes(std::span<const float>(out.data, out.size()));
             });
}

void PeerForeignRows::fetch(std::span<const double> own, std::size_t width, std::span<double> all) const {
    std::ranges::copy(own, all.begin());
    std::vector<double> outgoing;
    exchange(std::as_writable_bytes(all.subspan(own.size())), width * sizeof(double),
             [&](std::span<const Index> sent) {
                 outgoing.clear();
                 for (const Index row : sent) {
                     const auto numbers = own.subspan(static_cast<std::size_t>(row) * width, width);
                     outgoing.insert(outgoing.end(), numbers.begin(), numbers.end());
                 }
                 return std::as_bytes(std::span<const double>(outgoing));
             });
}

}  // namespace hwgcn
