#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "methods/trees/binned_table.hpp"
#include "methods/trees/forest.hpp"

namespace hwgcn {

struct TreeOptions {
    int leaves = 16;          ///< at most
    int depth = 6;            ///< splits above each other, at most
    double l2 = 1;            ///< penalty l2/2 v^2 on the value v of a leaf
    double least_weight = 1;  ///< second derivatives on either side of a split
    double rate = 0.05;       ///< values are multiplied by it
};

/// First and second derivatives of the loss by the score of each row, as whole numbers of a unit. Sums of
/// them are exact in any order: the first in the upper 32 bits, the second in the lower ones.
struct QuantizedDerivatives {
    std::vector<std::int64_t> packed;  ///< per row of the table
    double first_unit = 1, second_unit = 1;
};

/// Units are the smallest powers of two for which no sum over these rows overflows.
QuantizedDerivatives quantized(std::span<const double> first, std::span<const double> second,
                               std::span<const std::uint32_t> rows);

/// A tree over bins, in the order in which it grew.
struct GrownTree {
    struct Place {
        Index column = TreePlace::leaf;
        std::uint8_t bin = 0;  ///< the last that goes left
        bool missing_left = false;
        std::int32_t left = 0, right = 0;
        float value = 0;
        std::int64_t rows = 0;
    };
    std::vector<Place> places;

    float value(const BinnedTable& table, std::uint32_t row) const;
    /// Appends it in preorder.
    void append_to(Forest& forest, const BinnedTable& table) const;
};

/// Grows trees of second order (Chen and Guestrin 2016) on histograms of a binned table, the leaf with the
/// largest gain first:
///
///   value = -G / (H + l2),    gain = G_l^2 / (H_l + l2) + G_r^2 / (H_r + l2) - G^2 / (H + l2)
///
/// with the sums G and H of first and second derivatives. Of two children the histogram of the smaller is
/// counted, that of the other one is the difference. Scratch memory stays; one per thread.
class TreeGrower {
  public:
    TreeGrower(const BinnedTable& table, TreeOptions options);

    /// For the trees from now on, in place of that of the options.
    void set_least_weight(double least_weight) { options_.least_weight = least_weight; }

    GrownTree grow(std::span<const std::uint32_t> rows, const QuantizedDerivatives& derivatives,
                   std::span<const Index> columns, const ExecutionControl& control);

    /// Adds its leaves' values to the scores of the rows that the last tree was grown on.
    void add_to(std::span<double> scores) const;

  private:
    struct Sums {
        std::int64_t first = 0, second = 0;
    };
    struct Split {
        double gain = 0;
        Index column = TreePlace::leaf;
        std::uint8_t bin = 0;
        bool missing_left = false;
    };
    struct Leaf {
        std::int32_t place = 0;
        int depth = 0;
        std::size_t begin = 0, end = 0;  // of rows_
        std::int64_t total = 0;          // packed
        int histogram = -1;
        Split best = {};
        std::size_t size() const { return end - begin; }
    };

    static Sums unpacked(std::int64_t packed);
    double score(Sums sums) const;
    double weight(Sums sums) const { return static_cast<double>(sums.second) * second_unit_; }
    int take_histogram();
    void count(Index column, const Leaf& leaf, std::span<const std::int64_t> gathered);
    Split best_of(Index column, const Leaf& leaf) const;
    void look_for_splits(Leaf& counted, Leaf* other, std::span<const Index> columns,
                         const ExecutionControl& control);
    Leaf divide(Leaf& leaf, GrownTree& tree);
    void set_value(const Leaf& leaf, GrownTree& tree) const;
    std::int64_t* histogram(const Leaf& leaf, Index column) {
        return histograms_[leaf.histogram].data() + offsets_[column];
    }
    const std::int64_t* histogram(const Leaf& leaf, Index column) const {
        return histograms_[leaf.histogram].data() + offsets_[column];
    }

    const BinnedTable& table_;
    TreeOptions options_;
    std::vector<std::size_t> offsets_;  // of each column's bins; the last of them is for missing numbers
    std::vector<std::vector<std::int64_t>> histograms_;
    std::vector<int> free_histograms_;
    std::vector<std::uint32_t> rows_, moved_;
    std::span<const std::int64_t> packed_;
    std::vector<std::int64_t> gathered_;
    std::vector<Split> splits_, other_splits_;
    std::vector<Leaf> leaves_;
    std::vector<float> leaf_values_;
    double first_unit_ = 1, second_unit_ = 1;
};

}  // namespace hwgcn
