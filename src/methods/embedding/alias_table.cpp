#include "methods/embedding/alias_table.hpp"

#include <numeric>

namespace hwgcn {

AliasTable::AliasTable(std::span<const Index> nodes, std::span<const double> weights)
    : places_(nodes.size()) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    const double mean = sum / static_cast<double>(weights.size());
    std::vector<double> left(weights.size());  // in places
    std::vector<std::size_t> small;
    std::vector<std::size_t> large;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        places_[k] = {0, nodes[k], nodes[k]};
        left[k] = weights[k] / mean;
        (left[k] < 1.0 ? small : large).push_back(k);
    }
    // A node that does not fill its place gets the rest filled by one that has more than a place.
    while (!small.empty() && !large.empty()) {
        const std::size_t k = small.back();
        const std::size_t giver = large.back();
        small.pop_back();
        places_[k].own_share = static_cast<std::uint32_t>(left[k] * 0x1.0p32);
        places_[k].other = nodes[giver];
        left[giver] -= 1.0 - left[k];
        if (left[giver] < 1.0) {
            large.pop_back();
            small.push_back(giver);
        }
    }
}

}  // namespace hwgcn
