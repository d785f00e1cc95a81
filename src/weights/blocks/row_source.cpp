#include "weights/blocks/row_source.hpp"

#include "weights/blocks/searched_entries.hpp"

namespace hwgcn {
namespace {

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

void append_row(const SparseRow<float>& row, CsrMatrix<float>& matrix) {
    matrix.indices.insert(matrix.indices.end(), row.indices.begin(), row.indices.end());
    matrix.values.insert(matrix.values.end(), row.values.begin(), row.values.end());
    matrix.offsets.push_back(matrix.entries());
}

double degree_of_row(const SparseRow<float>& row, Index node) {
    double sum = 1.0;
    for (std::size_t e = 0; e < row.size(); ++e)
        sum += row.indices[e] == node ? static_cast<double>(row.values[e]) : 0.0;
    for (std::size_t e = 0; e < row.size(); ++e)
        sum += row.indices[e] == node ? 0.0 : static_cast<double>(row.values[e]);
    return sum;
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
