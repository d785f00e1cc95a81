#include "distributed/io/peer_pieces.hpp"

#include <algorithm>

#include "distributed/io/peer_texts.hpp"

namespace hwgcn {

std::vector<std::string> PeerPieces::texts(const std::string& own) {
    return share_texts(peers_, own);
}

std::vector<Index> PeerPieces::join_names(NameIndex& names) {
    NameIndex all;
    for (const std::string& text : share_texts(peers_, joined_texts(names)))
        for_each_text(text, [&](std::string_view name) { all.add(name); });
    std::vector<Index> numbers;
    for (const std::string& name : names.names())
        numbers.push_back(*all.find(name));
    names = std::move(all);
    return numbers;
}

// Equal names meet at one process, which keeps the different ones.
std::int64_t PeerPieces::count_different(const NameIndex& names) {
    std::vector<std::string> out(static_cast<std::size_t>(peers_.size()));
    for (const std::string& name : names.names())
        out[keeper_of(name, peers_.size())] += name + end_of_text;
    NameIndex kept;
    for (const std::string& text : exchange_texts(peers_, out))
        for_each_text(text, [&](std::string_view name) { kept.add(name); });
    return total(kept.size());
}

std::int64_t PeerPieces::count_different(const std::vector<std::int64_t>& numbers) {
    std::vector<std::vector<std::int64_t>> out(static_cast<std::size_t>(peers_.size()));
    for (const std::int64_t number : numbers)
        out[static_cast<std::uint64_t>(number) % out.size()].push_back(number);
    std::vector<std::int64_t> kept;
    for (const std::vector<std::int64_t>& some : exchange_values(peers_, out))
        kept.insert(kept.end(), some.begin(), some.end());
    std::ranges::sort(kept);
    return total(std::unique(kept.begin(), kept.end()) - kept.begin());
}

}  // namespace hwgcn
