#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

/// Draws one of some nodes in proportion to their weights, each draw at the same small cost (Walker 1977):
/// every place has a node of its own and lends what that leaves of it to one other.
class AliasTable {
  public:
    AliasTable() = default;

    /// As many positive weights as nodes, at least one.
    AliasTable(std::span<const Index> nodes, std::span<const double> weights);

    /// Of 32 random bits, the high part of the product names a place and the low part a point in it.
    Index draw(std::uint32_t bits) const {
        const std::uint64_t product = static_cast<std::uint64_t>(bits) * places_.size();
        const Place& place = places_[product >> 32];
        return static_cast<std::uint32_t>(product) < place.own_share ? place.own : place.other;
    }

  private:
    struct Place {
        std::uint32_t own_share;  // of 2^32
        Index own;
        Index other;
    };
    std::vector<Place> places_;
};

}  // namespace hwgcn
