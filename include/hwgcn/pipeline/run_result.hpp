#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hwgcn/choice/choose_method.hpp"
#include "hwgcn/metrics/metric_info.hpp"
#include "hwgcn/models/baselines.hpp"

namespace hwgcn {

/// What a training is measured as, wherever it is kept or shown. Shares, not percent. A file has the numbers
/// of the metrics (numbers_of); a journal those of the test nodes and two of the validation nodes.
struct RunResult {
    std::uint64_t seed = 0;  ///< of its split and its parameters
    Metrics train = {};
    Metrics validation = {};  ///< at the selected epoch
    Metrics test = {};
    double raw_ece = 0;  ///< on the test nodes, without calibration
    int epochs = 0;      ///< 0 for methods without epochs, and so those below
    int best_epoch = 0;
    int alternative_epoch = 0;                        ///< by the other rule of selection
    std::optional<double> alternative_accuracy = {};  ///< on the test nodes then
    double seconds = 0;                    ///< of wall time, on the threads it had; without the operator
    std::optional<double> peak_mb = {};    ///< of the process so far; nothing where it is not known
    std::string chosen = {};               ///< what an automatic method chose; empty for others
    std::vector<Baseline> baselines = {};  ///< on the same split; empty where they were not wanted
    std::vector<std::string> notes = {};   ///< what the user should know; files do not have them
    std::vector<Metric> unknown = {};      ///< of the test nodes, in a journal of an earlier version

    /// False where the test nodes were measured by a version that did not know the metric.
    bool has(Metric metric) const { return std::ranges::find(unknown, metric) == unknown.end(); }

    /// By the names that files have for the lists of a split.
    std::array<std::pair<const char*, const Metrics*>, 3> parts() const {
        return {{{"train", &train}, {"validation", &validation}, {"test", &test}}};
    }
};

/// Without what only a single run shows.
RunResult numbers_of(RunResult result);

/// The nodes that a run is judged by: those of the test; without any, of validation; without these, the
/// labels that an automatic choice held out.
struct Judged {
    const Metrics* metrics = nullptr;  ///< null: there are none
    const char* nodes = "";            ///< "test nodes"
};
Judged judged_by(const RunResult& result, const std::optional<Choice>& choice);

}  // namespace hwgcn
