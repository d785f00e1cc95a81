#include "neighbor_weights/halo.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "hwgcn/support/error.hpp"

namespace hwgcn {
namespace {

constexpr std::int64_t bytes_per_entry = sizeof(Index) + sizeof(float);
constexpr std::int64_t bytes_per_row = sizeof(std::int64_t);

/// Some of all nodes: a bit for each.
class NodeSet {
  public:
    explicit NodeSet(Index nodes) : words_(static_cast<std::size_t>(nodes) / word_bits + 1, 0) {}

    /// Whether it is new.
    bool add(Index node) {
        std::uint64_t& word = words_[static_cast<std::size_t>(node) / word_bits];
        const std::uint64_t bit = bit_of(node);
        if ((word & bit) != 0) return false;
        word |= bit;
        return true;
    }

    /// When all are there: how many come before each.
    void count() {
        before_.reserve(words_.size());
        Index sum = 0;
        for (const std::uint64_t word : words_) {
            before_.push_back(sum);
            sum += std::popcount(word);
        }
    }
    Index place_of(Index node) const {
        const std::size_t word = static_cast<std::size_t>(node) / word_bits;
        return before_[word] + std::popcount(words_[word] & (bit_of(node) - 1));
    }

  private:
    static constexpr std::size_t word_bits = 64;
    static std::uint64_t bit_of(Index node) {
        return std::uint64_t{1} << (static_cast<std::size_t>(node) % word_bits);
    }

    std::vector<std::uint64_t> words_;
    std::vector<Index> before_;  // by word
};

/// Fetches hop after hop as long as the rows fit; from then on it asks for nothing, so that others get
/// theirs.
class HaloSearch {
  public:
    HaloSearch(RowSource& source, std::span<const Index> own, Index nodes, std::int64_t memory)
        : source_(source),
          left_(memory > 0 ? memory : std::numeric_limits<std::int64_t>::max()),
          known_(own.begin(), own.end()),
          frontier_(known_),
          set_(nodes) {
        for (const Index node : own)
            set_.add(node);
    }

    // The lists of the nodes that came last, and who is in them for the first time.
    void step() {
        CsrMatrix<float> lists = fetch(RowKind::adjacency, frontier_);
        std::vector<Index> fresh;
        for (const Index node : lists.indices) {
            if (set_.add(node)) fresh.push_back(node);
        }
        std::ranges::sort(fresh);
        std::vector<Index> all;
        std::ranges::merge(known_, fresh, std::back_inserter(all));
        hops_.push_back({std::move(frontier_), std::move(lists)});
        known_ = std::move(all);
        frontier_ = std::move(fresh);
    }

    CsrMatrix<float> fetch_features() { return fetch(RowKind::features, known_); }

    /// The lists of all nodes, with their numbers here; empty for those that were reached last.
    CsrMatrix<float> local_lists() {
        set_.count();
        std::vector<SparseRow<float>> rows(known_.size());
        for (const Hop& hop : hops_) {
            for (std::size_t k = 0; k < hop.nodes.size(); ++k)
                rows[set_.place_of(hop.nodes[k])] = hop.lists.row(static_cast<Index>(k));
        }
        const auto nodes = static_cast<Index>(known_.size());
        CsrMatrix<float> result{nodes, nodes, {0}, {}, {}};
        for (const SparseRow<float>& row : rows) {
            for (const Index column : row.indices)
                result.indices.push_back(set_.place_of(column));
            result.values.insert(result.values.end(), row.values.begin(), row.values.end());
            result.offsets.push_back(result.entries());
        }
        return result;
    }

    bool fits() const { return fits_; }
    std::int64_t bytes() const { return bytes_; }
    std::vector<Index> take_nodes() { return std::move(known_); }

  private:
    struct Hop {
        std::vector<Index> nodes;
        CsrMatrix<float> lists;
    };

    CsrMatrix<float> fetch(RowKind kind, const std::vector<Index>& nodes) {
        const std::int64_t rows = bytes_per_row * static_cast<std::int64_t>(nodes.size());
        fits_ = fits_ && rows <= left_;
        const std::span<const Index> wanted = fits_ ? std::span(nodes) : std::span<const Index>();
        std::optional<CsrMatrix<float>> found = source_.rows(kind, wanted, (left_ - rows) / bytes_per_entry);
        fits_ = fits_ && found.has_value();
        if (!fits_) return {};
        const std::int64_t taken = rows + bytes_per_entry * found->entries();
        left_ -= taken;
        bytes_ += taken;
        return std::move(*found);
    }

    RowSource& source_;
    std::int64_t left_;
    std::int64_t bytes_ = 0;
    bool fits_ = true;
    std::vector<Index> known_;     // ascending
    std::vector<Index> frontier_;  // those of them whose lists are not known yet
    NodeSet set_;                  // all of them
    std::vector<Hop> hops_;
};

}  // namespace

Index Halo::place_of(Index node) const {
    return static_cast<Index>(std::ranges::lower_bound(nodes, node) - nodes.begin());
}

std::optional<Halo> fetch_halo(RowSource& source, const ShardReader& reader, std::span<const Index> own,
                               int order, std::int64_t memory) {
    HaloSearch search(source, own, reader.nodes(), memory);
    for (int step = 0; step < order; ++step)
        search.step();
    CsrMatrix<float> features = search.fetch_features();
    if (!search.fits()) return std::nullopt;
    if (!std::ranges::all_of(features.values, [](float value) { return std::isfinite(value); }))
        throw InputError("features must be finite");
    Graph graph = Graph::from_rows(search.local_lists(), reader.weighted(), reader.weight_unit());
    const std::int64_t bytes = search.bytes();
    return Halo{search.take_nodes(), std::move(graph), std::move(features), bytes};
}

}  // namespace hwgcn
