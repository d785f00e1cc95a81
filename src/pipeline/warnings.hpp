#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/pipeline/train_run.hpp"

namespace hwgcn {

/// A sentence where the features, normalised rows, hardly tell the nodes apart.
std::vector<std::string> warnings_about_features(const CsrMatrix<float>& features);

/// What may be wrong with features, labels and graph, in a sentence each. Test labels are not looked at.
std::vector<std::string> warnings_about_data(const PreparedGraph& graph, const Split& split,
                                             const ExecutionControl& control);

/// A sentence where features give the labels away, so that one may doubt that they are known before these: a
/// column that ranks the nodes of a class above (or below) nearly all others, or else a logistic regression
/// on the features that does on labels it has not seen. It names the columns. Looks at training and
/// validation labels only, and says nothing of few.
std::vector<std::string> columns_that_tell(const PreparedGraph& graph, const Split& split,
                                           const ExecutionControl& control);

/// Which of the methods leave out the weights or the directions that the edges have, in a sentence each.
std::vector<std::string> unused_of_edges(const PreparedGraph& graph, std::span<const AskedMethod> methods);

/// Throws InputError, naming what to do, where a threshold is asked for that the data do not allow: with
/// other than two classes, or a fitted one without validation nodes or an automatic choice's held-out nodes.
void expect_threshold(const MeasuredLabels& labels, const AskedMethod& method);

/// How many nodes a run predicts as each class.
std::vector<std::int64_t> predicted_counts(const TrainedRun& run);

/// What makes a result less than it looks, in a sentence each: classes that are hardly ever predicted, and
/// results that the commonest class alone would have. With the options that may help. `predicted` counts all
/// nodes of the dataset, whoever has them.
std::vector<std::string> warnings_about_result(const Dataset& dataset, const Split& split,
                                               const TrainedRun& run,
                                               const std::vector<std::int64_t>& predicted);

/// Whether it is neither a benchmark with a published split nor built-in.
bool is_own_data(const Dataset& dataset);

}  // namespace hwgcn
