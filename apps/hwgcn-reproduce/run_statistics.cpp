#include "run_statistics.hpp"

#include <algorithm>
#include <cmath>

namespace hwgcn::experiments {
namespace {

const RunResult* run_with(const MethodResult& result, std::uint64_t seed) {
    const auto found = std::ranges::find(result.runs, seed, &RunResult::seed);
    return found == result.runs.end() ? nullptr : &*found;
}

bool is_preferred(const RunResult& run, const RunResult& to) {
    if (run.validation.accuracy != to.validation.accuracy)
        return run.validation.accuracy > to.validation.accuracy;
    return run.validation.nll < to.validation.nll;  // not where one of them is unknown
}

// The number of the variant that validation prefers; nothing where one has no such run.
std::optional<std::size_t> preferred(const std::vector<MethodResult>& variants, std::uint64_t seed) {
    std::size_t best = 0;
    for (std::size_t v = 0; v < variants.size(); ++v) {
        const RunResult* run = run_with(variants[v], seed);
        if (run == nullptr) return std::nullopt;
        if (is_preferred(*run, *run_with(variants[best], seed))) best = v;
    }
    return best;
}

}  // namespace

SharedRuns shared_runs(const MethodResult& result, const MethodResult& other) {
    SharedRuns shared;
    for (const RunResult& run : result.runs) {
        const RunResult* pair = run_with(other, run.seed);
        if (pair == nullptr) continue;
        shared.ours.push_back(100.0 * run.test.accuracy);
        shared.other.push_back(100.0 * pair->test.accuracy);
    }
    return shared;
}

std::optional<double> usual_seconds(const MethodResult& result) {
    if (result.runs.empty()) return std::nullopt;
    std::vector<double> seconds;
    for (const RunResult& run : result.runs)
        seconds.push_back(run.seconds);
    std::ranges::sort(seconds);
    const std::size_t half = seconds.size() / 2;
    return seconds.size() % 2 == 1 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
}

std::optional<double> least_peak_mb(const MethodResult& result) {
    std::optional<double> least;
    for (const RunResult& run : result.runs) {
        if (run.peak_mb && (!least || *run.peak_mb < *least)) least = run.peak_mb;
    }
    return least;
}

std::optional<MeanDifference> compare_means(const SampleSummary& a, const SampleSummary& b) {
    if (a.count < 2 || b.count < 2) return std::nullopt;
    const double of_a = a.std * a.std / a.count;  // squared standard errors of the means
    const double of_b = b.std * b.std / b.count;
    const double both = of_a + of_b;
    if (both == 0) return MeanDifference{a.mean - b.mean, 0};
    const double degrees = both * both / (of_a * of_a / (a.count - 1) + of_b * of_b / (b.count - 1));
    return MeanDifference{a.mean - b.mean, student_quantile(0.95, degrees) * std::sqrt(both)};
}

MethodResult chosen_by_validation(const std::vector<MethodResult>& variants) {
    MethodResult chosen = variants.front();
    chosen.runs.clear();
    chosen.paired.reset();
    for (const RunResult& first : variants.front().runs) {
        const std::optional<std::size_t> best = preferred(variants, first.seed);
        if (!best) continue;
        RunResult& run = chosen.runs.emplace_back(*run_with(variants[*best], first.seed));
        run.chosen = name_of(variants[*best].method);
        run.seconds = 0;
        for (const MethodResult& variant : variants)
            run.seconds += run_with(variant, first.seed)->seconds;
    }
    return chosen;
}

std::vector<bool> ever_chosen(const std::vector<MethodResult>& variants, std::uint64_t first_seed,
                              int count) {
    std::vector<bool> chosen(variants.size(), false);
    for (int run = 0; run < count; ++run) {
        const auto best = preferred(variants, first_seed + static_cast<std::uint64_t>(run));
        if (!best) return std::vector<bool>(variants.size(), true);
        chosen[*best] = true;
    }
    return chosen;
}

}  // namespace hwgcn::experiments
