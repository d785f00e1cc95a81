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

/// Ends each of several texts in one: no text file has it, and a field may have a line break.
inline constexpr char end_of_text = '\0';

/// Calls use(text) for each of them.
template <typename Use>
void for_each_text(std::string_view texts, const Use& use) {
    for (std::size_t end = texts.find(end_of_text); end != std::string_view::npos;
         end = texts.find(end_of_text)) {
        use(texts.substr(0, end));
        texts.remove_prefix(end + 1);
    }
}

/// The process that keeps what is known about a text. It never shows in a result.
int keeper_of(std::string_view text, int processes);

std::string joined_texts(const NameIndex& names);

}  // namespace hwgcn
