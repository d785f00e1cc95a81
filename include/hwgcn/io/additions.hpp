#pragma once

#include <filesystem>
#include <string>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/dataset/feature_scaling.hpp"

namespace hwgcn {

/// Nodes and edges that came after a model was trained: tables of additions only.
struct AddedFiles {
    std::filesystem::path nodes;     ///< a header; an id per line and the columns of features, in any order
    std::filesystem::path edges;     ///< between any two nodes, new or old
    std::filesystem::path features;  ///< in long form: node id, feature, and its value or 1
    std::string id_column;           ///< of `nodes`; empty: as in the dataset, or "id", or the first
    std::string label_column;        ///< of `nodes`; empty: "label" or "class". Labels are not used
    std::string source_column;       ///< of `edges`; empty: as in the dataset, or usual names, or the first
    std::string target_column;       ///< the same; or the second
    std::string weight_column;       ///< of `edges`; empty: as in the dataset, or "weight"

    bool any() const { return !nodes.empty() || !edges.empty() || !features.empty(); }
};

/// The dataset with new nodes behind the old ones. Nothing is fitted again: a column of numbers goes to the
/// feature of its name (or of its number, where features have no names), a column `city` of words to the
/// features `city=..`. Ends of edges and weights have the names that they have in the dataset; where edges
/// have directions, another header is refused unless its names say which end is which. Missing columns,
/// unknown ones and unknown words are told in the notes, of which the result has the new ones only. Throws
/// InputError, with file and line, for an id that is known already, an edge to a node that is not, and what
/// is no number.
Dataset with_additions(Dataset dataset, const AddedFiles& files, const FeatureScaling& scaling,
                       const ExecutionControl& control = {});

}  // namespace hwgcn
