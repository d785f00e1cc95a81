#include "choice/expected_accuracy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random_stream.hpp"

namespace hwgcn {
namespace {

// Nodes and how often each counts.
struct Sample {
    std::vector<double> weight;
    double count = 0;
};

double mean_of(const std::vector<float>& values, const Sample& sample) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
        sum += sample.weight[i] * static_cast<double>(values[i]);
    return sum / sample.count;
}

// Whether the accuracy of `one` is behind that of `best` by at most so many standard errors of the paired
// difference.
bool is_equal_on(const Sample& sample, const HeldOutAnswers& best, const HeldOutAnswers& one,
                 double equal_within) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < best.right.size(); ++i) {
        const double difference = static_cast<double>(best.right[i]) - static_cast<double>(one.right[i]);
        sum += sample.weight[i] * difference;
        squares += sample.weight[i] * difference * difference;
    }
    const double mean = sum / sample.count;
    const double error = std::sqrt(std::max(0.0, squares / sample.count - mean * mean) / sample.count);
    return mean <= equal_within * error;
}

std::size_t chosen_on(const Sample& sample, std::span<const HeldOutAnswers> candidates,
                      const ChoiceRule& rule) {
    std::vector<double> accuracy, loss;
    for (const HeldOutAnswers& one : candidates) {
        accuracy.push_back(mean_of(one.right, sample));
        loss.push_back(rule.loss_decides ? mean_of(one.loss, sample) : 0);
    }
    const auto best = static_cast<std::size_t>(std::ranges::max_element(accuracy) - accuracy.begin());
    std::size_t chosen = best;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
        if (!is_equal_on(sample, candidates[best], candidates[c], rule.equal_within)) continue;
        if (!rule.loss_decides) return c;
        if (loss[c] < loss[chosen]) chosen = c;
    }
    return chosen;
}

}  // namespace

double optimism_of_choice(std::span<const HeldOutAnswers> candidates, const ChoiceRule& rule,
                          std::uint64_t seed) {
    if (candidates.size() < 2) return 0;
    const std::size_t nodes = candidates.front().right.size();
    // As many draws as make 20 million answers, but enough for a mean: its error is then a tenth of the
    // accuracy's, or less.
    const std::size_t draws = std::clamp<std::size_t>(20'000'000 / (nodes * candidates.size()), 100, 400);
    Sample all{std::vector<double>(nodes, 1.0), static_cast<double>(nodes)};
    std::vector<double> accuracy;
    for (const HeldOutAnswers& one : candidates)
        accuracy.push_back(mean_of(one.right, all));
    RandomStream random(seed, stream_for(StreamPurpose::resamples, 0));
    double sum = 0;
    for (std::size_t draw = 0; draw < draws; ++draw) {
        Sample sample{std::vector<double>(nodes), static_cast<double>(nodes)};
        for (std::size_t i = 0; i < nodes; ++i)
            ++sample.weight[random.below(nodes)];
        const std::size_t chosen = chosen_on(sample, candidates, rule);
        sum += mean_of(candidates[chosen].right, sample) - accuracy[chosen];
    }
    return std::max(0.0, sum / static_cast<double>(draws));
}

ShareInterval expected_accuracy(std::span<const HeldOutAnswers> candidates, std::size_t chosen,
                                const ChoiceRule& rule, std::uint64_t seed) {
    const std::vector<float>& right = candidates[chosen].right;
    const double share = std::accumulate(right.begin(), right.end(), 0.0) / static_cast<double>(right.size());
    const double expected = std::max(0.0, share - optimism_of_choice(candidates, rule, seed));
    const double nodes = static_cast<double>(right.size()) * (rule.cross_fitted ? 0.75 : 1.0);
    const auto count = std::max<std::int64_t>(1, std::llround(nodes));
    return {share_interval(expected, count).low, share_interval(share, count).high};
}

}  // namespace hwgcn
