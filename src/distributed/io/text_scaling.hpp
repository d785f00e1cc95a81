#pragma once

#include <functional>
#include <vector>

#include "hwgcn/dataset/feature_scaling.hpp"

#include "distributed/peers/peers.hpp"

namespace hwgcn {

/// Goes through processes in the order of their ranks: each adds its own numbers to the sum that it is
/// handed, so that the sum has the bits of a single process. Gives the last one's to everybody.
template <typename Sum>
Sum sum_in_order(Peers& peers, Sum sum, const std::function<void(Sum&)>& add_own) {
    const auto bytes = std::as_writable_bytes(std::span(&sum, 1));
    if (peers.rank() > 0) peers.transfer(Peers::nobody, {}, peers.rank() - 1, bytes);
    add_own(sum);
    if (peers.rank() + 1 < peers.size()) peers.transfer(peers.rank() + 1, bytes, Peers::nobody, {});
    broadcast(peers, peers.size() - 1, bytes);
    return sum;
}

/// What `fit_scaling` would find for all rows: `own` are those of this process, in order, and `outline` a
/// dataset without rows.
FeatureScaling fit_scaling_together(Peers& peers, const Dataset& outline,
                                    const std::vector<CsrMatrix<float>>& own);

}  // namespace hwgcn
