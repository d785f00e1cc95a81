#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

/// A table of numbers in bins of 8 bits, column by column. Bin b of a column holds what is above edge b - 1
/// and at most edge b; missing numbers (NaN) have a bin of their own.
class BinnedTable {
  public:
    static constexpr int most_bins = 255;
    static constexpr std::uint8_t missing_bin = 255;

    /// Writes the numbers of one row.
    using FillRow = std::function<void(std::int64_t row, std::span<float> numbers)>;

    /// Edges are between different numbers that neighbor each other, all of them or quantiles, of the first
    /// `learned` rows or a sample of these.
    BinnedTable(std::int64_t rows, std::int64_t learned, Index columns, const FillRow& fill,
                const ExecutionControl& control);

    std::int64_t rows() const { return rows_; }
    Index columns() const { return static_cast<Index>(edges_.size()); }
    std::span<const std::uint8_t> column(Index c) const {
        return {bins_.data() + static_cast<std::size_t>(c) * static_cast<std::size_t>(rows_),
                static_cast<std::size_t>(rows_)};
    }

    /// The numbers that a split can be at, ascending; none where a column is the same everywhere.
    const std::vector<float>& edges(Index c) const { return edges_[c]; }

  private:
    void learn_edges(std::int64_t learned, const FillRow& fill, const ExecutionControl& control);

    std::int64_t rows_;
    std::vector<std::vector<float>> edges_;
    std::vector<std::uint8_t> bins_;
};

/// Edges for these numbers, in any order; NaN are left out.
std::vector<float> bin_edges(std::vector<float> numbers);

}  // namespace hwgcn
