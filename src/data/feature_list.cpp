#include "data/feature_list.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/support/error.hpp"

#include "data/csv_table.hpp"
#include "data/number_text.hpp"
#include "data/text_file.hpp"

namespace hwgcn {
namespace {

float value_of(const CsvTable& table) {
    if (table.fields().size() < 3) return 1.0F;
    const std::string_view text = table.fields()[2];
    const std::optional<float> value = parse_number<float>(text);
    if (!value || !std::isfinite(*value))
        table.fail(fmt::format("the value '{}' is not a finite number", excerpt(text)));
    return *value;
}

bool is_header(const CsvTable& first, const NameIndex& ids) {
    const auto fields = first.fields();
    const bool value_is_number = fields.size() == 3 && parse_number<float>(fields[2]).has_value();
    return !ids.find(fields[0]) && !value_is_number;
}

}  // namespace

FeatureList parse_feature_list(std::string_view name, std::string_view text, const KnownNodes& nodes) {
    CsvTable table(name, text, CsvComments::skipped, nodes.control);
    if (!table.next())
        fail_in_file(std::string(name),
                     "is empty: expected a node id, a feature and perhaps a value per line");
    if (table.fields().size() != 2 && table.fields().size() != 3)
        table.fail(fmt::format("expected two or three columns (node id, feature, value), found {}",
                               table.fields().size()));
    NameIndex features;
    std::vector<Triplet<float>> entries;
    const auto add = [&] {
        const std::optional<Index> node = nodes.ids.find(table.fields()[0]);
        if (!node) fail_unknown_id(table, table.fields()[0], nodes, {table.fields()[0]});
        if (table.fields()[1].empty()) table.fail("the name of the feature is empty");
        entries.push_back({*node, features.add(table.fields()[1]).first, value_of(table)});
    };
    if (!is_header(table, nodes.ids)) add();
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
