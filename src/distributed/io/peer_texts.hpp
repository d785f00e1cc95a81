#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"

#include "distributed/peers/peers.hpp"
#include "io/name_index.hpp"

namespace hwgcn {

/// Does a piece of work in which nobody talks to the others. What one throws is thrown by all, that of the
/// first process where several do.
void do_together(Peers& peers, const std::function<void()>& work);

/// What everybody has, by rank.
std::vector<Bytes> share_bytes(Peers& peers, const Bytes& own);
template <typename T>
std::vector<std::vector<T>> share_values(Peers& peers, const std::vector<T>& own) {
    std::vector<std::vector<T>> all;
    for (const Bytes& bytes : share_bytes(peers, bytes_of(own)))
        all.push_back(values_of<T>(bytes));
    return all;
}
std::vector<std::string> share_texts(Peers& peers, const std::string& own);

/// Everybody sends out[r] to process r and gets what process r sent, as element r.
std::vector<std::string> exchange_texts(Peers& peers, const std::vector<std::string>& out);

/// Calls use(line) for each line of a text of which every line ends in \n.
template <typename Use>
void for_each_line(std::string_view text, const Use& use) {
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        use(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
}

/// The process that keeps what is known about a text. It never shows in a result.
int keeper_of(std::string_view text, int processes);

/// A name per line.
std::string joined_lines(const NameIndex& names);

}  // namespace hwgcn
