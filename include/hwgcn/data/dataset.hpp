#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hwgcn/data/split.hpp"
#include "hwgcn/linalg/csr_matrix.hpp"

namespace hwgcn {

/// A connection as it stands in the source: any direction, possibly repeated, possibly a loop.
struct Edge {
    Index from;
    Index to;

    friend bool operator==(const Edge&, const Edge&) = default;
};

/// Label of a node whose class is not known.
inline constexpr Index unlabelled = -1;

/// What became of a column of a node table: "2 categories", "numbers from 20 to 45, scaled to 0..1".
struct ColumnUse {
    std::string name;
    std::string use;
};

/// What a reader makes of its files, before any interpretation: nodes are numbered 0..nodes-1 inside
/// and carry their original names in `node_ids`. Every field is checked by `validate_dataset`.
struct Dataset {
    std::string name;    ///< for people: "cora"
    std::string source;  ///< where it came from: a path or "built-in"
    Index nodes = 0;
    std::vector<Edge> edges;                 ///< as read
    CsrMatrix<float> features;               ///< nodes x features, non-negative; 0 columns: no features
    std::vector<Index> labels;               ///< per node: class or `unlabelled`
    std::vector<std::string> class_names;    ///< per class
    std::vector<std::string> node_ids;       ///< per node; empty: the ids are 0..nodes-1
    std::vector<std::string> feature_names;  ///< per feature; empty: no names are known
    std::optional<Split> published_split;    ///< the split that comes with the data (Planetoid)
    std::vector<ColumnUse> columns;          ///< of the node table, where there is one
    std::vector<std::string> notes;          ///< what the reader noticed and the user should know

    Index classes() const { return static_cast<Index>(class_names.size()); }
};

/// Throws InputError, starting with `source`, unless there is a node, sizes agree, node ids are distinct,
/// labels and edge ends are in range and every feature value is finite and not negative.
void validate_dataset(const Dataset& dataset);

/// The original id of a node.
std::string node_id(const Dataset& dataset, Index node);

}  // namespace hwgcn
