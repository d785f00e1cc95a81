#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hwgcn/dataset/feature_scaling.hpp"
#include "hwgcn/io/readers.hpp"

#include "base/fail.hpp"
#include "base/number_text.hpp"
#include "base/text_file.hpp"
#include "io/csv/added_edges.hpp"
#include "io/csv/csv_table.hpp"
#include "io/csv/feature_list.hpp"
#include "io/csv/reading_hints.hpp"

namespace hwgcn {
namespace {

constexpr std::size_t most_listed = 5;

std::string listed(std::vector<std::string> names) {
    const std::size_t all = names.size();
    names.resize(std::min(all, most_listed));
    for (std::string& name : names)
        name = fmt::format("'{}'", excerpt(name));
    return fmt::format("{}{}", fmt::join(names, ", "),
                       all > most_listed ? fmt::format(" and {} more", all - most_listed) : "");
}

// The features of a dataset by name: a number, or the words of a column.
class Vocabulary {
  public:
    explicit Vocabulary(const Dataset& dataset) {
        std::vector<char> is_word(static_cast<std::size_t>(dataset.features.columns), 0);
        for (const TableColumn& column : dataset.columns) {
            Index feature = column.first_feature;
            for (const std::string& category : column.categories) {
                is_word[feature] = 1;
                words_[column.name].emplace(category, feature++);
            }
        }
        for (Index feature = 0; feature < dataset.features.columns; ++feature) {
            if (is_word[feature] != 0) continue;
            numbers_.emplace(
                dataset.feature_names.empty() ? fmt::to_string(feature) : dataset.feature_names[feature],
                feature);
        }
    }

    std::optional<Index> number(std::string_view name) const {
        const auto found = numbers_.find(std::string(name));
        return found == numbers_.end() ? std::nullopt : std::optional(found->second);
    }
    using Words = std::unordered_map<std::string, Index>;
    const Words* words(std::string_view column) const {
        const auto found = words_.find(std::string(column));
        return found == words_.end() ? nullptr : &found->second;
    }
    const std::map<std::string, Index>& numbers() const { return numbers_; }
    const std::map<std::string, Words>& columns_of_words() const { return words_; }

  private:
    std::map<std::string, Index> numbers_;
    std::map<std::string, Words> words_;
};

// Reads the table of new nodes.
class AddedNodes {
  public:
    AddedNodes(const AddedFiles& files, const FeatureScaling& scaling, Dataset& dataset, NameIndex& ids)
        : files_(files), scaling_(scaling), dataset_(dataset), ids_(ids), vocabulary_(dataset) {}

    void read(std::string_view name, std::string_view text, const ExecutionControl& control) {
        CsvTable table(name, text, CsvComments::kept, control);
        if (!table.next())
            fail_in_file(std::string(name), "is empty: expected a header line, then one node per line");
        read_header(table);
        const Index before = ids_.size();
        while (table.next())
            read_node(table);
        if (ids_.size() == before) note(table, "has a header line and no nodes");
        note_header(table);
        for (const auto& [column, unknown] : unknown_words_) {
            note(table, fmt::format("column '{}': the model does not know {}, which {} as none",
                                    excerpt(column), listed({unknown.begin(), unknown.end()}),
                                    unknown.size() == 1 ? "counts" : "count"));
        }
    }

  private:
    struct Column {
        std::size_t place;
        std::string name;
        std::optional<Index> number;
        const Vocabulary::Words* words = nullptr;
    };

    void note(const CsvTable& table, std::string_view message) {
        dataset_.notes.push_back(fmt::format("{}: {}", table.name(), message));
    }

    bool is_label(std::string_view name) const {
        const std::string known = known_name(files_.label_column, ColumnRole::label);
        const std::string lower = lower_case(name);
        return known.empty() ? lower == "label" || lower == "class" : name == known;
    }

