#include "io/csv/node_table.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "base/number_text.hpp"
#include "base/parameter.hpp"
#include "base/text_file.hpp"
#include "dataset/table_column.hpp"
#include "io/csv/csv_table.hpp"
#include "io/csv/feature_columns.hpp"
#include "io/csv/label_column.hpp"
#include "io/csv/reading_hints.hpp"

namespace hwgcn {
namespace {

std::optional<std::size_t> find_label_column(const CsvTable& header, std::size_t id,
                                             const std::string& wanted) {
    if (!wanted.empty()) {
        const std::size_t named = find_column(header, wanted);
        if (named == id) header.fail(fmt::format("column '{}' cannot be both id and label", excerpt(wanted)));
        return named;
    }
    std::optional<std::size_t> label;
    for (std::size_t column = 0; column < header.fields().size(); ++column) {
        const std::string name = lower_case(header.fields()[column]);
        if (column == id || (name != "label" && name != "class")) continue;
        // To take one and make a feature of the other would show the answers to the model.
        if (label) {
            header.fail(fmt::format("columns '{}' and '{}' may both hold the labels: name the one that does",
                                    header.fields()[*label], header.fields()[column]));
        }
        label = column;
    }
    return label;
}

}  // namespace

std::vector<std::size_t> NodeColumns::taken() const {
    std::vector<std::size_t> columns = {id};
    if (label) columns.push_back(*label);
    return columns;
}

NodeColumns read_node_header(CsvTable& table, const CsvFiles& files) {
    if (!table.next()) {
        fail_in_file(table.name(),
                     "is empty: expected a header line (id, label, feature columns), "
                     "then one node per line");
    }
    NodeColumns columns;
    const auto fields = table.fields();
    if (fields.size() > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
        table.fail("more than 2147483647 columns");
    if (files.id_column.empty()) {
        if (parse_number<double>(fields[0])) {
            table.fail(fmt::format("expected a header line such as 'id,label,...', found data ('{}')",
                                   excerpt(fields[0])));
        }
    } else {
        columns.id = find_column(table, files.id_column);
    }
    columns.label = find_label_column(table, columns.id, files.label_column);
    columns.names.assign(fields.begin(), fields.end());
    if (!columns.label && (!files.bins.empty() || !files.label_separator.empty())) {
        table.fail(
            fmt::format("no column is called label or class, so that {} has nothing to work on; `label` "
                        "names the column",
                        files.bins.empty() ? "`label_separator`" : "`bins`"));
    }
    return columns;
}

std::string_view id_of_record(const CsvTable& record, const NodeColumns& columns) {
    const std::string_view id = record.fields()[columns.id];
    if (id.empty())
        record.fail(fmt::format("the id (column '{}') is empty", excerpt(columns.names[columns.id])));
    return id;
}

// A second column of labels among the features would show the answers to the model.
void note_other_labels(std::string_view name, const NodeColumns& columns, const CsvFiles& files,
                       std::vector<std::string>& notes) {
    const std::vector<std::string> ignored = split_at(files.ignored_columns, ',');
    for (std::size_t place = 0; place < columns.names.size(); ++place) {
        const std::string lower = lower_case(columns.names[place]);
        if (place == columns.id || place == columns.label || (lower != "label" && lower != "class")) continue;
        if (std::ranges::find(ignored, columns.names[place]) != ignored.end()) continue;
        notes.push_back(
            fmt::format("{}: column '{}' is a feature; if it holds labels, too, `ignore='{}'` "
                        "keeps the answers from the model",
                        name, excerpt(columns.names[place]), excerpt(columns.names[place])));
    }
}

namespace {

class NodeTableReader {
  public:
    NodeTableReader(std::string_view name, std::string_view text, const CsvFiles& files,
                    const ExecutionControl& control)
        : name_(name), text_(text), files_(files), control_(control) {}

    NodeTable read() {
        CsvTable table(name_, text_, CsvComments::kept, control_);
        const NodeColumns columns = read_node_header(table, files_);
        FeatureColumns features(table, columns.taken(), files_);
        note_other_labels(name_, columns, files_, nodes_.notes);
        LabelColumn labels(files_);
        while (table.next()) {
            read_id(table, columns);
            labels.add(table, columns.label ? table.fields()[*columns.label] : std::string_view());
            features.look_at(table);
        }
        if (nodes_.ids.size() == 0) fail_in_file(table.name(), "has a header line but no nodes");
        nodes_.classes = labels.encode(name_, nodes_.notes);
        features.decide(table, nodes_.notes);
        encode(features);
        list_columns(columns, labels, features);
        note_unused_columns();
        return std::move(nodes_);
    }

  private:
    void read_id(const CsvTable& table, const NodeColumns& columns) {
        const std::string_view id = id_of_record(table, columns);
        const auto [number, added] = nodes_.ids.add(id);
        if (!added) {
            table.fail(fmt::format("id '{}' is given twice, first on line {}{}", excerpt(id), lines_[number],
                                   hint_at_other_ids(table, columns)));
        }
        lines_.push_back(table.line());
    }

    // Of a column that repeats itself: what else could have been meant.
    std::string hint_at_other_ids(const CsvTable& table, const NodeColumns& columns) const {
        if (table.fields().size() == 2) return hint_at_another_file(2);
        std::string other;
        try {
            other = column_of_names(name_, text_, columns.taken(), control_);
        } catch (const InputError&) {  // a broken line further down, which is another story
            return "";
        }
        if (other.empty()) return hint_at_another_file(table.fields().size());
        return fmt::format("; column '{0}' has no value twice: `id='{0}'` takes the ids from there",
                           excerpt(other));
    }

    void list_columns(const NodeColumns& columns, const LabelColumn& labels, const FeatureColumns& features) {
        for (const std::string& name : columns.names)
            nodes_.columns.push_back({.name = name, .role = ColumnRole::ignored});
        features.put(nodes_.columns);
        nodes_.columns[columns.id].role = ColumnRole::id;
        if (!columns.label) return;
        TableColumn& label = nodes_.columns[*columns.label];
        label.role = ColumnRole::label;
        label.kind = labels.kind();
        label.different = std::ssize(nodes_.classes.class_names);
    }

    // One line for all columns that tell nothing about the nodes. What was left out as names has a note
    // already: it is named once more only with others.
    void note_unused_columns() {
        constexpr std::size_t most_named = 8;
        constexpr Index few_nodes = 2;  // of so few, equal values say nothing about a column
        std::vector<std::string> unused;
        bool any_constant = false;  // these have no note of their own
        for (const TableColumn& column : nodes_.columns) {
            const bool constant = nodes_.ids.size() > few_nodes && is_constant(column);
            const bool unread = column.role == ColumnRole::left_out || column.role == ColumnRole::ignored;
            if (!constant && !unread) continue;
            any_constant = any_constant || constant;
            unused.push_back(fmt::format("'{}' ({})", excerpt(column.name), describe(column)));
        }
        if (!any_constant) return;
        const std::size_t named = std::min(unused.size(), most_named);
        const auto last = unused.begin() + static_cast<std::ptrdiff_t>(named);
        nodes_.notes.push_back(
            fmt::format("{}: columns of no use: {}{}", name_, fmt::join(unused.begin(), last, ", "),
                        named < unused.size() ? fmt::format(" and {} more", unused.size() - named) : ""));
    }

    // The second time through the table: only now it is known what the columns are.
    void encode(const FeatureColumns& columns) {
        CsvTable table(name_, text_, CsvComments::kept, control_);
        table.next();
        while (table.next())
            columns.encode(table, nodes_.features);
        nodes_.feature_names = columns.feature_names();
        nodes_.feature_kinds = columns.feature_kinds();
        nodes_.features.rows = nodes_.ids.size();
        nodes_.features.columns = static_cast<Index>(nodes_.feature_names.size());
    }

    std::string_view name_;
    std::string_view text_;
    const CsvFiles& files_;
    const ExecutionControl& control_;
    NodeTable nodes_;
    std::vector<std::int64_t> lines_;  // where each node stands
};

}  // namespace

NodeTable parse_node_table(std::string_view name, std::string_view text, const CsvFiles& files,
                           const ExecutionControl& control) {
    return NodeTableReader(name, text, files, control).read();
}

}  // namespace hwgcn
