#pragma once

#include <cstdint>
#include <vector>

#include "hwgcn/linalg/csr_matrix.hpp"

namespace hwgcn {

/// The active rows by feature: for every feature that occurs in one of them, a dense line with its value in
/// each. The inner products of a new row with all active ones are then a sum of as many lines as the new row
/// has features, and most of the zeros of sparse rows are never touched. Memory grows with the features of
/// the active rows, not with all features.
class ActiveRows {
  public:
    explicit ActiveRows(Index features) : line_of_(static_cast<std::size_t>(features), kNoLine) {}

    void clear();

    /// Adds a row and returns its slot: its place in the products below, until it is removed.
    std::size_t add(const SparseRow<float>& row);
    void remove(std::size_t slot, const SparseRow<float>& row);

    /// The inner products of `row` with the rows in each slot (zero in free ones); valid until the next call.
    const std::vector<double>& products(const SparseRow<float>& row);

  private:
    static constexpr std::int32_t kNoLine = -1;

    float& at(Index feature, std::size_t slot) {
        return lines_[static_cast<std::size_t>(line_of_[feature]) * stride_ + slot];
    }
    void widen();

    std::vector<std::int32_t> line_of_;  // per feature
    std::vector<Index> features_;        // that have a line, by line
    std::vector<float> lines_;           // one behind the other, `stride_` apart
    std::size_t stride_ = 64;            // always a multiple of 8
    std::size_t slots_ = 0;              // in use or free
    std::vector<std::size_t> free_slots_;
    std::vector<double> products_;
    std::vector<const float*> chosen_lines_;
    std::vector<double> chosen_factors_;
};

}  // namespace hwgcn