    // What the run's own table calls the column of this role, where it has one.
    std::string known_name(const std::string& asked, ColumnRole role) const {
        if (!asked.empty()) return asked;
        const auto column = std::ranges::find(dataset_.columns, role, &TableColumn::role);
        return column == dataset_.columns.end() ? "" : column->name;
    }

    void read_header(const CsvTable& table) {
        const auto fields = table.fields();
        const std::string id = known_name(files_.id_column, ColumnRole::id);
        auto named = std::ranges::find(fields, std::string_view(id));
        if (named == fields.end())
            named =
                std::ranges::find_if(fields, [](std::string_view name) { return lower_case(name) == "id"; });
        if (named != fields.end()) {
            id_place_ = static_cast<std::size_t>(named - fields.begin());
        } else if (vocabulary_.number(fields[0]) || vocabulary_.words(fields[0]) != nullptr) {
            table.fail(
                fmt::format("which column has the ids? Expected '{}', and the first, '{}', is a feature",
                            id.empty() ? "id" : excerpt(id), excerpt(fields[0])));
        }
        refuse_repeated(table);
        for (std::size_t place = 0; place < fields.size(); ++place) {
            if (place == id_place_) continue;
            Column column{place, std::string(fields[place]), vocabulary_.number(fields[place]),
                          vocabulary_.words(fields[place])};
            if (column.number || column.words != nullptr) {
                columns_.push_back(column);
            } else if (is_label(fields[place])) {
                has_labels_ = true;
            } else {
                unknown_columns_.emplace_back(fields[place]);
            }
        }
        const std::unordered_set<std::string_view> given(fields.begin(), fields.end());
        for (const auto& [name, feature] : vocabulary_.numbers()) {
            if (!given.contains(name)) absent_.emplace_back(name, feature);
        }
        for (const auto& [name, words] : vocabulary_.columns_of_words()) {
            if (!given.contains(name)) absent_words_.push_back(name);
        }
    }

    static void refuse_repeated(const CsvTable& table) {
        std::unordered_set<std::string_view> seen;
        for (const std::string_view name : table.fields()) {
            if (!seen.insert(name).second)
                table.fail(fmt::format("two columns are called '{}'", excerpt(name)));
        }
    }

    void note_header(const CsvTable& table) {
        if (has_labels_) note(table, "its labels are not used: the model is not trained again");
        if (!unknown_columns_.empty())
            note(table, fmt::format("columns that the model does not know are not used: {}",
                                    listed(unknown_columns_)));
        std::vector<std::string> names = absent_words_;
        for (const auto& [name, feature] : absent_)
            names.push_back(name);
        if (names.empty() || !files_.features.empty()) return;
        note(table,
             fmt::format("without {} of the model's columns, {}: {}", names.size(),
                         scaling_.columns.empty() ? "which count as 0" : "whose values count as missing",
                         listed(names)));
    }

    void read_node(const CsvTable& table) {
        const std::string_view id = table.fields()[id_place_];
        if (id.empty()) table.fail("the id is empty");
        if (!ids_.add(id).second)
            table.fail(fmt::format(
                "id '{}' is in the graph already, or given twice; only new nodes are added", excerpt(id)));
        std::vector<std::pair<Index, float>> entries;
        for (const Column& column : columns_)
            read_cell(table, column, entries);
        if (!scaling_.columns.empty()) {
            for (const auto& [name, feature] : absent_)
                entries.emplace_back(feature, std::numeric_limits<float>::quiet_NaN());
        }
        std::ranges::sort(entries, {}, &std::pair<Index, float>::first);
        for (const auto& [feature, value] : entries) {
            dataset_.features.indices.push_back(feature);
            dataset_.features.values.push_back(value);
        }
        dataset_.features.offsets.push_back(dataset_.features.entries());
    }

