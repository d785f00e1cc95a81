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

// One line for all columns that tell nothing about the nodes. What was left out as names has a note
// already: it is named once more only with others.
void note_unused_columns(std::string_view name, std::int64_t nodes, NodeFacts& facts) {
    constexpr std::size_t most_named = 8;
    constexpr std::int64_t few_nodes = 2;  // of so few, equal values say nothing about a column
    std::vector<std::string> unused;
    bool any_constant = false;  // these have no note of their own
    for (const TableColumn& column : facts.columns) {
        const bool constant = nodes > few_nodes && is_constant(column);
        const bool unread = column.role == ColumnRole::left_out || column.role == ColumnRole::ignored;
        if (!constant && !unread) continue;
        any_constant = any_constant || constant;
        unused.push_back(fmt::format("'{}' ({})", excerpt(column.name), describe(column)));
    }
    if (!any_constant) return;
    const std::size_t named = std::min(unused.size(), most_named);
    const auto last = unused.begin() + static_cast<std::ptrdiff_t>(named);
    facts.notes.push_back(
        fmt::format("{}: columns of no use: {}{}", name, fmt::join(unused.begin(), last, ", "),
                    named < unused.size() ? fmt::format(" and {} more", unused.size() - named) : ""));
}

// Numbers them as they come.
class OwnNumbers final : public NodeNumbers {
  public:
    OwnNumbers(NameIndex& ids, const NodeColumns& columns, std::string_view text,
               const ExecutionControl& control)
        : ids_(ids), columns_(columns), text_(text), control_(control) {}

    void add(const CsvTable& record, std::string_view id) override {
        const auto [number, added] = ids_.add(id);
        if (!added) {
            record.fail(fmt::format("id '{}' is given twice, first on line {}{}", excerpt(id), lines_[number],
                                    hint_at_other_ids(record)));
        }
        lines_.push_back(record.line());
    }
    void end_piece() override {}
    std::int64_t finish(const CsvTable&) override { return ids_.size(); }

  private:
    // Of a column that repeats itself: what else could have been meant.
    std::string hint_at_other_ids(const CsvTable& record) const {
        if (record.fields().size() == 2) return hint_at_another_file(2);
        std::string other;
        try {
            other = column_of_names(record.name(), text_, columns_.taken(), control_);
        } catch (const InputError&) {  // a broken line further down, which is another story
            return "";
        }
        if (other.empty()) return hint_at_another_file(record.fields().size());
        return fmt::format("; column '{0}' has no value twice: `id='{0}'` takes the ids from there",
                           excerpt(other));
    }

    NameIndex& ids_;
    const NodeColumns& columns_;
    std::string_view text_;
    const ExecutionControl& control_;
    std::vector<std::int64_t> lines_;  // where each node stands
};

}  // namespace

std::vector<std::size_t> NodeColumns::taken() const {
    std::vector<std::size_t> columns = {id};
    if (label) columns.push_back(*label);
    return columns;
}

NodeRecords::NodeRecords(TableSource& text, const CsvFiles& files)
    : text_(text),
      files_(files),
      columns_(read_node_header(text.head(), files)),
      features_(text.head(), columns_.taken(), files) {
    text.leave_out_header();
}

NodeFacts NodeRecords::read(NodeNumbers& numbers) {
    NodeFacts nodes;
    const std::string_view name = text_.head().name();
    note_other_labels(name, columns_, files_, nodes.notes);
    LabelColumn labels(files_);
    const auto read = [&](const CsvTable& record) {
        numbers.add(record, id_of_record(record, columns_));
        labels.add(record, columns_.label ? record.fields()[*columns_.label] : std::string_view());
        features_.look_at(record);
    };
    text_.read(read, [&] { numbers.end_piece(); });
    const std::int64_t count = numbers.finish(text_.head());
    if (count == 0) fail_in_file(name, "has a header line but no nodes");
    labels.join(text_.pieces());
    nodes.classes = labels.encode(name, nodes.notes);
    features_.join(text_.pieces());
    features_.decide(text_.head(), nodes.notes);
    nodes.feature_names = features_.feature_names();
    nodes.feature_kinds = features_.feature_kinds();
    list_columns(labels, nodes);
    note_unused_columns(name, count, nodes);
    return nodes;
}

void NodeRecords::list_columns(const LabelColumn& labels, NodeFacts& nodes) const {
    for (const std::string& name : columns_.names)
        nodes.columns.push_back({.name = name, .role = ColumnRole::ignored});
    features_.put(nodes.columns);
    nodes.columns[columns_.id].role = ColumnRole::id;
    if (!columns_.label) return;
    TableColumn& label = nodes.columns[*columns_.label];
    label.role = ColumnRole::label;
    label.kind = labels.kind();
    label.different = std::ssize(nodes.classes.class_names);
}

void NodeRecords::read_features(const std::function<void(const CsrMatrix<float>&)>& use,
                                const std::function<void()>& end_piece) {
    CsrMatrix<float> row;
    const auto read = [&](const CsvTable& record) {
        row.indices.clear();
        row.values.clear();
        row.offsets.clear();
        features_.encode(record, row);
        use(row);
    };
    text_.read(read, end_piece);
}

NodeTable parse_node_table(std::string_view name, std::string_view text, const CsvFiles& files,
                           const ExecutionControl& control) {
    WholeTable table(name, text, CsvComments::kept, control);
    NodeRecords records(table, files);
    NodeTable nodes;
    OwnNumbers numbers(nodes.ids, records.columns(), text, control);
    static_cast<NodeFacts&>(nodes) = records.read(numbers);
    CsrMatrix<float>& features = nodes.features;
    features.rows = nodes.ids.size();
    features.columns = static_cast<Index>(nodes.feature_names.size());
    records.read_features([&](const CsrMatrix<float>& row) {
        features.indices.insert(features.indices.end(), row.indices.begin(), row.indices.end());
        features.values.insert(features.values.end(), row.values.begin(), row.values.end());
        features.offsets.push_back(features.entries());
    });
    return nodes;
}

}  // namespace hwgcn
