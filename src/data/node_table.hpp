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
};

/// Reads a node table: a header line, then one node per record. Every column but those of the ids and the
/// labels, as `files` names them, is a feature.
NodeTable parse_node_table(std::string_view name, std::string_view text, const CsvFiles& files);

}  // namespace hwgcn
