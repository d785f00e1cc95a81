#include "distributed/weights/peer_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "weights/blocks/searched_entries.hpp"

namespace hwgcn {
namespace {

template <typename T>
using Lists = std::vector<std::vector<T>>;  // per process

std::int64_t sum_of(const Lists<Index>& lists) {
    std::int64_t sum = 0;
    for (const std::vector<Index>& list : lists)
        sum = std::accumulate(list.begin(), list.end(), sum);
    return sum;
}

/// What a process that has these rows answers to those that ask for some of them whole.
struct WholeRows {
    const CsrMatrix<float>& matrix;
    Index first;  ///< the node of its first row

    SparseRow<float> row(Index node) const { return matrix.row(node - first); }
    Index length(Index node) const { return static_cast<Index>(row(node).size()); }
    void append(Index node, CsrMatrix<float>& answer) const { append_row(row(node), answer); }
};

/// And to those that ask for the starts of lists.
struct CutLists {
    WholeRows rows;
    float lightest;

    SearchedEntries entries(Index node) const { return {rows.row(node), node, lightest}; }
    Index length(const ListStart& start) const {
        return start.count == 0 ? 0 : std::min(start.count, entries(start.node).count());
    }
    void append(const ListStart& start, CsrMatrix<float>& answer) const {
        entries(start.node).append_first(start.count, answer);
    }
};

template <typename Ask>
Lists<Ask> by_owner(const Partition& partition, std::span<const Ask> wanted) {
    Lists<Ask> lists(static_cast<std::size_t>(partition.peers().size()));
    for (const Ask& ask : wanted)
        lists[partition.owner_of(node_of(ask))].push_back(ask);
    return lists;
}

// A number for each row that others ask for.
template <typename Number, typename Ask, typename Tell>
Lists<Number> for_each_asked(const Lists<Ask>& asked, const Tell& tell) {
    Lists<Number> numbers(asked.size());
    for (std::size_t peer = 0; peer < asked.size(); ++peer) {
        for (const Ask& ask : asked[peer])
            numbers[peer].push_back(tell(ask));
    }
    return numbers;
}

/// What will be exchanged.
template <typename Ask>
struct Agreement {
    Lists<Ask> asked;      // by others
    Lists<Index> lengths;  // of these rows
    Lists<Index> wanted;   // the lengths of the rows that will come
    bool fits;             // else this process wants nothing
};

template <typename Ask, typename Own>
Agreement<Ask> agree(Peers& peers, const Own& own, const Lists<Ask>& wanted, std::int64_t most) {
    Agreement<Ask> agreement{exchange_values(peers, wanted), {}, {}, true};
    agreement.lengths =
        for_each_asked<Index>(agreement.asked, [&](const Ask& ask) { return own.length(ask); });
    agreement.wanted = exchange_values(peers, agreement.lengths);
    agreement.fits = sum_of(agreement.wanted) <= most;
    if (!agreement.fits) agreement.wanted.assign(wanted.size(), {});
    const std::vector<std::int64_t> others_fit =
        exchange_numbers(peers, std::vector<std::int64_t>(wanted.size(), agreement.fits ? 1 : 0));
    for (std::size_t peer = 0; peer < wanted.size(); ++peer) {
        if (others_fit[peer] != 0) continue;
        agreement.asked[peer].clear();
        agreement.lengths[peer].clear();
    }
    return agreement;
}

/// Rows that travel together: as many as make up a message, the same for who sends and who receives them.
class Messages {
  public:
    explicit Messages(const std::vector<Index>& lengths) {
        std::int64_t entries = 0;
        for (std::size_t row = 0; row < lengths.size(); ++row) {
            entries += lengths[row];
            if (entries >= entries_together || row + 1 == lengths.size()) {
                ends_.push_back(row + 1);
                entries_.push_back(std::exchange(entries, 0));
            }
        }
    }

    std::size_t count() const { return ends_.size(); }
    std::size_t first_row(std::size_t message) const { return message == 0 ? 0 : ends_[message - 1]; }
    std::size_t end_row(std::size_t message) const { return ends_[message]; }
    std::size_t entries(std::size_t message) const { return static_cast<std::size_t>(entries_[message]); }

  private:
    static constexpr std::int64_t entries_together = 1 << 18;

