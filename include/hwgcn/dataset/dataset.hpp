#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hwgcn/dataset/split.hpp"
#include "hwgcn/tensor/csr_matrix.hpp"

namespace hwgcn {

struct FeatureScaling;

/// A connection as it stands in the source: any direction, possibly repeated, possibly a loop.
struct Edge {
    Index from;
    Index to;

    friend bool operator==(const Edge&, const Edge&) = default;
};

/// Label of a node whose class is not known.
inline constexpr Index unlabelled = -1;

/// What the numbers of a feature are: it decides how they are scaled.
enum class FeatureKind : std::uint8_t {
    unknown,   ///< decided by the numbers
    word,      ///< a count or a frequency among others: what it is worth depends on the others in its row
    category,  ///< 0 or 1, of a column with a few different texts
    number,    ///< a measured number: age, income
    column,    ///< decided by the numbers; of a named column, for which its logarithm may stand
};

/// How features are scaled before anything is learned from them.
enum class Scale : std::uint8_t {
    automatic,  ///< by the data: words and categories by `rows`, everything else by `standard`
    rows,       ///< each row divided by its sum
    standard,   ///< each column to mean 0 and deviation 1
    unit,       ///< each column to 0..1
    none,       ///< as they are
};

/// What a column of a node table is for.
enum class ColumnRole : std::uint8_t {
    id,
    label,
    feature,
    left_out,  ///< its cells name nodes rather than describe them
    ignored,   ///< as the caller wants it
};

/// What the cells of a column are.
enum class ColumnKind : std::uint8_t {
    text,      ///< not interpreted: ids and names
    number,    ///< a feature
    category,  ///< a feature for each category
    range,     ///< numbers of which each range is a class
};

/// A column of a table, and the features that were made from it.
struct TableColumn {
    std::string name;
    ColumnRole role = ColumnRole::feature;
    ColumnKind kind = ColumnKind::text;
    std::int64_t different = 0;  ///< classes of a label; what is different in a column that is left out
    std::int64_t filled = 0;     ///< cells of a feature
    std::int64_t empty = 0;
    float least = 0;  ///< of the numbers
    float largest = 0;
    std::vector<std::string> categories = {};  ///< of a feature
    Index first_feature = 0;
    bool logarithms = false;  ///< stand for the numbers
};

/// What a reader makes of its files, before any interpretation: nodes are numbered 0..nodes-1 inside
/// and carry their original names in `node_ids`. Every field is checked by `validate_dataset`.
struct Dataset {
    std::string name;    ///< for people: "cora"
    std::string source;  ///< where it came from: a path or "built-in"
    Index nodes = 0;
    std::vector<Edge> edges;                 ///< as read
    std::vector<float> edge_weights;         ///< per edge, finite, not negative; empty: every edge weighs 1
    bool directed = false;                   ///< whether `edges` lead from one end to the other
    CsrMatrix<float> features;               ///< nodes x features; NaN: missing; 0 columns: no features
    std::vector<FeatureKind> feature_kinds;  ///< per feature; empty: all unknown
    Scale scale = Scale::automatic;          ///< how the features are to be scaled
    std::vector<Index> labels;               ///< per node: class or `unlabelled`
    std::vector<std::string> class_names;    ///< per class
    std::vector<std::string> node_ids;       ///< per node; empty: the ids are 0..nodes-1
    std::vector<std::string> feature_names;  ///< per feature; empty: no names are known
    std::optional<Split> published_split;    ///< the split that comes with the data (Planetoid)
    std::vector<TableColumn> columns;        ///< of the node table; of other data those of categories
    std::vector<std::string> edge_columns;  ///< of an edge list with a header: source, target, perhaps weight
    std::vector<std::string> notes;         ///< what the reader noticed and the user should know

    // What is known of data that lie in shards; see `forget_content`.
    NodeBlocks blocks;                                     ///< no bounds: the nodes are not cut
    std::shared_ptr<const FeatureScaling> fitted_scaling;  ///< null: fitted when it is needed
    double weight_unit = 0;                                ///< mean weight of an edge; 0: computed
    std::string content;  ///< SHA-256 (hex) that stands for edges, features and scale; empty: unknown

    Index classes() const { return static_cast<Index>(class_names.size()); }
};

/// Throws InputError, starting with `source`, unless there is a node, sizes agree, node ids are distinct,
/// labels and edge ends are in range and every feature value is finite and not negative.
void validate_dataset(const Dataset& dataset);

/// Another scale than that of the data; what was fitted for the old one is forgotten.
void set_scale(Dataset& dataset, Scale scale);

/// Every edge weighs 1.
void drop_weights(Dataset& dataset);

/// For whatever changes edges or features: what is known of the shards that they were read from no longer
/// holds.
void forget_content(Dataset& dataset);

/// The original id of a node.
std::string node_id(const Dataset& dataset, Index node);

}  // namespace hwgcn
