#include "distributed/io/text_moves.hpp"

#include <numeric>

#include "distributed/io/peer_texts.hpp"

namespace hwgcn {
namespace {

struct NumberedLabel {
    Index number;  // of the node
    Index label;
};

// Calls use(node, neighbor) for both ends of every edge that are nodes of own parts, each where its part has
// it.
template <typename Use>
void for_each_neighbor(const PartMail<TextEdge>& edges, const TextParts& parts, bool zeros_left_out,
                       const Use& use) {
    edges.for_each([&](Index part, const TextEdge& edge) {
        if (edge.from == edge.to || (zeros_left_out && edge.weight == 0.0F)) return;
        if (parts.part_of(edge.from) == part) use(edge.from, edge.to);
        if (parts.part_of(edge.to) == part) use(edge.to, edge.from);
    });
}

}  // namespace

std::vector<Index> first_nodes(const TextParts& parts) {
    std::vector<Index> firsts;
    for (const Index part : parts.firsts)
        firsts.push_back(parts.bounds[part]);
    return firsts;
}

OwnNeighbors own_neighbors(const PartMail<TextEdge>& edges, const TextParts& parts, bool zeros_left_out) {
    const Index first = parts.bounds[parts.firsts[parts.rank]];
    const Index end = parts.bounds[parts.firsts[parts.rank + 1]];
    std::vector<std::int64_t> next(static_cast<std::size_t>(end - first) + 1, 0);
    for_each_neighbor(edges, parts, zeros_left_out,
                      [&](Index node, Index) { ++next[node - first + std::size_t{1}]; });
    std::partial_sum(next.begin(), next.end(), next.begin());
    OwnNeighbors lists;
    lists.neighbors.resize(static_cast<std::size_t>(next.back()));
    for_each_neighbor(edges, parts, zeros_left_out,
                      [&](Index node, Index neighbor) { lists.neighbors[next[node - first]++] = neighbor; });
    auto written = lists.neighbors.begin();
    for (Index k = 0; k < end - first; ++k) {
        const auto begin = lists.neighbors.begin() + (k == 0 ? 0 : next[k - 1]);
        const auto list_end = lists.neighbors.begin() + next[k];
        std::sort(begin, list_end);
        const auto unique_end = std::unique(begin, list_end);
        written = written == begin ? unique_end : std::move(begin, unique_end, written);
        lists.offsets.push_back(written - lists.neighbors.begin());
    }
    lists.neighbors.erase(written, lists.neighbors.end());
    return lists;
}

// Edges of the same two ends are all at the part of the first one, in the order of the file, and stay in it.
PartMail<TextEdge> NodeMoves::moved_edges(PartMail<TextEdge>& edges) const {
    const auto renumber = [&](Index part, TextEdge& edge) {
        if (from.part_of(edge.from) != part) return false;
        edge = {place[edge.from], place[edge.to], edge.weight};
        return true;
    };
    return moved(edges, renumber, ends_of);
}

PartMail<Triplet<float>> NodeMoves::moved_entries(PartMail<Triplet<float>>& entries) const {
    const auto renumber = [&](Index, Triplet<float>& entry) {
        entry.row = place[entry.row];
        return true;
    };
    return moved(entries, renumber, node_of_entry);
}

void NodeMoves::move_lists(std::string& ids, std::vector<Index>& labels) const {
    std::vector<std::string> texts(static_cast<std::size_t>(peers.size()));
    std::vector<std::vector<NumberedLabel>> numbers(texts.size());
    const Index first = first_nodes(from)[from.rank];
    std::size_t k = 0;
    for_each_text(ids, [&](std::string_view id) {
        const Index number = place[first + k];
        const int owner = to.owner_of(number);
        (texts[owner] += id) += end_of_text;
        numbers[owner].push_back({number, labels[k++]});
    });
    texts = exchange_texts(peers, texts);
    numbers = exchange_values(peers, numbers);
    const Index own = first_nodes(to)[to.rank];
    labels.assign(static_cast<std::size_t>(first_nodes(to)[to.rank + 1] - own), 0);
    std::vector<std::string_view> lines(labels.size());
    for (std::size_t process = 0; process < texts.size(); ++process) {
        auto next = numbers[process].begin();
        for_each_text(texts[process], [&](std::string_view id) {
            lines[next->number - own] = id;
            labels[next->number - own] = next->label;
            ++next;
        });
    }
    ids.clear();
    for (const std::string_view line : lines)
        (ids += line) += end_of_text;
}

}  // namespace hwgcn
