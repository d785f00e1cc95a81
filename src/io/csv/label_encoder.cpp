#include "io/csv/label_encoder.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "hwgcn/dataset/dataset.hpp"

#include "base/number_text.hpp"
#include "base/text_file.hpp"
#include "io/csv/reading_hints.hpp"

namespace hwgcn {
namespace {

// Positions of `names` in the order of the classes.
std::vector<Index> class_order(const std::vector<std::string>& names) {
    std::vector<std::optional<std::int64_t>> values;
    for (const std::string& name : names)
        values.push_back(parse_number<std::int64_t>(name));
    const bool all_integers =
        std::all_of(values.begin(), values.end(), [](const auto& value) { return value.has_value(); });

    std::vector<Index> order(names.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
        // "07" and "7" are different classes of the same value.
        if (all_integers && values[a] != values[b]) return values[a] < values[b];
        return names[a] < names[b];
    });
    return order;
}

}  // namespace

bool means_unlabelled(std::string_view label) {
    return label.empty() || label == "-1" || lower_case(label) == "nan" || stands_for_missing(label);
}

void note_minus_ones(std::string_view where, std::int64_t count, std::vector<std::string>& notes) {
    if (count == 0) return;
    notes.push_back(fmt::format(
        "{}: the label -1 counts as not known ({} node{}); if it is a class, give it another name, such as "
        "'minus'",
        where, count, count == 1 ? "" : "s"));
}

void LabelEncoder::add(std::string_view label) {
    if (label == "-1") ++minus_ones_;
    labels_.push_back(means_unlabelled(label) ? unlabelled : classes_.add(label).first);
}

void LabelEncoder::join(TablePieces& pieces) {
    const std::vector<Index> numbers = pieces.join_names(classes_);
    for (Index& label : labels_) {
        if (label != unlabelled) label = numbers[label];
    }
    minus_ones_ = pieces.total(minus_ones_);
}

EncodedLabels LabelEncoder::encode() const {
    const std::vector<std::string> names = classes_.names();
    const std::vector<Index> order = class_order(names);
    EncodedLabels encoded{labels_, {}, minus_ones_};
    std::vector<Index> rank(names.size());
    for (const Index position : order) {
        rank[position] = static_cast<Index>(encoded.class_names.size());
        encoded.class_names.push_back(names[position]);
    }
    for (Index& label : encoded.labels) {
        if (label != unlabelled) label = rank[label];
    }
    return encoded;
}

}  // namespace hwgcn
