#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

/// The numbers of one column, those that are not stored counted as zeros.
struct ColumnStatistics {
    std::int64_t known = 0;      ///< numbers that are not missing
    std::int64_t missing = 0;    ///< NaN
    std::int64_t non_zeros = 0;  ///< of the known ones
    float least = 0;
    float largest = 0;
    bool binary = true;  ///< nothing but 0 and 1

    double filled() const {
        return known == 0 ? 0 : static_cast<double>(non_zeros) / static_cast<double>(known);
    }
};

/// The numbers of one column, sorted: stored ones without NaN, and how many zeros are not stored.
class SortedColumn {
  public:
    SortedColumn(std::vector<float> stored, std::int64_t zeros);

    std::int64_t size() const { return static_cast<std::int64_t>(stored_.size()) + zeros_; }

    /// Those above zero.
    std::span<const float> positives() const;

    /// The number below which a share of the numbers lies, between two of them in proportion.
    double quantile(double share) const;

    /// Mean and standard deviation of the numbers, each moved into least..largest first.
    struct Moments {
        double mean = 0;
        double deviation = 0;
    };
    Moments moments(double least, double largest) const;

  private:
    float at(std::int64_t place) const;

    std::vector<float> stored_;
    std::int64_t zeros_;
    std::int64_t negatives_;  // stored numbers below zero
};

std::vector<ColumnStatistics> column_statistics(const CsrMatrix<float>& features);

/// Adds the statistics of further rows.
void join_statistics(ColumnStatistics& column, const ColumnStatistics& more);

/// The stored values of the columns that `wanted` marks, without NaN, column by column.
std::vector<std::vector<float>> stored_columns(const CsrMatrix<float>& features,
                                               const std::vector<char>& wanted);

}  // namespace hwgcn
