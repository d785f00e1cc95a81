#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

/// Some of all nodes: a bit for each.
class NodeSet {
  public:
    explicit NodeSet(Index nodes) : words_(static_cast<std::size_t>(nodes) / word_bits + 1, 0) {}

    /// Whether it is new.
    bool add(Index node) {
        std::uint64_t& word = words_[static_cast<std::size_t>(node) / word_bits];
        const std::uint64_t bit = bit_of(node);
        if ((word & bit) != 0) return false;
        word |= bit;
        return true;
    }
    /// Those of another set of as many nodes.
    void add_all(const NodeSet& other) {
        for (std::size_t word = 0; word < words_.size(); ++word)
            words_[word] |= other.words_[word];
    }
    bool has(Index node) const {
        return (words_[static_cast<std::size_t>(node) / word_bits] & bit_of(node)) != 0;
    }

    /// When all are there: how many come before each.
    void count() {
        before_.clear();
        before_.reserve(words_.size());
        Index sum = 0;
        for (const std::uint64_t word : words_) {
            before_.push_back(sum);
            sum += std::popcount(word);
        }
    }
    Index place_of(Index node) const {
        const std::size_t word = static_cast<std::size_t>(node) / word_bits;
        return before_[word] + std::popcount(words_[word] & (bit_of(node) - 1));
    }

  private:
    static constexpr std::size_t word_bits = 64;
    static std::uint64_t bit_of(Index node) {
        return std::uint64_t{1} << (static_cast<std::size_t>(node) % word_bits);
    }

    std::vector<std::uint64_t> words_;
    std::vector<Index> before_;  // by word
};

}  // namespace hwgcn
