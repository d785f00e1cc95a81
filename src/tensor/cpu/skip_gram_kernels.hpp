#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hwgcn/tensor/dense_matrix.hpp"

namespace hwgcn::cpu {

// The inner loop of skip-gram training. As in narrow_kernels.hpp the bits of a result do not depend on the
// processor.

/// 1 / (1 + exp(-x)) to within 0.001, from a table; exactly 0 and 1 beyond -8 and 8: rows which are right
/// beyond doubt are left alone.
class SigmoidTable {
  public:
    SigmoidTable();

    float operator()(float x) const {
        if (x >= limit) return 1.0F;
        if (!(x > -limit)) return 0.0F;  // NaN as well
        return values_[static_cast<std::size_t>((x + to_nearest) * per_unit)];
    }

  private:
    static constexpr float limit = 8.0F;
    static constexpr float per_unit = 256.0F;
    static constexpr float to_nearest = limit + 0.5F / per_unit;
    static constexpr std::size_t values = 4096 + 8;  // whole vectors

    std::array<float, values> values_;
};

/// A row that is compared with a centre, and the answer: 1 or 0.
struct SkipGramTarget {
    Index row;
    float label;
};

/// Some centres, one after the other, each with targets of its own.
struct SkipGramExamples {
    std::span<const Index> centres;
    std::span<const std::size_t> ends;  ///< per centre: where its targets end, and those of the next begin
    std::span<const SkipGramTarget> targets;
};

/// Targets whose products with the centre are computed before any of them changes.
inline constexpr std::size_t skip_gram_group = 16;

/// Ascends the log-likelihood of the labels, p(label 1) = sigmoid(<centre, target>). For one group of a
/// centre's targets after the other, with g = rate (label - p):
///     centre += sum of g target,      target += g centre
/// `centres` and `contexts` have the same number of columns and must not overlap.
void train_skip_gram(const SkipGramExamples& examples, const SigmoidTable& sigmoid, float rate,
                     MatrixView centres, MatrixView contexts);

}  // namespace hwgcn::cpu
