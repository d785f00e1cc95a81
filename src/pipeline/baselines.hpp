#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hwgcn/pipeline/train_run.hpp"

namespace hwgcn {

/// The baselines for a graph, with published settings: "lp", and "linear" where there are features.
std::vector<MethodSettings> baseline_settings(const PreparedGraph& graph);

/// What a baseline has of the data: "the graph without the features".
std::string baseline_role(const std::string& method);

/// The same as the subject of what it shows: "the graph without the features says more".
std::string baseline_says_more(const std::string& method);

/// A sentence for each baseline that does better than the method, or as well: where the method has both graph
/// and features, half of them would have done. `own` and the baselines were judged on the same nodes, the
/// test nodes where there are any.
std::vector<std::string> baseline_remarks(const MethodSettings& method, const Metrics& own,
                                          const std::vector<Baseline>& baselines, bool tested);

/// Trains those that are not the method `beside` itself, and judges them on the same split.
std::vector<Baseline> evaluate_baselines(const PreparedGraph& graph, OperatorPool& operators,
                                         const std::string& beside, const Split& split, std::uint64_t seed,
                                         const ExecutionControl& control);

}  // namespace hwgcn
