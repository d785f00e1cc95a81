#include "weights/blocks/halo_rows.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace hwgcn {
namespace {

constexpr std::int64_t bytes_per_entry = sizeof(Index) + sizeof(float);

// What a row takes in addition to its entries.
constexpr std::int64_t row_bytes(Index) {
    return sizeof(std::int64_t);
}
constexpr std::int64_t row_bytes(const ListStart&) {
    return sizeof(std::int64_t) + sizeof(double);
}

std::int64_t entries_of(const CsrMatrix<float>& rows) {
    return rows.entries();
}
std::int64_t entries_of(const ListStarts& starts) {
    return starts.lists.entries();
}

}  // namespace

HaloRows::HaloRows(RowSource& source, std::span<const Index> own, Index nodes, std::int64_t memory)
    : source_(source),
      left_(memory > 0 ? memory : std::numeric_limits<std::int64_t>::max()),
      nodes_(own.begin(), own.end()),
      set_(nodes) {
    for (const Index node : own)
        set_.add(node);
}

// `ask` is called in any case, as all processes ask at the same time.
template <typename Wanted, typename Ask>
auto HaloRows::fetch(std::span<const Wanted> wanted, const Ask& ask) {
    const std::int64_t rows = row_bytes(Wanted{}) * static_cast<std::int64_t>(wanted.size());
    fits_ = fits_ && rows <= left_;
    auto found = ask(fits_ ? wanted : std::span<const Wanted>(), (left_ - rows) / bytes_per_entry);
    fits_ = fits_ && found.has_value();
    if (!fits_) return typename decltype(found)::value_type();
    const std::int64_t taken = rows + bytes_per_entry * entries_of(*found);
    left_ -= taken;
    bytes_ += taken;
    return std::move(*found);
}

std::vector<Index> HaloRows::fetch_lists(std::vector<Index> nodes) {
    CsrMatrix<float> lists =
        fetch(std::span<const Index>(nodes), [&](std::span<const Index> wanted, std::int64_t most) {
            return source_.rows(RowKind::adjacency, wanted, most);
        });
    if (!fits_) return {};
    return add_part({std::move(nodes), std::move(lists), {}, {}});
}

void HaloRows::fetch_starts(std::span<const ListStart> wanted, float lightest) {
    ListStarts starts = fetch(wanted, [&](std::span<const ListStart> asked, std::int64_t most) {
        return source_.starts(asked, lightest, most);
    });
    if (!fits_) return;
    Part part{{}, std::move(starts.lists), {}, std::move(starts.degrees)};
    for (const ListStart& start : wanted) {
        part.nodes.push_back(start.node);
        part.counts.push_back(start.count);
    }
    add_part(std::move(part));
}

CsrMatrix<float> HaloRows::fetch_features(std::span<const Index> nodes) {
    return fetch(nodes, [&](std::span<const Index> wanted, std::int64_t most) {
        return source_.rows(RowKind::features, wanted, most);
    });
}

std::vector<Index> HaloRows::add_part(Part part) {
    std::vector<Index> fresh;
    for (const Index node : part.lists.indices) {
        if (set_.add(node)) fresh.push_back(node);
    }
    std::ranges::sort(fresh);
    std::vector<Index> all;
    std::ranges::merge(nodes_, fresh, std::back_inserter(all));
    nodes_ = std::move(all);
    parts_.push_back(std::move(part));
    return fresh;
}

CsrMatrix<float> HaloRows::local_lists() {
    set_.count();
    std::vector<SparseRow<float>> rows(nodes_.size());
    for (const Part& part : parts_) {
        for (std::size_t k = 0; k < part.nodes.size(); ++k)
            rows[set_.place_of(part.nodes[k])] = part.lists.row(static_cast<Index>(k));
    }
    const auto nodes = static_cast<Index>(nodes_.size());
    CsrMatrix<float> result{nodes, nodes, {0}, {}, {}};
    std::size_t entries = 0;
    for (const SparseRow<float>& row : rows)
        entries += row.size();
    result.indices.reserve(entries);
    result.values.reserve(entries);
    for (const SparseRow<float>& row : rows) {
        for (const Index column : row.indices)
            result.indices.push_back(set_.place_of(column));
        result.values.insert(result.values.end(), row.values.begin(), row.values.end());
        result.offsets.push_back(result.entries());
    }
    return result;
}

}  // namespace hwgcn
