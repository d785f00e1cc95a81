#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"

#include "graph/sample_order.hpp"

namespace hwgcn {

/// The entries of a list that rings are searched in.
class SearchedEntries {
  public:
    SearchedEntries(const SparseRow<float>& row, Index node, float lightest)
        : row_(row), node_(node), lightest_(lightest) {}

    Index count() const {
        Index count = 0;
        for (std::size_t e = 0; e < row_.size(); ++e)
            count += has(e) ? 1 : 0;
        return count;
    }

    /// Appends the first so many by hash, ascending. Of a long list few more than that are ever kept.
    void append_first(Index count, CsrMatrix<float>& matrix) const {
        const auto limit = static_cast<std::size_t>(count);
        std::vector<Place> first;
        std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
        for (std::size_t e = 0; limit > 0 && e < row_.size(); ++e) {
            const std::uint64_t hash = sample_hash(static_cast<std::uint64_t>(row_.indices[e]));
            if (hash > last || !has(e)) continue;
            first.push_back({hash, e});
            if (first.size() / 2 >= limit) last = cut(first, limit);
        }
        if (first.size() > limit) cut(first, limit);
        std::ranges::sort(first, {}, &Place::entry);
        for (const Place& place : first) {
            matrix.indices.push_back(row_.indices[place.entry]);
            matrix.values.push_back(row_.values[place.entry]);
        }
        matrix.offsets.push_back(matrix.entries());
    }

  private:
    struct Place {
        std::uint64_t hash;
        std::size_t entry;
    };

    bool has(std::size_t e) const { return row_.indices[e] != node_ && row_.values[e] >= lightest_; }

    static std::uint64_t cut(std::vector<Place>& places, std::size_t limit) {
        const auto last = places.begin() + static_cast<std::ptrdiff_t>(limit) - 1;
        std::ranges::nth_element(places, last, {}, &Place::hash);
        places.resize(limit);
        return places.back().hash;
    }

    SparseRow<float> row_;
    Index node_;
    float lightest_;
};

}  // namespace hwgcn
