#include "data/node_table.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "hwgcn/support/error.hpp"

#include "data/csv_table.hpp"
#include "data/number_text.hpp"
#include "data/text_file.hpp"

namespace hwgcn {
namespace {

struct NodeColumns {
    std::size_t id = 0;
    std::optional<std::size_t> label;
    std::vector<std::string> names;  // of all columns

    bool is_feature(std::size_t column) const { return column != id && column != label; }
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

// Whether no record has a number in `column`.
bool is_text_column(std::string_view name, std::string_view text, std::size_t column) {
    CsvTable table(name, text);
    table.next();
    while (table.next()) {
        if (parse_number<float>(table.fields()[column])) return false;
    }
    return true;
}

class NodeTableReader {
  public:
    NodeTableReader(std::string_view name, std::string_view text, const CsvFiles& files)
        : text_(text), table_(name, text), columns_(read_header(table_, files)) {}

    NodeTable read() {
        while (table_.next()) {
            read_id();
            labels_.add(columns_.label ? table_.fields()[*columns_.label] : std::string_view());
            read_features();
        }
        if (nodes_.ids.size() == 0) fail_in_file(table_.name(), "has a header line but no nodes");
        nodes_.classes = labels_.encode();
        finish_features();
        return std::move(nodes_);
    }

  private:
    void read_id() {
        const std::string_view id = table_.fields()[columns_.id];
        if (id.empty()) table_.fail(fmt::format("the id (column '{}') is empty", column_name(columns_.id)));
        const auto [number, added] = nodes_.ids.add(id);
        if (!added) {
            table_.fail(fmt::format("id '{}' is given twice, first on line {}", excerpt(id), lines_[number]));
        }
        lines_.push_back(table_.line());
    }

    void read_features() {
        const auto fields = table_.fields();
        Index feature = 0;
        for (std::size_t column = 0; column < fields.size(); ++column) {
            if (!columns_.is_feature(column)) continue;
            const float value = fields[column].empty() ? 0.0f : read_value(column);
            if (value != 0.0f) {
                nodes_.features.columns.push_back(feature);
                nodes_.features.values.push_back(value);
            }
            ++feature;
        }
        nodes_.features.offsets.push_back(nodes_.features.entries());
    }

    float read_value(std::size_t column) const {
        const std::string_view text = table_.fields()[column];
        const std::optional<float> value = parse_number<float>(text);
        if (value && std::isfinite(*value) && *value >= 0.0f) return *value;

        const std::string place = fmt::format("column '{}': '{}'", column_name(column), excerpt(text));
        if (value && std::isfinite(*value)) {
            table_.fail(fmt::format("{} is negative, and features must not be", place));
        } else if (value) {
            table_.fail(
                fmt::format("{} is not a finite number (a 32-bit float), as features must be", place));
        } else if (is_text_column(table_.name(), text_, column)) {
            table_.fail(fmt::format(
                "{} is not a number; '{}' is a text column, and text columns cannot be features: {}", place,
                column_name(column),
                columns_.label ? "remove it" : "remove it, or name it as the label column"));
        }
        table_.fail(fmt::format("{} is not a number", place));
    }

    void finish_features() {
        for (std::size_t column = 0; column < columns_.names.size(); ++column) {
            if (columns_.is_feature(column)) nodes_.feature_names.push_back(columns_.names[column]);
        }
        nodes_.features.rows = nodes_.ids.size();
        nodes_.features.columns_count = static_cast<Index>(nodes_.feature_names.size());
    }

    std::string column_name(std::size_t column) const { return excerpt(columns_.names[column]); }

    std::string_view text_;
    CsvTable table_;
    NodeColumns columns_;
    LabelEncoder labels_;
    NodeTable nodes_;
    std::vector<std::int64_t> lines_;  // where each node stands
};

}  // namespace

NodeTable parse_node_table(std::string_view name, std::string_view text, const CsvFiles& files) {
    return NodeTableReader(name, text, files).read();
}

}  // namespace hwgcn
