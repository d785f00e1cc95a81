#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"

#include "io/csv/node_search.hpp"
#include "io/csv/table_source.hpp"

namespace hwgcn {

/// Features in long form.
struct FeatureList {
    CsrMatrix<float> features;  ///< a row per node
    std::vector<std::string> names;
};

/// The same as it is read: by node, in the order of the file.
struct ListedFeatures {
    std::vector<Triplet<float>> entries;
    std::vector<std::string> names;
};
ListedFeatures read_listed_features(TableSource& text, NodeSearch& nodes);

/// Reads one feature of one node per line: node id, name of the feature and, where there is a third column,
/// its value (else 1). A header is recognised: a first line whose id is unknown and whose value is no number.
/// Values of the same node and feature are added up.
FeatureList parse_feature_list(std::string_view name, std::string_view text, const KnownNodes& nodes);

/// The features of `right` behind those of `left`.
CsrMatrix<float> side_by_side(const CsrMatrix<float>& left, const CsrMatrix<float>& right);

}  // namespace hwgcn
