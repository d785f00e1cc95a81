#pragma once

#include <cstdint>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

/// The active rows by feature: for every feature the list of active rows that have it, with their values. The
/// inner products of a new row with all active ones then touch only what the rows have in common.
class ActiveRows {
  public:
    explicit ActiveRows(Index features) : lists_(static_cast<std::size_t>(features)) {}

    void clear();

    /// Adds a row and returns its slot: its place in the products below, until it is removed.
    std::size_t add(const SparseRow<float>& row);
    void remove(std::size_t slot, const SparseRow<float>& row);

    /// The inner products of `row` with the rows in each slot (zero in free ones); valid until the next call.
    const std::vector<double>& products(const SparseRow<float>& row);

  private:
    struct Entry {
        std::int32_t slot;
        float value;
    };
    // A stretch of pool_; a list that outgrows its stretch moves to a longer one at the end.
    struct List {
        std::uint32_t begin = 0;
        std::uint32_t size = 0;
        std::uint32_t capacity = 0;
    };

    void push(Index feature, Entry entry);

    std::vector<List> lists_;           // per feature
    std::vector<Index> used_features_;  // whose list has a stretch
    std::vector<Entry> pool_;
    std::size_t slots_ = 0;  // in use or free
    std::vector<std::size_t> free_slots_;
    std::vector<double> products_;
};

}  // namespace hwgcn
