#include "weights/blocks/sampled_lists.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/parallel_for.hpp"
#include "graph/rings.hpp"
#include "io/merged_edges.hpp"

namespace hwgcn {
namespace {

using CountByNode = std::unordered_map<Index, Index>;

/// Searches rings in what is known of the lists; one per thread.
class KnownRings {
  public:
    KnownRings(const Graph& lists, std::shared_ptr<const SampleOrder> order, std::int64_t limit,
               const std::vector<bool>& cut)
        : order_(order),
          limit_(limit),
          cut_(cut),
          search_(lists, std::move(order), limit),
          members_(lists.nodes()) {}

    void find(Index node, int order) {
        const std::vector<std::span<const Index>> rings = search_.rings(node, order);
        for (const Index member : rings.back())
            members_.add(member);
        find_short_lists(rings);
    }

    const NodeSet& members() const { return members_; }
    const CountByNode& short_lists() const { return short_lists_; }

  private:
    static constexpr std::int64_t most_entries = std::numeric_limits<Index>::max();

    // What a list has beyond its start comes after it in the order of samples. That changes nothing where the
    // ring is full, known to be cut, and has no member after the start. Else a longer start is wanted: one
    // with N + 1 entries that are in no ring before shows that the ring is cut, and hides none of its
    // members. The others of its entries are nearer nodes, of which the node of the list is one itself.
    void find_short_lists(std::span<const std::span<const Index>> rings) {
        const std::span<const Index> ring = rings.back();
        const bool full = search_.has_cut() && static_cast<std::int64_t>(ring.size()) == limit_;
        Index last = 0;
        for (const Index member : ring)
            last = std::max(last, order_->place(member));
        std::int64_t nearer = 1;
        for (const std::span<const Index> before : rings.first(rings.size() - 1))
            nearer += static_cast<std::int64_t>(before.size());
        const auto count = static_cast<Index>(std::min(limit_ + nearer, most_entries));
        for (const Index from : rings[rings.size() - 2]) {
            if (!cut_[from] || (full && order_->neighbors(from).back() >= last)) continue;
            Index& wanted = short_lists_[from];
            wanted = std::max(wanted, count);
        }
    }

