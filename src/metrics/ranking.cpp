#include "metrics/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/dataset/split.hpp"

#include "metrics/ranked_positives.hpp"

namespace hwgcn {
namespace {

RankedPositives ranked(std::span<const float> scores, std::span<const char> positive) {
    if (scores.size() != positive.size()) {
        throw InputError(fmt::format("ranking: expected a mark for each of the {} scores, got {}",
                                     scores.size(), positive.size()));
    }
    std::vector<float> positives;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (std::isnan(scores[i]))
            throw InputError(fmt::format("ranking: expected a number as score {}, got nan", i));
        if (positive[i] != 0) positives.push_back(scores[i]);
    }
    RankedPositives result(std::move(positives));
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (positive[i] == 0) result.add_negative(scores[i]);
    }
    return result;
}

}  // namespace

double roc_auc(std::span<const float> scores, std::span<const char> positive) {
    return ranked(scores, positive).roc_auc();
}

double average_precision(std::span<const float> scores, std::span<const char> positive) {
    return ranked(scores, positive).average_precision();
}

Index rarer_class(std::span<const Index> labels, std::span<const Index> nodes, Index classes) {
    if (classes != 2) return -1;
    const auto first = std::ranges::count_if(nodes, [&](Index node) { return labels[node] == 0; });
    const auto second = std::ranges::count_if(nodes, [&](Index node) { return labels[node] == 1; });
    return first < second ? 0 : 1;
}

Index positive_class(const Dataset& dataset, const Split& split) {
    std::vector<Index> known = split.train;
    known.insert(known.end(), split.validation.begin(), split.validation.end());
    return rarer_class(dataset.labels, known, dataset.classes());
}

}  // namespace hwgcn
