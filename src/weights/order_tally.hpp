#pragma once

#include <array>
#include <cstdint>

#include "weights/ring_learner.hpp"

namespace hwgcn {

/// What happened while some rings of an order were learned. Sums and maxima only: the same whatever worker,
/// and whatever process, counted what.
struct OrderTally {
    OrderSummary summary;
    std::array<std::int64_t, 6> bins{};  ///< ring members by weight

    void count(const RingWeights& ring, Index node);
    void merge(const OrderTally& other);

    /// The summary of a whole order.
    OrderSummary finished(int order) const;
};

}  // namespace hwgcn
