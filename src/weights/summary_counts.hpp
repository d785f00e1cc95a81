#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hwgcn/weights/learn_weights.hpp"

namespace hwgcn {

/// The whole numbers of a summary, in the order in which files have them.
inline std::array<std::int64_t, 12> counts_of(const OrderSummary& s) {
    return {s.order,      s.problems,     s.ring_pairs,   s.largest_ring, s.support,    s.kept,
            s.unfinished, s.capped_rings, s.capped_pairs, s.iterations,   s.worst_node, s.sampled_rings};
}

/// The summary that has them. Throws std::out_of_range where some are missing.
inline OrderSummary summary_of(const std::vector<std::int64_t>& counts) {
    OrderSummary s;
    s.order = static_cast<int>(counts.at(0));
    s.problems = counts.at(1);
    s.ring_pairs = counts.at(2);
    s.largest_ring = counts.at(3);
    s.support = counts.at(4);
    s.kept = counts.at(5);
    s.unfinished = counts.at(6);
    s.capped_rings = counts.at(7);
    s.capped_pairs = counts.at(8);
    s.iterations = counts.at(9);
    s.worst_node = static_cast<Index>(counts.at(10));
    s.sampled_rings = counts.at(11);
    return s;
}

}  // namespace hwgcn
