#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "metrics/ranking.hpp"

namespace hwgcn {

/// Where the scores of the negatives lie among those of the positives, which is all that a ranking is judged
/// by. Sorts the positives only: n scores, p of them positive, take O(n log p) time and O(p) memory.
class RankedPositives {
  public:
    /// No score may be NaN.
    explicit RankedPositives(std::vector<float> positives);

    void add_negative(float score);

    bool has_both() const { return positives_ > 0 && negatives_ > 0; }

    double roc_auc() const;
    double average_precision() const;

    /// At most `most` points each, at least 2.
    std::vector<CurvePoint> roc(std::size_t most) const;
    std::vector<CurvePoint> precision_recall(std::size_t most) const;

  private:
    std::vector<float> scores_;         // of the positives, ascending, each once
    std::vector<std::int64_t> counts_;  // positives that have it
    std::vector<std::int64_t> equal_;   // negatives that have it
    std::vector<std::int64_t> below_;   // negatives between it and the score before; the last: above them all
    std::int64_t positives_ = 0;
    std::int64_t negatives_ = 0;
};

}  // namespace hwgcn
