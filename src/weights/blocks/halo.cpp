#include "weights/blocks/halo.hpp"

#include <algorithm>
#include <cmath>

#include "hwgcn/base/error.hpp"

#include "weights/blocks/halo_rows.hpp"
#include "weights/blocks/sampled_lists.hpp"

namespace hwgcn {
namespace {

std::optional<Halo> whole_halo(HaloRows& rows, const ShardReader& reader, std::span<const Index> own,
                               int order) {
    std::vector<Index> frontier(own.begin(), own.end());
    for (int step = 0; step < order; ++step)
        frontier = rows.fetch_lists(std::move(frontier));
    std::optional<Graph> graph;
    if (rows.fits()) graph = Graph::from_rows(rows.local_lists(), reader.weighted(), reader.weight_unit());
    rows.drop_lists();
    CsrMatrix<float> features = rows.fetch_features(rows.nodes());
    if (!rows.fits()) return std::nullopt;
    const auto count = static_cast<std::int64_t>(rows.nodes().size());
    return Halo{rows.take_nodes(), std::move(*graph), std::move(features), count, rows.bytes()};
}

// Nodes that only tell how far a list was read have no features here.
CsrMatrix<float> spread_rows(CsrMatrix<float> features, std::span<const Index> with_features,
                             std::span<const Index> nodes) {
    std::vector<std::int64_t> offsets{0};
    std::size_t next = 0;
    for (const Index node : nodes) {
        if (next < with_features.size() && with_features[next] == node) ++next;
        offsets.push_back(features.offsets[next]);
    }
    features.rows = static_cast<Index>(nodes.size());
    features.offsets = std::move(offsets);
    return features;
}

std::optional<Halo> sampled_halo(HaloRows& rows, const ShardReader& reader, std::span<const Index> own,
                                 const WeightOptions& options, const ExecutionControl& control) {
    SampledLists lists(rows, reader, own, options, control);
    for (int order = 2; order <= options.order; ++order)
        lists.find_rings(order);
    std::optional<Graph> graph;
    if (rows.fits()) graph = lists.take_graph();
    const std::vector<Index> members = lists.members();
    CsrMatrix<float> features = rows.fetch_features(members);
    if (!rows.fits()) return std::nullopt;
    features = spread_rows(std::move(features), members, rows.nodes());
    const auto count = static_cast<std::int64_t>(members.size());
    return Halo{rows.take_nodes(), std::move(*graph), std::move(features), count, rows.bytes()};
}

}  // namespace

Index Halo::place_of(Index node) const {
    return static_cast<Index>(std::ranges::lower_bound(nodes, node) - nodes.begin());
}

std::optional<Halo> fetch_halo(RowSource& source, const ShardReader& reader, std::span<const Index> own,
                               const WeightOptions& options, std::int64_t memory,
                               const ExecutionControl& control) {
    HaloRows rows(source, own, reader.nodes(), memory);
    std::optional<Halo> halo = options.sample_ring > 0 ? sampled_halo(rows, reader, own, options, control)
                                                       : whole_halo(rows, reader, own, options.order);
    const auto is_finite = [](float value) { return std::isfinite(value); };
    if (halo && !std::ranges::all_of(halo->features.values, is_finite))
        throw InputError("features must be finite");
    return halo;
}

}  // namespace hwgcn
