#pragma once

#include <cstddef>

#include "methods/pass.hpp"

namespace hwgcn {

/// Batch normalisation whose means and variances follow what training passes find over their rows; the
/// numbers of its parameters, all of them rows.
struct ObservedNormalization {
    std::size_t scale;
    std::size_t offset;
    std::size_t mean;      ///< begins at 0; not trained, like
    std::size_t variance;  ///< this one, which begins at 1
};

/// In training: over the rows of the pass.
Variable normalize_observed(Pass& pass, const ObservedNormalization& slots, Variable x);

/// In evaluation it is x diag(factors) + addends.
struct FixedNormalization {
    MatrixView factors;
    MatrixView addends;
};
FixedNormalization fixed_normalization(Pass& pass, const ObservedNormalization& slots);

}  // namespace hwgcn
