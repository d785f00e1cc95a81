#pragma once

#include <span>
#include <vector>

#include "hwgcn/tensor/dense_matrix.hpp"

namespace hwgcn {

/// Features on one scale: a penalty of a linear classifier means the same whatever their units are.
/// Where most numbers are stored, each column is moved to mean 0 and deviation 1. Sparse features keep their
/// zeros and what they are to each other: a rare word is not to weigh more than a frequent one. Then all
/// numbers are divided by the root mean square of the rows' lengths.
class EvenColumns {
  public:
    /// Whether dense columns get one deviation, or all columns stay what they are to each other.
    enum class Units { even, given };

    /// Means and deviations are those of all rows. Columns that are zero in all of `learned_from`, or the
    /// same everywhere, get no place: a penalised weight that no example moves is zero.
    EvenColumns(const CsrMatrix<float>& features, std::span<const Index> learned_from,
                Units units = Units::even);

    Index columns() const { return columns_; }

    /// Some rows of such features.
    CsrMatrix<float> rows(const CsrMatrix<float>& features, std::span<const Index> nodes) const;

    /// The same classifier for features as they are: a row for each of them, and a last one for the bias.
    /// `theta` has a row for each of `columns`, and one for the bias.
    DenseMatrix for_given_features(std::span<const double> theta, Index classes) const;

  private:
    static constexpr Index no_place = -1;

    void measure(const CsrMatrix<float>& features, Units units);

    std::vector<double> centre_;  // per feature
    std::vector<double> factor_;  // what is left of a constant is nothing: 0
    std::vector<Index> place_;    // its column; no_place: none
    bool centred_ = false;
    Index columns_ = 0;
};

}  // namespace hwgcn
