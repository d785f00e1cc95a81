#include "metrics/ranked_positives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hwgcn {
namespace {

double share(std::int64_t part, std::int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
}

double step(const CurvePoint& from, const CurvePoint& to) {
    return std::abs(to.x - from.x) + std::abs(to.y - from.y);
}

// The first and the last point, and those in between that are about equally far apart along the curve.
std::vector<CurvePoint> thinned(const std::vector<CurvePoint>& points, std::size_t most) {
    if (points.size() <= most) return points;
    double length = 0;
    for (std::size_t i = 1; i < points.size(); ++i)
        length += step(points[i - 1], points[i]);
    const double pieces = static_cast<double>(most) - 1;
    std::vector<CurvePoint> kept = {points.front()};
    double walked = 0;
    for (std::size_t i = 1; i + 1 < points.size() && kept.size() + 1 < most; ++i) {
        walked += step(points[i - 1], points[i]);
        if (walked * pieces >= length * static_cast<double>(kept.size())) kept.push_back(points[i]);
    }
    kept.push_back(points.back());
    return kept;
}

}  // namespace

RankedPositives::RankedPositives(std::vector<float> positives) : scores_(std::move(positives)) {
    positives_ = static_cast<std::int64_t>(scores_.size());
    std::sort(scores_.begin(), scores_.end());
    std::size_t distinct = 0;
    for (std::size_t i = 0; i < scores_.size(); ++i) {
        if (i == 0 || scores_[i] != scores_[distinct - 1]) {
            scores_[distinct++] = scores_[i];
            counts_.push_back(0);
        }
        ++counts_.back();
    }
    scores_.resize(distinct);
    equal_.assign(distinct, 0);
    below_.assign(distinct + 1, 0);
}

void RankedPositives::add_negative(float score) {
    const auto place =
        static_cast<std::size_t>(std::lower_bound(scores_.begin(), scores_.end(), score) - scores_.begin());
    const bool ties = place < scores_.size() && scores_[place] == score;
    ++(ties ? equal_ : below_)[place];
    ++negatives_;
}

// Counts pairs in halves, as whole numbers: 2 for each negative below a positive, 1 for a
// tie. 2^31 positives and as many negatives still fit.
double RankedPositives::roc_auc() const {
    if (!has_both()) return std::numeric_limits<double>::quiet_NaN();
    std::uint64_t halves = 0;
    std::int64_t lower = 0;
    for (std::size_t k = 0; k < scores_.size(); ++k) {
        lower += below_[k];
        halves += static_cast<std::uint64_t>(counts_[k]) * static_cast<std::uint64_t>(2 * lower + equal_[k]);
        lower += equal_[k];
    }
    return static_cast<double>(halves) /
           (2.0 * static_cast<double>(positives_) * static_cast<double>(negatives_));
}

// The sum over thresholds of (recall gained) * precision; recall grows at scores of positives only.
double RankedPositives::average_precision() const {
    if (positives_ == 0) return std::numeric_limits<double>::quiet_NaN();
    double sum = 0;
    std::int64_t hits = 0, others = 0;
    for (std::size_t k = scores_.size(); k-- > 0;) {
        others += below_[k + 1] + equal_[k];
        hits += counts_[k];
        sum += static_cast<double>(counts_[k]) * share(hits, hits + others);
    }
    return sum / static_cast<double>(positives_);
}

std::vector<CurvePoint> RankedPositives::roc(std::size_t most) const {
    if (!has_both()) return {};
    std::vector<CurvePoint> points = {{0, 0}};
    std::int64_t hits = 0, others = 0;
    const auto add = [&] { points.push_back({share(others, negatives_), share(hits, positives_)}); };
    for (std::size_t k = scores_.size(); k-- > 0;) {
        others += below_[k + 1];
        if (below_[k + 1] > 0) add();  // to the right, without a positive
        hits += counts_[k];
        others += equal_[k];
        add();
    }
    others += below_[0];
    if (below_[0] > 0) add();
    return thinned(points, most);
}

std::vector<CurvePoint> RankedPositives::precision_recall(std::size_t most) const {
    std::vector<CurvePoint> points;
    std::int64_t hits = 0, others = 0;
    for (std::size_t k = scores_.size(); k-- > 0;) {
        others += below_[k + 1] + equal_[k];
        hits += counts_[k];
        points.push_back({share(hits, positives_), share(hits, hits + others)});
    }
    return thinned(points, most);
}

}  // namespace hwgcn
