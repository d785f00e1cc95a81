#include "models/class_weights.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hwgcn/metrics/decision.hpp"

#include "base/fail.hpp"
#include "base/files/input_file.hpp"
#include "base/number_text.hpp"
#include "io/csv/csv_table.hpp"

namespace hwgcn {
namespace {

const std::string balanced_word = "balanced";

std::vector<double> training_labels(const Dataset& dataset, const Split& split) {
    std::vector<double> counts(static_cast<std::size_t>(dataset.classes()), 0.0);
    for (const Index node : split.train)
        ++counts[static_cast<std::size_t>(dataset.labels[node])];
    return counts;
}

// The class that a line names, which has no weight yet.
std::size_t class_on_line(const CsvTable& table, const Dataset& dataset,
                          const std::vector<std::optional<double>>& weights) {
    const std::string name(table.fields()[0]);
    const auto found = std::ranges::find(dataset.class_names, name);
    if (found == dataset.class_names.end()) {
        const std::string nearest = nearest_name(name, dataset.class_names);
        table.fail(fmt::format("expected a class of {}, got '{}'{}", dataset.name, name,
                               nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
    }
    const auto place = static_cast<std::size_t>(found - dataset.class_names.begin());
    if (weights[place]) table.fail(fmt::format("class '{}' has a weight already", name));
    return place;
}

double weight_on_line(const CsvTable& table) {
    constexpr double lowest = 1e-30, highest = 1e30;
    const std::string_view text = table.fields()[1];
    const std::optional<double> weight = parse_number<double>(text);
    if (weight && *weight >= lowest && *weight <= highest) return *weight;
    table.fail(fmt::format("expected a weight in 1e-30..1e30, got '{}'", text));
}

ClassWeights weights_in_file(const std::string& file, const Dataset& dataset) {
    const std::string text = read_file(file);
    CsvTable table(file, text);
    std::vector<std::optional<double>> weights(dataset.class_names.size());
    for (bool first = true; table.next(); first = false) {
        if (table.fields().size() != 2)
            table.fail(fmt::format("expected a class and its weight, got {} column{}", table.fields().size(),
                                   table.fields().size() == 1 ? "" : "s"));
        if (first && table.fields()[1] == "weight") continue;  // the heading
        const std::size_t place = class_on_line(table, dataset, weights);
        weights[place] = weight_on_line(table);
    }
    ClassWeights result;
    for (std::size_t c = 0; c < weights.size(); ++c) {
        if (!weights[c])
            fail_in_file(file, fmt::format("expected a weight for each class, got none for '{}'",
                                           dataset.class_names[c]));
        result.given.push_back(*weights[c]);
    }
    return result;
}

}  // namespace

std::string ClassWeights::text() const {
    return balanced ? balanced_word : fmt::format("{}", fmt::join(given, ","));
}

ClassWeights read_class_weights(const std::string& text, const Dataset& dataset) {
    if (text.empty()) return {};
    if (text == balanced_word) return {true, {}};
    return weights_in_file(text, dataset);
}

std::vector<double> class_weights_for(const ClassWeights& weights, const Dataset& dataset,
                                      const Split& split) {
    if (!weights.any() || split.train.empty()) return {};
    const std::vector<double> counts = training_labels(dataset, split);
    std::vector<double> result = weights.given;
    if (weights.balanced) {
        result.clear();
        for (const double count : counts) {
            const auto equal_share =
                static_cast<double>(split.train.size()) / static_cast<double>(counts.size());
            result.push_back(count > 0 ? equal_share / count : 1.0);
        }
    }
    expect_decision_among({.class_weights = result}, dataset.classes());
    if (std::ranges::all_of(result, [&](double weight) { return weight == result.front(); })) return {};
    double sum = 0;
    for (std::size_t c = 0; c < result.size(); ++c)
        sum += result[c] * counts[c];
    const double mean = sum / static_cast<double>(split.train.size());
    for (double& weight : result)
        weight /= mean;
    return result;
}

}  // namespace hwgcn