    std::shared_ptr<const SampleOrder> order_;
    std::int64_t limit_;
    const std::vector<bool>& cut_;
    RingSearch search_;
    NodeSet members_;
    CountByNode short_lists_;
};

// Of all workers, with the numbers of the whole graph: of each list the longest start.
std::vector<ListStart> joined_short_lists(std::span<const KnownRings> workers, std::span<const Index> nodes) {
    CountByNode longest;
    for (const KnownRings& worker : workers) {
        for (const auto& [place, count] : worker.short_lists())
            longest[place] = std::max(longest[place], count);
    }
    std::vector<ListStart> joined;
    for (const auto& [place, count] : longest)
        joined.push_back({nodes[place], count});
    std::ranges::sort(joined, {}, &ListStart::node);
    return joined;
}

std::vector<Index> joined_members(std::span<const KnownRings> workers, std::span<const Index> nodes) {
    NodeSet all(static_cast<Index>(nodes.size()));
    for (const KnownRings& worker : workers)
        all.add_all(worker.members());
    std::vector<Index> members;
    for (std::size_t place = 0; place < nodes.size(); ++place) {
        if (all.has(static_cast<Index>(place))) members.push_back(nodes[place]);
    }
    return members;
}

}  // namespace

SampledLists::SampledLists(HaloRows& rows, const ShardReader& reader, std::span<const Index> own,
                           const WeightOptions& options, const ExecutionControl& control)
    : rows_(rows),
      reader_(reader),
      own_(own),
      options_(options),
      control_(control),
      limit_(std::min<std::int64_t>(options.sample_ring, reader.nodes())),
      lightest_(options.min_weight > 0
                    ? in_units(static_cast<float>(options.min_weight), reader.weight_unit())
                    : 0.0F),
      listed_(reader.nodes()),
      members_(reader.nodes()) {
    rows_.fetch_lists({own.begin(), own.end()});
    for (const Index node : own) {
        listed_.add(node);
        members_.add(node);
    }
    if (rows_.fits()) want_lists_of_neighbors();
}

// Of neighbors that no ring is searched from only the degrees are needed.
void SampledLists::want_lists_of_neighbors() {
    const CsrMatrix<float>& lists = rows_.parts().front().lists;
    NodeSet searched(reader_.nodes());
    for (std::size_t e = 0; e < lists.indices.size(); ++e) {
        members_.add(lists.indices[e]);
        if (lists.values[e] >= lightest_) searched.add(lists.indices[e]);
    }
    for (const Index node : rows_.nodes()) {
        if (!listed_.has(node)) frontier_.push_back({node, searched.has(node) ? first_count() : 0});
    }
}

Index SampledLists::first_count() const {
    return static_cast<Index>(std::min<std::int64_t>(2 * limit_ + 1, reader_.nodes()));
}

void SampledLists::fetch(std::span<const ListStart> wanted) {
    rows_.fetch_starts(wanted, lightest_);
    if (!wanted.empty()) graph_.reset();
}

void SampledLists::build_graph() {
    CsrMatrix<float> lists = rows_.local_lists();
    std::vector<double> degrees(rows_.nodes().size(), 0.0);
    cut_.assign(rows_.nodes().size(), false);
    for (const HaloRows::Part& part : rows_.parts()) {
        for (std::size_t k = 0; k < part.nodes.size(); ++k) {
            const Index node = part.nodes[k];
            const Index place = rows_.place_of(node);
            const SparseRow<float> list = part.lists.row(static_cast<Index>(k));
            degrees[place] = part.degrees.empty() ? degree_of_row(list, node) : part.degrees[k];
            cut_[place] = !part.counts.empty() && static_cast<Index>(list.size()) == part.counts[k];
        }
    }
    graph_ = Graph::from_rows(lists, reader_.weighted(), reader_.weight_unit(), std::move(degrees));
}

SampledLists::Found SampledLists::search(int order) {
    if (!graph_) build_graph();
    std::optional<Graph> heavy;
    if (options_.min_weight > 0) heavy = heavy_lists(*graph_, options_.min_weight);
    const Graph& lists = heavy ? *heavy : *graph_;
    const auto samples = std::make_shared<const SampleOrder>(lists, rows_.nodes());
    std::vector<KnownRings> workers;
    for (int worker = 0; worker < thread_count(control_); ++worker)
        workers.emplace_back(lists, samples, limit_, cut_);
    parallel_for(std::ssize(own_), 16, control_,
                 [&](int worker, std::int64_t k) { workers[worker].find(rows_.place_of(own_[k]), order); });
    return {joined_members(workers, rows_.nodes()), joined_short_lists(workers, rows_.nodes())};
}

// Processes ask at the same time: twice in any case.
void SampledLists::find_rings(int order) {
    fetch(frontier_);
    for (const ListStart& start : frontier_) {
        if (start.count > 0) listed_.add(start.node);
    }
    frontier_.clear();
    Found found;
    if (rows_.fits() && !own_.empty()) found = search(order);
    fetch(found.short_lists);
    if (!rows_.fits()) return;
    if (!found.short_lists.empty()) found = search(order);
    for (const Index member : found.members) {
        members_.add(member);
        if (!listed_.has(member)) frontier_.push_back({member, first_count()});
    }
}

Graph SampledLists::take_graph() {
    if (!graph_) build_graph();
    rows_.drop_lists();
    return std::move(*graph_);
}

std::vector<Index> SampledLists::members() const {
    std::vector<Index> members;
    for (const Index node : rows_.nodes()) {
        if (members_.has(node)) members.push_back(node);
    }
    return members;
}

}  // namespace hwgcn
