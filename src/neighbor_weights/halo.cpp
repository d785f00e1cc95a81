#include "neighbor_weights/halo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hwgcn/support/error.hpp"

namespace hwgcn {
namespace {

constexpr std::int64_t bytes_per_entry = sizeof(Index) + sizeof(float);
constexpr std::int64_t bytes_per_row = sizeof(std::int64_t);

/// Fetches hop after hop as long as the rows fit; from then on it asks for nothing, so that others get
/// theirs.
class HaloSearch {
  public:
    HaloSearch(RowSource& source, std::span<const Index> own, std::int64_t memory)
        : source_(source),
          left_(memory > 0 ? memory : std::numeric_limits<std::int64_t>::max()),
          known_(own.begin(), own.end()),
          frontier_(known_) {}

    // The lists of the nodes that came last, and who is in them for the first time.
    void step() {
        CsrMatrix<float> lists = fetch(RowKind::adjacency, frontier_);
        std::vector<Index> reached(lists.indices);
        std::ranges::sort(reached);
        reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
        std::vector<Index> fresh;
        std::ranges::set_difference(reached, known_, std::back_inserter(fresh));
        std::vector<Index> all;
        std::ranges::merge(known_, fresh, std::back_inserter(all));
        hops_.push_back({std::move(frontier_), std::move(lists)});
        known_ = std::move(all);
        frontier_ = std::move(fresh);
    }

    CsrMatrix<float> fetch_features() { return fetch(RowKind::features, known_); }

    /// The lists of all nodes, with their numbers here; empty for those that were reached last.
    CsrMatrix<float> local_lists() const {
        std::vector<SparseRow<float>> rows(known_.size());
        for (const Hop& hop : hops_) {
            for (std::size_t k = 0; k < hop.nodes.size(); ++k)
                rows[place_in(known_, hop.nodes[k])] = hop.lists.row(static_cast<Index>(k));
        }
        const auto nodes = static_cast<Index>(known_.size());
        CsrMatrix<float> result{nodes, nodes, {0}, {}, {}};
        for (const SparseRow<float>& row : rows) {
            for (const Index column : row.indices)
                result.indices.push_back(place_in(known_, column));
            result.values.insert(result.values.end(), row.values.begin(), row.values.end());
            result.offsets.push_back(result.entries());
        }
        return result;
    }

    static Index place_in(const std::vector<Index>& nodes, Index node) {
        return static_cast<Index>(std::ranges::lower_bound(nodes, node) - nodes.begin());
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
    std::vector<Hop> hops_;
};

}  // namespace

Index Halo::place_of(Index node) const {
    return HaloSearch::place_in(nodes, node);
}

std::optional<Halo> fetch_halo(RowSource& source, const ShardReader& reader, std::span<const Index> own,
                               int order, std::int64_t memory) {
    HaloSearch search(source, own, memory);
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
