#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/explanation/explain.hpp"
#include "hwgcn/metrics/statistics.hpp"

namespace hwgcn {

struct ImportanceOptions {
    int repeats = 5;    ///< permutations of each column
    int columns = 100;  ///< at most so many are permuted, those that the method weighs most
    std::uint64_t seed = 0;
    /// Fewer columns, where all would take more multiplications than this; 0: no limit.
    std::int64_t most_work = 0;
    ShownScores shown = {};  ///< of the run
};

/// What the predictions lose where a column of the features is no longer that of the node.
struct FeatureImportance {
    std::string name;
    std::vector<Index> features;  ///< those of one column of a table: its categories, and its mark of gaps
    std::vector<double> drops;    ///< of the score, per permutation
    SampleSummary summary;        ///< of these
};

struct FeatureImportances {
    std::string on;      ///< "test" or "validation": the nodes that judge
    Index nodes = 0;     ///< of these
    std::string metric;  ///< what the run selected by: "accuracy", "ROC AUC"; accuracy where it was loss
    double score = 0;    ///< with the features as they are; a share
    int repeats = 0;
    Index columns_in_all = 0;
    std::vector<FeatureImportance> columns;  ///< largest mean drops first
    std::vector<std::string> notes;          ///< what was left out
};

/// Why a run has no importances: a method without features, or no label that was held out; else "".
std::string why_no_importances(const PreparedGraph& graph, const MethodSettings& settings,
                               const Split& split);

/// Permutation importances (Breiman 2001): each column, as the method gets it after scaling, is permuted
/// among all nodes of the graph, and the score on the test nodes (without any, on the validation nodes)
/// compared with that before. Model and operator stay as they are. The same at any number of threads. Throws
/// InputError where `why_no_importances` says something.
FeatureImportances measure_importances(const PreparedGraph& graph, const Propagation& propagation,
                                       const MethodSettings& settings,
                                       std::span<const TrainableMatrix> parameters, const Split& split,
                                       const ImportanceOptions& options, const ExecutionControl& control);

/// The same for what the members of a run predict together.
std::string why_no_importances(const PreparedGraph& graph, std::span<const Member> members,
                               const Split& split);
FeatureImportances measure_importances(const PreparedGraph& graph, const OperatorSource& operators,
                                       std::span<const Member> members, const Split& split,
                                       const ImportanceOptions& options, const ExecutionControl& control);

}  // namespace hwgcn