    std::vector<std::size_t> ends_;
    std::vector<std::int64_t> entries_;
};

// The rows that process `to` asked for, and those that come from process `from`, which are received where
// they belong. Answers are made one message at a time, and take little memory.
template <typename Ask, typename Own>
void exchange_with(Peers& peers, int to, int from, const Own& own, const Agreement<Ask>& agreement,
                   std::span<Index> columns, std::span<float> values) {
    const Messages out(agreement.lengths[to]);
    const Messages in(agreement.wanted[from]);
    std::size_t arrived = 0;
    for (std::size_t k = 0; k < std::max(out.count(), in.count()); ++k) {
        CsrMatrix<float> answer;
        if (k < out.count()) {
            answer.indices.reserve(out.entries(k));
            answer.values.reserve(out.entries(k));
            for (std::size_t row = out.first_row(k); row < out.end_row(k); ++row)
                own.append(agreement.asked[to][row], answer);
        }
        const std::size_t count = k < in.count() ? in.entries(k) : 0;
        const std::span into = columns.subspan(arrived, count);
        const std::span into_values = values.subspan(arrived, count);
        arrived += count;
        if (to == peers.rank()) {
            std::ranges::copy(answer.indices, into.begin());
            std::ranges::copy(answer.values, into_values.begin());
            continue;
        }
        const int receiver = k < out.count() ? to : Peers::nobody;
        const int sender = k < in.count() ? from : Peers::nobody;
        peers.transfer(receiver, std::as_bytes(std::span(answer.indices)), sender,
                       std::as_writable_bytes(into));
        peers.transfer(receiver, std::as_bytes(std::span(answer.values)), sender,
                       std::as_writable_bytes(into_values));
    }
}

// The nodes of process r come before those of r + 1: what arrives, by rank, is in the order of the nodes.
template <typename Ask, typename Own>
CsrMatrix<float> exchange(Peers& peers, const Own& own, const Agreement<Ask>& agreement, Index columns) {
    CsrMatrix<float> result{0, columns, {0}, {}, {}};
    std::vector<std::size_t> first{0};
    for (const std::vector<Index>& of_peer : agreement.wanted) {
        for (const Index length : of_peer)
            result.offsets.push_back(result.offsets.back() + length);
        first.push_back(static_cast<std::size_t>(result.offsets.back()));
    }
    result.rows = static_cast<Index>(result.offsets.size()) - 1;
    result.indices.resize(first.back());
    result.values.resize(first.back());
    const int size = peers.size();
    for (int step = 0; step < size; ++step) {
        const int to = (peers.rank() + step) % size;
        const int from = (peers.rank() - step + size) % size;
        const std::size_t count = first[from + std::size_t{1}] - first[from];
        exchange_with(peers, to, from, own, agreement, std::span(result.indices).subspan(first[from], count),
                      std::span(result.values).subspan(first[from], count));
    }
    return result;
}

}  // namespace

PeerRows::PeerRows(const ShardReader& reader, const Partition& partition)
    : partition_(&partition),
      adjacency_(reader.adjacency(partition.first_node(), partition.end_node())),
      features_(reader.features(partition.first_node(), partition.end_node())) {}

std::optional<CsrMatrix<float>> PeerRows::rows(RowKind kind, std::span<const Index> nodes,
                                               std::int64_t most) {
    const WholeRows own{kind == RowKind::adjacency ? adjacency_ : features_, partition_->first_node()};
    const Agreement<Index> agreement = agree(partition_->peers(), own, by_owner(*partition_, nodes), most);
    CsrMatrix<float> result = exchange(partition_->peers(), own, agreement, own.matrix.columns);
    if (!agreement.fits) return std::nullopt;
    return result;
}

std::optional<ListStarts> PeerRows::starts(std::span<const ListStart> wanted, float lightest,
                                           std::int64_t most) {
    const CutLists own{{adjacency_, partition_->first_node()}, lightest};
    const Agreement<ListStart> agreement =
        agree(partition_->peers(), own, by_owner(*partition_, wanted), most);
    ListStarts result{exchange(partition_->peers(), own, agreement, adjacency_.columns), {}};
    const Lists<double> degrees = for_each_asked<double>(agreement.asked, [&](const ListStart& start) {
        return degree_of_row(own.rows.row(start.node), start.node);
    });
    for (const std::vector<double>& of_peer : exchange_values(partition_->peers(), degrees))
        result.degrees.insert(result.degrees.end(), of_peer.begin(), of_peer.end());
    if (!agreement.fits) return std::nullopt;
    return result;
}

}  // namespace hwgcn
