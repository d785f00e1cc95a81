#include "io/csv/added_edges.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "hwgcn/io/readers.hpp"

#include "base/fail.hpp"
#include "base/number_text.hpp"
#include "base/text_file.hpp"
#include "io/csv/csv_table.hpp"
#include "io/csv/edge_list.hpp"

namespace hwgcn {
namespace {

// The columns of new edges, by the names that the run's own edges have for them.
class AddedEdgeColumns {
  public:
    AddedEdgeColumns(const AddedFiles& files, const Dataset& dataset, const NameIndex& ids)
        : file_(files.edges.string()),
          directed_(dataset.directed),
          weighted_(!dataset.edge_weights.empty()),
          ids_(ids),
          source_(known(files.source_column, dataset, 0)),
          target_(known(files.target_column, dataset, 1)),
          weight_(known(files.weight_column, dataset, 2)) {}

    CsvFiles find(std::string_view text) const {
        CsvTable table(file_, text, CsvComments::skipped);
        CsvFiles columns;
        columns.directions = directed_ ? Directions::kept : Directions::dropped;
        if (!table.next()) return columns;
        columns.source_column = field_called(table, source_);
        columns.target_column = field_called(table, target_);
        const std::string& source = columns.source_column;
        const std::string& target = columns.target_column;
        if (source.empty() != target.empty() && ids_.find(source.empty() ? target : source)) {
            columns.source_column = columns.target_column = "";  // an edge rather than a header
        } else if (source.empty() != target.empty()) {
            (source.empty() ? columns.source_column : columns.target_column) = other_end(
                table, source.empty() ? target : source, source.empty() ? EdgeEnd::source : EdgeEnd::target);
        }
        if (weighted_) columns.weight_column = weight_in(table);
        return columns;
    }

    /// Adds notes on what edges with directions are read by, unless it is the names of their columns.
    void settle_directions(const CsvFiles& columns, EdgeList& list) const {
        if (!directed_ || !columns.source_column.empty()) return;
        if (list.columns.empty()) {
            if (!source_.empty() && !list.edges.empty())
                list.notes.push_back(fmt::format(
                    "{}: has no header: its edges lead from the first column to the second", file_));
            return;
        }
        const std::string& source = list.columns[0];
        const std::string& target = list.columns[1];
        if (end_called(source) == EdgeEnd::source && end_called(target) == EdgeEnd::target) return;
        if (!source_.empty()) {
            fail_in_file(
                file_, fmt::format("do its edges lead from '{}' to '{}'? Name its columns as in the edges of "
                                   "the run, '{}' and '{}'",
                                   excerpt(source), excerpt(target), excerpt(source_), excerpt(target_)));
        }
        list.notes.push_back(
            fmt::format("{}: its edges lead from '{}' to '{}'", file_, excerpt(source), excerpt(target)));
    }

    std::string name_of_weight() const {
        return weight_.empty() || parse_number<std::size_t>(weight_) ? "weight" : excerpt(weight_);
    }

  private:
    static std::string known(const std::string& asked, const Dataset& dataset, std::size_t place) {
        const bool by_number = parse_number<std::size_t>(asked).has_value();
        const bool named = place < dataset.edge_columns.size();
        if (!asked.empty() && !(by_number && named)) return asked;
        return named ? dataset.edge_columns[place] : "";
    }

    // The column of this name, or else of this name in other capitals; "" where there is none.
    static std::string field_called(const CsvTable& table, const std::string& name) {
        if (name.empty()) return "";
        const auto fields = table.fields();
        if (std::ranges::find(fields, std::string_view(name)) != fields.end()) return name;
        const auto found = std::ranges::find_if(
            fields, [&](std::string_view field) { return lower_case(field) == lower_case(name); });
        return found == fields.end() ? "" : std::string(*found);
    }

    // Where only one end has the name that is known: the column that is called like the other, or the only
    // other one.
    std::string other_end(const CsvTable& table, const std::string& one, EdgeEnd wanted) const {
        std::vector<std::string> called, possible;
        for (const std::string_view field : table.fields()) {
            if (field == one) continue;
            if (end_called(field) == wanted) called.emplace_back(field);
            if (end_called(field) == EdgeEnd::unknown) possible.emplace_back(field);
        }
        if (called.size() == 1) return called.front();
        if (called.empty() && possible.size() == 1 && table.fields().size() == 2) return possible.front();
        table.fail(fmt::format("which column has the other ends of the edges? Expected '{}', beside '{}'",
                               excerpt(wanted == EdgeEnd::source ? source_ : target_), excerpt(one)));
    }

    // Where edges have weights, a column called weight holds them, whatever its numbers look like.
    std::string weight_in(const CsvTable& table) const {
        if (std::string named = field_called(table, weight_); !named.empty()) return named;
        const auto number = parse_number<std::size_t>(weight_);
        if (number && *number >= 1 && *number <= table.fields().size()) return weight_;
        return field_called(table, "weight");
    }

    std::string file_;
    bool directed_;
    bool weighted_;
    const NameIndex& ids_;
    std::string source_, target_, weight_;  // what the run's own edges call them; "": no name is known
};

}  // namespace

void add_edges(const AddedFiles& files, const NameIndex& ids, Dataset& dataset,
               const ExecutionControl& control) {
    const std::string text = read_text_file(files.edges, control);
    const AddedEdgeColumns added(files, dataset, ids);
    const CsvFiles columns = added.find(text);
    EdgeList list = parse_edge_list(files.edges.string(), text, columns, {ids, "", "", control});
    added.settle_directions(columns, list);
    if (!dataset.edge_weights.empty()) {
        if (list.weights.empty() && !list.edges.empty())
            fail_in_file(
                files.edges.string(),
                fmt::format("has no weights, but the edges of the graph have: add a column called {}",
                            added.name_of_weight()));
        dataset.edge_weights.insert(dataset.edge_weights.end(), list.weights.begin(), list.weights.end());
    } else if (!list.weights.empty()) {
        list.notes.push_back(fmt::format("{}: its weights are not used: the edges of the graph have none",
                                         files.edges.string()));
    }
    dataset.edges.insert(dataset.edges.end(), list.edges.begin(), list.edges.end());
    dataset.notes.insert(dataset.notes.end(), list.notes.begin(), list.notes.end());
}

}  // namespace hwgcn
