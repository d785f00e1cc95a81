#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"

#include "io/csv/reading_hints.hpp"

namespace hwgcn {

/// Features in long form.
struct FeatureList {
    CsrMatrix<float> features;  ///< a row per node
    std::vector<std::string> names;
};

/// Moves `table`, at its beginning, to the first record, and checks its columns.
void read_feature_head(CsvTable& table);

/// Whether the first record is a header; `known` says whether its id is one of a node.
bool is_feature_header(const CsvTable& first, bool known);

/// The feature that a record names, and its value. Throws InputError where there is none.
std::string_view feature_named(const CsvTable& record);
float feature_value(const CsvTable& record);

/// Reads one feature of one node per line: node id, name of the feature and, where there is a third column,
/// its value (else 1). A header is recognised: a first line whose id is unknown and whose value is no number.
/// Values of the same node and feature are added up.
FeatureList parse_feature_list(std::string_view name, std::string_view text, const KnownNodes& nodes);

/// The features of `right` behind those of `left`.
CsrMatrix<float> side_by_side(const CsrMatrix<float>& left, const CsrMatrix<float>& right);

}  // namespace hwgcn
