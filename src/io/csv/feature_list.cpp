#include "io/csv/feature_list.hpp"

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

FeatureList parse_feature_list(std::string_view name, std::string_view text, const KnownNodes& nodes) {
    CsvTable table(name, text, CsvComments::skipped, nodes.control);
    read_feature_head(table);
    NameIndex features;
    std::vector<Triplet<float>> entries;
    const auto add = [&] {
        const std::optional<Index> node = nodes.ids.find(table.fields()[0]);
        if (!node) fail_unknown_id(table, table.fields()[0], nodes, {table.fields()[0]});
        const Index feature = features.add(feature_named(table)).first;
        entries.push_back({*node, feature, feature_value(table)});
    };
    if (!is_feature_header(table, nodes.ids.find(table.fields()[0]).has_value())) add();
    while (table.next())
        add();
    FeatureList list;
    list.names = features.names();
    list.features = csr_from_triplets(nodes.ids.size(), features.size(), std::move(entries));
    return list;
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
