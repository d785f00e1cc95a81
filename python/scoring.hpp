#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hwgcn/metrics/ranking.hpp"

#include "arrays.hpp"

namespace hwgcn::python {

/// roc_auc or average_precision of arrays.
template <double (*Score)(std::span<const float>, std::span<const char>)>
double ranking_of(const Array<float>& scores, const Array<std::uint8_t>& positive) {
    const std::vector<std::uint8_t> marks = to_vector(positive);
    return Score(to_vector(scores), std::vector<char>(marks.begin(), marks.end()));
}

}  // namespace hwgcn::python
