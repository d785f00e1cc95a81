#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hwgcn/io/readers.hpp"

#include "io/csv/feature_columns.hpp"
#include "io/csv/label_column.hpp"
#include "io/csv/table_source.hpp"
#include "io/name_index.hpp"

namespace hwgcn {

/// What a node table says of its nodes, but for their ids and features.
struct NodeFacts {
    EncodedLabels classes;
    std::vector<std::string> feature_names;
    std::vector<FeatureKind> feature_kinds;
    std::vector<TableColumn> columns;
    std::vector<std::string> notes;
};

/// What a node table says.
struct NodeTable : NodeFacts {
    NameIndex ids;
    CsrMatrix<float> features;
};

/// The columns of a node table that are no features.
struct NodeColumns {
    std::size_t id = 0;
    std::optional<std::size_t> label;
    std::vector<std::string> names;  ///< of all columns

    std::vector<std::size_t> taken() const;
};

/// Numbers the nodes of a node table, a record each. Several readers call everything together but `add`.
class NodeNumbers {
  public:
    NodeNumbers() = default;
    NodeNumbers(const NodeNumbers&) = delete;
    NodeNumbers& operator=(const NodeNumbers&) = delete;
    virtual ~NodeNumbers() = default;

    virtual void add(const CsvTable& record, std::string_view id) = 0;
    virtual void end_piece() = 0;

    /// How many there are. It, or `add`, throws InputError where an id is given twice.
    virtual std::int64_t finish(const CsvTable& head) = 0;
};

/// The records of a node table: a header line, then one node per record. Columns other than those of the ids
/// and the labels, as `files` names them, become features as FeatureColumns says. They are read twice: only
/// at the end it is known what the columns are.
class NodeRecords {
  public:
    /// Reads the header.
    NodeRecords(TableSource& text, const CsvFiles& files);

    const NodeColumns& columns() const { return columns_; }
    NodeFacts read(NodeNumbers& numbers);

    /// Then: calls use(row) for the features of each record, a matrix of one row.
    void read_features(
        const std::function<void(const CsrMatrix<float>&)>& use,
        const std::function<void()>& end_piece = [] {});

  private:
    void list_columns(const LabelColumn& labels, NodeFacts& nodes) const;

    TableSource& text_;
    const CsvFiles& files_;
    NodeColumns columns_;
    FeatureColumns features_;
};

/// Reads a node table that lies in memory.
NodeTable parse_node_table(std::string_view name, std::string_view text, const CsvFiles& files,
                           const ExecutionControl& control = {});

}  // namespace hwgcn
