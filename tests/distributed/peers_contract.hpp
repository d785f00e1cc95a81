#pragma once

#include <numeric>
#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

#include "hwgcn/base/error.hpp"

#include "distributed/peers/peers.hpp"

/// What every implementation of Peers promises, for tests with and without GoogleTest: each function is
/// called by all processes and throws where the promise is broken.
namespace hwgcn::peers_contract {

inline void expect(bool holds, const std::source_location& where = std::source_location::current()) {
    if (!holds)
        throw std::logic_error(std::string(where.function_name()) + ": broken at line " +
                               std::to_string(where.line()));
}

inline void everybody_gets_what_the_others_sent(Peers& peers) {
    std::vector<std::vector<int>> out(static_cast<std::size_t>(peers.size()));
    for (int to = 0; to < peers.size(); ++to)
        out[to].assign(static_cast<std::size_t>(to + peers.rank()), 100 * peers.rank() + to);
    const auto in = exchange_values(peers, out);
    for (int from = 0; from < peers.size(); ++from)
        expect(in[from] ==
               std::vector<int>(static_cast<std::size_t>(from + peers.rank()), 100 * from + peers.rank()));
}

inline void any_root_tells_everybody(Peers& peers) {
    for (int root = 0; root < peers.size(); ++root) {
        std::vector<double> values(5, peers.rank() == root ? 1.5 * root : -1.0);
        broadcast(peers, root, std::as_writable_bytes(std::span(values)));
        expect(values == std::vector<double>(5, 1.5 * root));
    }
}

inline void sums_maxima_and_agreement(Peers& peers) {
    const int count = peers.size();
    expect(total(peers, peers.rank() + 1) == std::int64_t{count} * (count + 1) / 2);
    expect(maximum(peers, -peers.rank()) == 0.0);
    expect(any(peers, peers.rank() == count - 1));
    expect(!any(peers, false));
}

inline void one_gathers_from_all(Peers& peers) {
    const int root = peers.size() - 1;
    const auto all = gather(peers, root, bytes_of(std::vector<int>{peers.rank()}));
    expect(all.empty() == (peers.rank() != root));
    for (std::size_t from = 0; from < all.size(); ++from)
        expect(values_of<int>(all[from]) == std::vector<int>{static_cast<int>(from)});
}

/// Each sends the next one numbers of its own, which need not be as many as it gets.
inline void long_messages_arrive_whole(Peers& peers, std::size_t numbers) {
    const int size = peers.size();
    const int to = (peers.rank() + 1) % size;
    const int from = (peers.rank() - 1 + size) % size;
    const auto sent_by = [&](int rank) {
        std::vector<std::int64_t> values(numbers + 7 * static_cast<std::size_t>(rank));
        std::iota(values.begin(), values.end(), 1'000'000'000 * rank);
        return values;
    };
    const std::vector<std::int64_t> expected = sent_by(from);
    const std::vector<std::int64_t> out = sent_by(peers.rank());
    std::vector<std::int64_t> in(expected.size());
    peers.transfer(to, std::as_bytes(std::span(out)), from, std::as_writable_bytes(std::span(in)));
    expect(in == expected);
}

/// Nothing is sent, and what comes later is not mistaken for it.
inline void empty_messages_are_no_messages(Peers& peers) {
    const int to = (peers.rank() + 1) % peers.size();
    const int from = (peers.rank() - 1 + peers.size()) % peers.size();
    const std::int64_t before = peers.bytes_received();
    peers.transfer(to, {}, from, {});
    peers.transfer(Peers::nobody, {}, Peers::nobody, {});
    expect(peers.bytes_received() == before);
    everybody_gets_what_the_others_sent(peers);
}

/// What arrives is counted, what one sends to itself is not.
inline void received_bytes_are_counted(Peers& peers) {
    const std::int64_t before = peers.bytes_received();
    long_messages_arrive_whole(peers, 100);
    const int from = (peers.rank() - 1 + peers.size()) % peers.size();
    expect(peers.bytes_received() - before == (peers.size() == 1 ? 0 : 8 * (100 + 7 * from)));
}

inline void different_texts_are_refused_everywhere(Peers& peers) {
    expect_same(peers, "version", "same");
    if (peers.size() == 1) return;
    const int last = peers.size() - 1;
    std::string message;
    try {
        expect_same(peers, "version", peers.rank() == last ? "2" : "1.0");
    } catch (const InputError& error) {
        message = error.what();
    }
    expect(message == "process " + std::to_string(last) + " has another version than process 0");
}

inline void all_of_it(Peers& peers) {
    everybody_gets_what_the_others_sent(peers);
    any_root_tells_everybody(peers);
    sums_maxima_and_agreement(peers);
    one_gathers_from_all(peers);
    empty_messages_are_no_messages(peers);
    received_bytes_are_counted(peers);
    different_texts_are_refused_everywhere(peers);
    for (const std::size_t numbers : {1, 127, 128, 129, 100'000, 1'000'000})
        long_messages_arrive_whole(peers, numbers);
}

}  // namespace hwgcn::peers_contract
