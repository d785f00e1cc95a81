#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/data/readers.hpp"

#include "data/label_encoder.hpp"
#include "data/name_index.hpp"

namespace hwgcn {

/// What a node table says.
struct NodeTable {
    NameIndex ids;
    EncodedLabels classes;
    CsrMatrix<float> features;
    std::vector<std::string> feature_names;
    std::vector<FeatureKind> feature_kinds;
    std::vector<ColumnUse> columns;  ///< what became of each
    std::vector<std::string> notes;
};

/// Reads a node table: a header line, then one node per record. Columns other than those of the ids and the
/// labels, as `files` names them, become features as FeatureColumns says.
NodeTable parse_node_table(std::string_view name, std::string_view text, const CsvFiles& files,
                           const ExecutionControl& control = {});

}  // namespace hwgcn
