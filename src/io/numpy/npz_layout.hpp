#pragma once

namespace hwgcn::npz_layout {

// The names of the arrays of a dataset. The matrices and the labels are those of PyG and gnn-benchmark, and
// so are class_names, node_names and attr_names; the published split is an addition, and so are the kinds of
// features, which are there where some come from named columns of a table.
inline constexpr char adjacency[] = "adj_";  // + data, indices, indptr, shape
inline constexpr char features[] = "attr_";
inline constexpr char dense_features[] = "attr_matrix";
inline constexpr char labels[] = "labels";
inline constexpr char class_names[] = "class_names";
inline constexpr char node_names[] = "node_names";
inline constexpr char feature_names[] = "attr_names";
inline constexpr char feature_kinds[] = "attr_kinds";
inline constexpr char split_name[] = "split_name";
inline constexpr char split_train[] = "split_train";
inline constexpr char split_validation[] = "split_validation";
inline constexpr char split_test[] = "split_test";

}  // namespace hwgcn::npz_layout
