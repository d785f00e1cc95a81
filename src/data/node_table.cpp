#include "data/node_table.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "hwgcn/support/error.hpp"
#include "hwgcn/support/parameter.hpp"

#include "data/csv_table.hpp"
#include "data/feature_columns.hpp"
#include "data/number_text.hpp"
#include "data/reading_hints.hpp"
#include "data/text_file.hpp"

namespace hwgcn {
namespace {

struct NodeColumns {
    std::size_t id = 0;
    std::optional<std::size_t> label;
    std::vector<std::string> names;  // of all columns
};

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

NodeColumns read_header(CsvTable& table, const CsvFiles& files) {
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
    return columns;
}

std::string labels_text(std::size_t classes) {
    return classes == 1 ? "the labels: 1 class" : fmt::format("the labels: {} classes", classes);
}

class NodeTableReader {
  public:
    NodeTableReader(std::string_view name, std::string_view text, const CsvFiles& files,
                    const ExecutionControl& control)
        : name_(name), text_(text), files_(files), control_(control) {}

    NodeTable read() {
        CsvTable table(name_, text_, CsvComments::kept, control_);
        const NodeColumns columns = read_header(table, files_);
        std::vector<std::size_t> taken = {columns.id};
        if (columns.label) taken.push_back(*columns.label);
        FeatureColumns features(table, taken, files_);
        warn_of_other_labels(columns);
        LabelEncoder labels;
        while (table.next()) {
            read_id(table, columns);
            labels.add(read_label(table, columns));
            features.look_at(table);
        }
        if (nodes_.ids.size() == 0) fail_in_file(table.name(), "has a header line but no nodes");
        nodes_.classes = labels.encode();
        if (missing_labels_ > 0) {
            nodes_.notes.push_back(fmt::format("{}: labels '{}' and the like count as not known ({} in all)",
                                               name_, missing_label_, missing_labels_));
        }
        note_minus_ones(name_, nodes_.classes.minus_ones, nodes_.notes);
        features.decide(table, nodes_.notes);
        encode(features);
        describe(columns, features);
        return std::move(nodes_);
    }

  private:
    // A second column of labels among the features would show the answers to the model.
    void warn_of_other_labels(const NodeColumns& columns) {
        const std::vector<std::string> ignored = split_at(files_.ignored_columns, ',');
        for (std::size_t place = 0; place < columns.names.size(); ++place) {
            const std::string name = lower_case(columns.names[place]);
            if (place == columns.id || place == columns.label || (name != "label" && name != "class"))
                continue;
            if (std::ranges::find(ignored, columns.names[place]) != ignored.end()) continue;
            nodes_.notes.push_back(
                fmt::format("{}: column '{}' is a feature; if it holds labels, too, `ignore='{}'` "
                            "keeps the answers from the model",
                            name_, excerpt(columns.names[place]), excerpt(columns.names[place])));
        }
    }

    void read_id(const CsvTable& table, const NodeColumns& columns) {
        const std::string_view id = table.fields()[columns.id];
        if (id.empty())
            table.fail(fmt::format("the id (column '{}') is empty", excerpt(columns.names[columns.id])));
        const auto [number, added] = nodes_.ids.add(id);
        if (!added) {
            table.fail(fmt::format("id '{}' is given twice, first on line {}{}", excerpt(id), lines_[number],
                                   table.fields().size() == 2
                                       ? "; is this the list of edges? `edges` and `nodes` may be swapped"
                                       : ""));
        }
        lines_.push_back(table.line());
    }

    std::string_view read_label(const CsvTable& table, const NodeColumns& columns) {
        const std::string_view label = columns.label ? table.fields()[*columns.label] : std::string_view();
        if (stands_for_missing(label) && missing_labels_++ == 0) missing_label_ = label;
        return label;
    }

    void describe(const NodeColumns& columns, const FeatureColumns& features) {
        for (std::size_t place = 0; place < columns.names.size(); ++place) {
            const std::string use = place == columns.id      ? "the ids"
                                    : place == columns.label ? labels_text(nodes_.classes.class_names.size())
                                                             : features.use_of(place);
            nodes_.columns.push_back({columns.names[place], use});
        }
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
    std::int64_t missing_labels_ = 0;  // that say so in words
    std::string missing_label_;        // the first of them
};

}  // namespace

NodeTable parse_node_table(std::string_view name, std::string_view text, const CsvFiles& files,
                           const ExecutionControl& control) {
    return NodeTableReader(name, text, files, control).read();
}

}  // namespace hwgcn
