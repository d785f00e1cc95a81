#include "io/csv/feature_list.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/fail.hpp"
#include "base/number_text.hpp"
#include "base/text_file.hpp"
#include "io/csv/csv_table.hpp"

namespace hwgcn {
namespace {

void read_feature_head(CsvTable& table) {
    if (!table.next())
        fail_in_file(table.name(), "is empty: expected a node id, a feature and perhaps a value per line");
    if (table.fields().size() != 2 && table.fields().size() != 3)
        table.fail(fmt::format("expected two or three columns (node id, feature, value), found {}",
                               table.fields().size()));
}

bool is_feature_header(const CsvTable& first, bool known) {
    const auto fields = first.fields();
    const bool value_is_number = fields.size() == 3 && parse_number<float>(fields[2]).has_value();
    return !known && !value_is_number;
}

std::string_view feature_named(const CsvTable& record) {
    const std::string_view name = record.fields()[1];
    if (name.empty()) record.fail("the name of the feature is empty");
    return name;
}

float feature_value(const CsvTable& record) {
    if (record.fields().size() < 3) return 1.0F;
    const std::string_view text = record.fields()[2];
    const std::optional<float> value = parse_number<float>(text);
    if (!value || !std::isfinite(*value))
        record.fail(fmt::format("the value '{}' is not a finite number", excerpt(text)));
    return *value;
}

}  // namespace

ListedFeatures read_listed_features(TableSource& text, NodeSearch& nodes) {
    read_feature_head(text.head());
    if (is_feature_header(text.head(), nodes.has(text.head().fields()[0]))) text.leave_out_header();
    NameIndex names;
    ListedFeatures list;
    const std::array<std::size_t, 1> node_field = {0};
    const NodeSearch::Hint no_hint = [](const CsvTable&, const NameIndex&) { return ""; };
    const auto read = [&](const CsvTable& record) {
        nodes.ask(record, node_field, no_hint);
        const Index feature = names.add(feature_named(record)).first;
        list.entries.push_back({-1, feature, feature_value(record)});
    };
    std::size_t place = 0;
    text.read(read, [&] {
        for (const Index node : nodes.answers())
            list.entries[place++].row = node;
    });
    const std::vector<Index> numbers = text.pieces().join_names(names);
    for (Triplet<float>& entry : list.entries)
        entry.column = numbers[entry.column];
    list.names = names.names();
    return list;
}

FeatureList parse_feature_list(std::string_view name, std::string_view text, const KnownNodes& nodes) {
    WholeTable table(name, text, CsvComments::skipped, nodes.control);
    KnownSearch search(nodes);
    ListedFeatures list = read_listed_features(table, search);
    const auto features = static_cast<Index>(list.names.size());
    return {csr_from_triplets(nodes.ids.size(), features, std::move(list.entries)), std::move(list.names)};
}

CsrMatrix<float> side_by_side(const CsrMatrix<float>& left, const CsrMatrix<float>& right) {
    if (left.columns > std::numeric_limits<Index>::max() - right.columns)
        throw InputError("more than 2147483647 features");
    CsrMatrix<float> joined;
    joined.rows = left.rows;
    joined.columns = left.columns + right.columns;
    for (Index i = 0; i < left.rows; ++i) {
        const auto own = left.row(i);
        const auto more = right.row(i);
        joined.indices.insert(joined.indices.end(), own.indices.begin(), own.indices.end());
        joined.values.insert(joined.values.end(), own.values.begin(), own.values.end());
        for (std::size_t e = 0; e < more.size(); ++e) {
            joined.indices.push_back(left.columns + more.indices[e]);
            joined.values.push_back(more.values[e]);
        }
        joined.offsets.push_back(joined.entries());
    }
    return joined;
}

}  // namespace hwgcn
