#include "neighbor_weights/row_source.hpp"

#include <algorithm>
#include <numeric>

namespace hwgcn {
namespace {

std::int64_t sum_of(const std::vector<std::vector<Index>>& lists) {
    std::int64_t sum = 0;
    for (const std::vector<Index>& list : lists)
        sum = std::accumulate(list.begin(), list.end(), sum);
    return sum;
}

void append_row(const SparseRow<float>& row, CsrMatrix<float>& matrix) {
    matrix.indices.insert(matrix.indices.end(), row.indices.begin(), row.indices.end());
    matrix.values.insert(matrix.values.end(), row.values.begin(), row.values.end());
    matrix.offsets.push_back(matrix.entries());
}

}  // namespace

PeerRows::PeerRows(const ShardReader& reader, const Partition& partition, Peers& peers)
    : partition_(&partition),
      peers_(&peers),
      adjacency_(reader.adjacency(partition.first_node(), partition.end_node())),
      features_(reader.features(partition.first_node(), partition.end_node())) {}

PeerRows::Lists PeerRows::by_owner(std::span<const Index> nodes) const {
    Lists lists(static_cast<std::size_t>(peers_->size()));
    for (const Index node : nodes)
        lists[partition_->owner_of(node)].push_back(node);
    return lists;
}

PeerRows::Lists PeerRows::lengths_of(const CsrMatrix<float>& own, const Lists& asked) const {
    Lists lengths(asked.size());
    for (std::size_t peer = 0; peer < asked.size(); ++peer) {
        for (const Index node : asked[peer])
            lengths[peer].push_back(static_cast<Index>(own.row(node - partition_->first_node()).size()));
    }
    return lengths;
}

// The nodes of process r come before those of r + 1: what arrives, by rank, is in the order of the nodes, and
// is received where it belongs. The answer to one process is in memory at a time.
CsrMatrix<float> PeerRows::exchanged(const CsrMatrix<float>& own, const Lists& asked, const Lists& lengths) {
    CsrMatrix<float> result{0, own.columns, {0}, {}, {}};
    std::vector<std::size_t> first{0};
    for (const std::vector<Index>& of_peer : lengths) {
        for (const Index length : of_peer)
            result.offsets.push_back(result.offsets.back() + length);
        first.push_back(static_cast<std::size_t>(result.offsets.back()));
    }
    result.rows = static_cast<Index>(result.offsets.size()) - 1;
    result.indices.resize(first.back());
    result.values.resize(first.back());
    const int size = peers_->size();
    for (int step = 0; step < size; ++step) {
        const int to = (peers_->rank() + step) % size;
        const int from = (peers_->rank() - step + size) % size;
        CsrMatrix<float> answer;
        for (const Index node : asked[to])
            append_row(own.row(node - partition_->first_node()), answer);
        const std::size_t count = first[from + std::size_t{1}] - first[from];
        const std::span columns = std::span(result.indices).subspan(first[from], count);
        const std::span values = std::span(result.values).subspan(first[from], count);
        if (step == 0) {
            std::ranges::copy(answer.indices, columns.begin());
            std::ranges::copy(answer.values, values.begin());
            continue;
        }
        peers_->transfer(to, std::as_bytes(std::span(answer.indices)), from, std::as_writable_bytes(columns));
        peers_->transfer(to, std::as_bytes(std::span(answer.values)), from, std::as_writable_bytes(values));
    }
    return result;
}

std::optional<CsrMatrix<float>> PeerRows::rows(RowKind kind, std::span<const Index> nodes,
                                               std::int64_t most) {
    const CsrMatrix<float>& own = kind == RowKind::adjacency ? adjacency_ : features_;
    Lists wanted = by_owner(nodes);
    Lists lengths = exchange_values(*peers_, lengths_of(own, exchange_values(*peers_, wanted)));
    const bool fits = sum_of(lengths) <= most;
    if (!fits) {
        wanted.assign(wanted.size(), {});
        lengths.assign(lengths.size(), {});
    }
    CsrMatrix<float> result = exchanged(own, exchange_values(*peers_, wanted), lengths);
    if (!fits) return std::nullopt;
    return result;
}

// Nodes that lie near each other are read together.
std::optional<CsrMatrix<float>> FileRows::rows(RowKind kind, std::span<const Index> nodes,
                                               std::int64_t most) {
    constexpr Index near = 8;
    const bool adjacency = kind == RowKind::adjacency;
    CsrMatrix<float> result{static_cast<Index>(nodes.size()),
                            adjacency ? reader_->nodes() : reader_->feature_count(),
                            {0},
                            {},
                            {}};
    for (std::size_t begin = 0; begin < nodes.size();) {
        std::size_t end = begin + 1;
        while (end < nodes.size() && nodes[end] - nodes[end - 1] <= near)
            ++end;
        const Index first = nodes[begin];
        const Index last = nodes[end - 1] + 1;
        const CsrMatrix<float> run =
            adjacency ? reader_->adjacency(first, last) : reader_->features(first, last);
        for (; begin < end; ++begin)
            append_row(run.row(nodes[begin] - first), result);
        if (result.entries() > most) return std::nullopt;
    }
    return result;
}

}  // namespace hwgcn
