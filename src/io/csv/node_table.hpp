#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/io/readers.hpp"

#include "io/csv/csv_table.hpp"
#include "io/csv/label_encoder.hpp"
#include "io/name_index.hpp"

namespace hwgcn {

/// What a node table says.
struct NodeTable {
    NameIndex ids;
    EncodedLabels classes;
    CsrMatrix<float> features;
    std::vector<std::string> feature_names;
    std::vector<FeatureKind> feature_kinds;
    std::vector<TableColumn> columns;
    std::vector<std::string> notes;
};

/// The columns of a node table that are no features.
struct NodeColumns {
    std::size_t id = 0;
    std::optional<std::size_t> label;
    std::vector<std::string> names;  ///< of all columns

    std::vector<std::size_t> taken() const;
};

/// Moves `table`, at its beginning, to the header line.
NodeColumns read_node_header(CsvTable& table, const CsvFiles& files);

/// The id of a record. Throws InputError where it is empty.
std::string_view id_of_record(const CsvTable& record, const NodeColumns& columns);

/// Adds a note for each column that may hold labels, too, and is a feature.
void note_other_labels(std::string_view name, const NodeColumns& columns, const CsvFiles& files,
                       std::vector<std::string>& notes);

/// Reads a node table: a header line, then one node per record. Columns other than those of the ids and the
/// labels, as `files` names them, become features as FeatureColumns says.
NodeTable parse_node_table(std::string_view name, std::string_view text, const CsvFiles& files,
                           const ExecutionControl& control = {});

}  // namespace hwgcn
