#include "weights/blocks/row_source.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "hwgcn/graph/sample_order.hpp"

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

void append_row(const SparseRow<float>& row, CsrMatrix<float>& matrix) {
    matrix.indices.insert(matrix.indices.end(), row.indices.begin(), row.indices.end());
    matrix.values.insert(matrix.values.end(), row.values.begin(), row.values.end());
    matrix.offsets.push_back(matrix.entries());
}

/// The entries of a list that rings are searched in.
class SearchedEntries {
  public:
    SearchedEntries(const SparseRow<float>& row, Index node, float lightest)
        : row_(row), node_(node), lightest_(lightest) {}

    Index count() const {
        Index count = 0;
        for (std::size_t e = 0; e < row_.size(); ++e)
            count += has(e) ? 1 : 0;
        return count;
    }

    /// Appends the first so many by hash, ascending. Of a long list few more than that are ever kept.
    void append_first(Index count, CsrMatrix<float>& matrix) const {
        const auto limit = static_cast<std::size_t>(count);
        std::vector<Place> first;
        std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
        for (std::size_t e = 0; limit > 0 && e < row_.size(); ++e) {
            const std::uint64_t hash = sample_hash(static_cast<std::uint64_t>(row_.indices[e]));
            if (hash > last || !has(e)) continue;
            first.push_back({hash, e});
            if (first.size() / 2 >= limit) last = cut(first, limit);
        }
        if (first.size() > limit) cut(first, limit);
        std::ranges::sort(first, {}, &Place::entry);
        for (const Place& place : first) {
            matrix.indices.push_back(row_.indices[place.entry]);
            matrix.values.push_back(row_.values[place.entry]);
        }
        matrix.offsets.push_back(matrix.entries());
    }

  private:
    struct Place {
        std::uint64_t hash;
        std::size_t entry;
    };

    bool has(std::size_t e) const { return row_.indices[e] != node_ && row_.values[e] >= lightest_; }

    static std::uint64_t cut(std::vector<Place>& places, std::size_t limit) {
        const auto last = places.begin() + static_cast<std::ptrdiff_t>(limit) - 1;
        std::ranges::nth_element(places, last, {}, &Place::hash);
        places.resize(limit);
        return places.back().hash;
    }

    SparseRow<float> row_;
    Index node_;
    float lightest_;
};

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

Index node_of(Index node) {
    return node;
}
Index node_of(const ListStart& start) {
    return start.node;
}

template <typename Ask>
Lists<Ask> by_owner(const Partition& partition, const Peers& peers, std::span<const Ask> wanted) {
    Lists<Ask> lists(static_cast<std::size_t>(peers.size()));
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
// they belong. Answers are made one message at a time, so that they take little memory.
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

// Calls use(ask, row) for each; nodes that lie near each other are read together. Ends where `use` says no.
template <typename Ask, typename Read, typename Use>
bool read_runs(std::span<const Ask> wanted, const Read& read, const Use& use) {
    constexpr Index near = 8;
    for (std::size_t begin = 0; begin < wanted.size();) {
        std::size_t end = begin + 1;
        while (end < wanted.size() && node_of(wanted[end]) - node_of(wanted[end - 1]) <= near)
            ++end;
        const Index first = node_of(wanted[begin]);
        const CsrMatrix<float> run = read(first, node_of(wanted[end - 1]) + 1);
        for (; begin < end; ++begin) {
            if (!use(wanted[begin], run.row(node_of(wanted[begin]) - first))) return false;
        }
    }
    return true;
}

}  // namespace

double degree_of_row(const SparseRow<float>& row, Index node) {
    double sum = 1.0;
    for (std::size_t e = 0; e < row.size(); ++e)
        sum += row.indices[e] == node ? static_cast<double>(row.values[e]) : 0.0;
    for (std::size_t e = 0; e < row.size(); ++e)
        sum += row.indices[e] == node ? 0.0 : static_cast<double>(row.values[e]);
    return sum;
}

PeerRows::PeerRows(const ShardReader& reader, const Partition& partition, Peers& peers)
    : partition_(&partition),
      peers_(&peers),
      adjacency_(reader.adjacency(partition.first_node(), partition.end_node())),
      features_(reader.features(partition.first_node(), partition.end_node())) {}

std::optional<CsrMatrix<float>> PeerRows::rows(RowKind kind, std::span<const Index> nodes,
                                               std::int64_t most) {
    const WholeRows own{kind == RowKind::adjacency ? adjacency_ : features_, partition_->first_node()};
    const Agreement<Index> agreement = agree(*peers_, own, by_owner(*partition_, *peers_, nodes), most);
    CsrMatrix<float> result = exchange(*peers_, own, agreement, own.matrix.columns);
    if (!agreement.fits) return std::nullopt;
    return result;
}

std::optional<ListStarts> PeerRows::starts(std::span<const ListStart> wanted, float lightest,
                                           std::int64_t most) {
    const CutLists own{{adjacency_, partition_->first_node()}, lightest};
    const Agreement<ListStart> agreement = agree(*peers_, own, by_owner(*partition_, *peers_, wanted), most);
    ListStarts result{exchange(*peers_, own, agreement, adjacency_.columns), {}};
    const Lists<double> degrees = for_each_asked<double>(agreement.asked, [&](const ListStart& start) {
        return degree_of_row(own.rows.row(start.node), start.node);
    });
    for (const std::vector<double>& of_peer : exchange_values(*peers_, degrees))
        result.degrees.insert(result.degrees.end(), of_peer.begin(), of_peer.end());
    if (!agreement.fits) return std::nullopt;
    return result;
}

std::optional<CsrMatrix<float>> FileRows::rows(RowKind kind, std::span<const Index> nodes,
                                               std::int64_t most) {
    const bool adjacency = kind == RowKind::adjacency;
    CsrMatrix<float> result{static_cast<Index>(nodes.size()),
                            adjacency ? reader_->nodes() : reader_->feature_count(),
                            {0},
                            {},
                            {}};
    const bool fits = read_runs(
        nodes,
        [&](Index first, Index end) {
            return adjacency ? reader_->adjacency(first, end) : reader_->features(first, end);
        },
        [&](Index, const SparseRow<float>& row) {
            append_row(row, result);
            return result.entries() <= most;
        });
    if (!fits) return std::nullopt;
    return result;
}

std::optional<ListStarts> FileRows::starts(std::span<const ListStart> wanted, float lightest,
                                           std::int64_t most) {
    ListStarts result{{static_cast<Index>(wanted.size()), reader_->nodes(), {0}, {}, {}}, {}};
    const bool fits = read_runs(
        wanted, [&](Index first, Index end) { return reader_->adjacency(first, end); },
        [&](const ListStart& start, const SparseRow<float>& row) {
            SearchedEntries(row, start.node, lightest).append_first(start.count, result.lists);
            result.degrees.push_back(degree_of_row(row, start.node));
            return result.lists.entries() <= most;
        });
    if (!fits) return std::nullopt;
    return result;
}

}  // namespace hwgcn