    void read_cell(const CsvTable& table, const Column& column,
                   std::vector<std::pair<Index, float>>& entries) {
        const std::string_view text = table.fields()[column.place];
        if (column.words != nullptr) {
            if (text.empty()) return;
            const auto found = column.words->find(std::string(text));
            if (found != column.words->end()) {
                entries.emplace_back(found->second, 1.0F);
            } else {
                std::vector<std::string>& unknown = unknown_words_[column.name];
                if (std::ranges::find(unknown, text) == unknown.end()) unknown.emplace_back(text);
            }
            return;
        }
        const bool missing = text.empty() || stands_for_missing(text);
        const auto value =
            missing ? std::optional(std::numeric_limits<float>::quiet_NaN()) : parse_number<float>(text);
        if (!value || std::isinf(*value))
            table.fail(fmt::format("'{}' is not a finite number, as the feature '{}' must be", excerpt(text),
                                   excerpt(column.name)));
        if (*value != 0) entries.emplace_back(*column.number, *value);
    }

    const AddedFiles& files_;
    const FeatureScaling& scaling_;
    Dataset& dataset_;
    NameIndex& ids_;
    Vocabulary vocabulary_;
    std::size_t id_place_ = 0;
    std::vector<Column> columns_;
    bool has_labels_ = false;
    std::vector<std::string> unknown_columns_;
    std::vector<std::pair<std::string, Index>> absent_;
    std::vector<std::string> absent_words_;
    std::map<std::string, std::vector<std::string>> unknown_words_;
};

// Adds the features of a list in long form to the rows of the nodes that it names.
void add_feature_list(const AddedFiles& files, const NameIndex& ids, Index old_nodes, Dataset& dataset,
                      const ExecutionControl& control) {
    const std::string name = files.features.string();
    const std::string text = read_text_file(files.features, control);
    const FeatureList list = parse_feature_list(name, text, {ids, "", "", control});
    const Vocabulary vocabulary(dataset);
    std::vector<std::optional<Index>> place;
    std::vector<std::string> unknown;
    for (const std::string& feature : list.names) {
        place.push_back(vocabulary.number(feature));
        if (!place.back()) unknown.push_back(feature);
    }
    std::vector<Triplet<float>> entries;
    for (Index node = 0; node < ids.size(); ++node) {
        const SparseRow<float> more = list.features.row(node);
        if (node < old_nodes && more.size() > 0)
            fail_in_file(name, fmt::format("node '{}' is in the graph already; only new nodes get features",
                                           excerpt(node_id(dataset, node))));
        const SparseRow<float> given = dataset.features.row(node);
        for (std::size_t e = 0; e < given.size(); ++e) {
            if (node < old_nodes || !std::isnan(given.values[e]))
                entries.push_back({node, given.indices[e], given.values[e]});
        }
        for (std::size_t e = 0; e < more.size(); ++e) {
            if (place[more.indices[e]]) entries.push_back({node, *place[more.indices[e]], more.values[e]});
        }
    }
    dataset.features = csr_from_triplets(ids.size(), dataset.features.columns, std::move(entries));
    if (!unknown.empty())
        dataset.notes.push_back(
            fmt::format("{}: features that the model does not know are not used: {}", name, listed(unknown)));
}

}  // namespace

Dataset with_additions(Dataset dataset, const AddedFiles& files, const FeatureScaling& scaling,
                       const ExecutionControl& control) {
    const Index old_nodes = dataset.nodes;
    dataset.notes.clear();
    forget_content(dataset);
    NameIndex ids;
    for (Index node = 0; node < old_nodes; ++node)
        ids.add(node_id(dataset, node));
    if (!files.nodes.empty()) {
        const std::string text = read_text_file(files.nodes, control);
        AddedNodes(files, scaling, dataset, ids).read(files.nodes.string(), text, control);
    }
    dataset.nodes = ids.size();
    dataset.features.rows = ids.size();
    dataset.labels.resize(static_cast<std::size_t>(ids.size()), unlabelled);
    if (!dataset.node_ids.empty() || ids.size() > old_nodes) dataset.node_ids = ids.names();
    if (!files.features.empty()) add_feature_list(files, ids, old_nodes, dataset, control);
    if (!files.edges.empty()) add_edges(files, ids, dataset, control);
    return dataset;
}

}  // namespace hwgcn
