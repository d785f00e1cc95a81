#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hwgcn/evaluation/evaluate.hpp"
#include "hwgcn/explanation/explain.hpp"
#include "hwgcn/explanation/feature_importance.hpp"
#include "hwgcn/runs/run_folder.hpp"
#include "hwgcn/weights/learn_weights.hpp"

namespace hwgcn {

/// A trained run with all that the page shows of it.
struct RunForReport {
    const RunManifest& manifest;
    const PreparedGraph& graph;
    const Split& split;
    ConstMatrixView probabilities;  ///< of all nodes, without class weights and without the temperature
    const std::vector<EpochRecord>& history;
    const LearnedWeights& weights;  ///< of `method_of_weights`; without orders for methods that use none
    const Explainer* explainer = nullptr;  ///< null for methods that are no network
    /// The method with 1, 2, .. orders, if that was measured, on the split of the run.
    std::vector<MethodResult> orders = {};
    std::string feature_text = {};  ///< a sentence on how the features were scaled; empty: none
    const FeatureImportances* importances = nullptr;
    std::string no_importances = {};  ///< why there are none
};

/// The method whose learned weights a page shows: that of the run, and of an average the one that has the
/// most orders.
MethodSettings method_of_weights(const RunManifest& manifest);

/// What a report carries of a graph: enough to look around, not more than a browser opens at once.
struct ExplorerLimits {
    Index all_nodes = 20'000;                  ///< a graph of so many nodes comes whole,
    Index nodes_of_larger = 5'000;             ///< a larger one with so many nodes to look at
    int neighbors = 60;                        ///< per node, the heaviest, the same number of each ring
    std::int64_t share_cost = 20'000'000'000;  ///< as many nodes get shares as this pays for
    std::optional<Index> shares = {};          ///< or so many
};

/// The parts of a page, each one JSON text.
struct ReportPage {
    std::string title;
    std::string run = "null";
    std::vector<std::string> results = {};
    std::map<std::string, std::string> result_data =
        {};                               ///< by file: the hash of their data, where it is known
    std::vector<std::string> notes = {};  ///< what was left out, and why
};

/// Adds the run, after the results. With `control` its shares are computed in parallel, and can be
/// stopped.
void add_run(ReportPage& page, const RunForReport& run, const ExecutionControl& control,
             const ExplorerLimits& limits = {});

/// Adds a result of `hwgcn evaluate` or `hwgcn reproduce`, the text of its JSON file. Throws InputError that
/// names `file` where it is none.
void add_result(ReportPage& page, const std::string& file, const std::string& text);

/// The page: one HTML file that asks nobody for anything.
std::string report_html(const ReportPage& page);

}  // namespace hwgcn
