#pragma once

#include <cstdint>
#include <string_view>

namespace hwgcn {

/// What the cells of a column have in common with ids, if all of them are whole numbers.
struct WholeNumbers {
    std::int64_t count = 0;
    bool whole = true;      ///< all cells are
    bool ascending = true;  ///< each is larger than the one before
    bool counts_up = true;  ///< and by one
    std::int64_t first = 0, last = 0;
    std::int64_t least = 0, largest = 0;
    std::uint64_t sum = 0;  ///< of a hash of each

    void add(std::string_view cell);

    /// The cells of `next` come behind these.
    void append(const WholeNumbers& next);

    /// Whether each number from the least to the largest is there once (but for chance: by the sum of
    /// hashes).
    bool fills_its_range() const;
};

/// Whether people call a column of ids so: "id", "Index", "user_id", "customerId", or nothing at all.
bool is_name_of_ids(std::string_view name);

}  // namespace hwgcn
