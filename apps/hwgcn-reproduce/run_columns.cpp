#include "run_columns.hpp"

#include <fmt/format.h>

#include "run_statistics.hpp"

namespace hwgcn::experiments {

std::string runs_text(int runs, int asked) {
    return runs < asked ? fmt::format("{} of {}", runs, asked) : fmt::to_string(runs);
}

std::string accuracy_text(const SampleSummary& accuracy) {
    if (accuracy.count == 0) return "–";
    return accuracy.count == 1 ? fmt::format("{:.2f}", accuracy.mean)
                               : fmt::format("{:.2f} ± {:.2f}", accuracy.mean, accuracy.std);
}

std::string seconds_text(const MethodResult& result) {
    const std::optional<double> seconds = usual_seconds(result);
    if (!seconds) return "–";
    return *seconds < 10 ? fmt::format("{:.1f}", *seconds) : fmt::format("{:.0f}", *seconds);
}

std::string memory_text(const MethodResult& result) {
    const std::optional<double> peak = least_peak_mb(result);
    return peak ? fmt::format("{:.0f}", *peak) : "–";
}

std::string cost_columns_text() {
    return "\"Seconds\" is the median wall time of a run, without learning the weights: on one thread, as\n"
           "long as several runs are left. \"MB\" is the least peak memory of the processes that did such\n"
           "runs: graph, operator and run, and at most what they had trained before.\n";
}

}  // namespace hwgcn::experiments
