#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_set>

#include <fmt/format.h>

#include "hwgcn/runs/run_folder.hpp"

#include "base/number_text.hpp"
#include "base/stopping.hpp"
#include "io/csv/csv_table.hpp"
#include "runs/run_files.hpp"

namespace hwgcn {
namespace {

// Classes may be called like another column.
std::vector<std::string> class_columns(const Dataset& dataset) {
    std::unordered_set<std::string> taken = {"id", "prediction", "label", "split"};
    std::vector<std::string> columns;
    for (std::string name : dataset.class_names) {
        while (!taken.insert(name).second)
            name += '_';
        columns.push_back(csv_field(name));
    }
    return columns;
}

std::vector<const char*> parts_of_nodes(const Split& split, const Dataset& dataset) {
    std::vector<const char*> part(static_cast<std::size_t>(dataset.nodes), "");
    const auto mark = [&](const std::vector<Index>& nodes, const char* name) {
        for (const Index node : nodes)
            part[node] = name;
    };
    mark(split.train, "train");
    mark(split.validation, "validation");
    mark(split.test, "test");
    return part;
}

}  // namespace

PredictionTable::PredictionTable(const Split& split, const Dataset& dataset, const Decision& decision,
                                 double least_confidence)
    : dataset_(dataset),
      decision_(decision),
      least_confidence_(least_confidence),
      parts_(parts_of_nodes(split, dataset)) {
    for (const std::string& name : dataset.class_names)
        classes_.push_back(csv_field(name));
}

std::string PredictionTable::heading() const {
    std::string text = "id,prediction";
    for (const std::string& column : class_columns(dataset_))
        text += ',' + column;
    return text + ",label,split\n";
}

std::string PredictionTable::rows(ConstMatrixView probabilities, Index first, Index from,
                                  const ExecutionControl& control) const {
    std::string text;
    const auto out = std::back_inserter(text);
    for (Index row = from; row < probabilities.rows; ++row) {
        throw_if_stopped(control);
        const Index node = first + row;
        const Index label = dataset_.labels[node];
        const Index predicted = decide(probabilities, row, decision_);
        const bool sure = static_cast<double>(probabilities.at(row, predicted)) >= least_confidence_;
        fmt::format_to(out, "{},{}", csv_field(node_id(dataset_, node)), sure ? classes_[predicted] : "");
        for (Index c = 0; c < probabilities.columns; ++c)
            fmt::format_to(out, ",{}", probabilities.at(row, c));
        fmt::format_to(out, ",{},{}\n", label == unlabelled ? "" : classes_[label], parts_[node]);
    }
    return text;
}

std::string predictions_csv(ConstMatrixView probabilities, const Split& split, const Dataset& dataset,
                            double least_confidence, const ExecutionControl& control, Index first_node,
                            const Decision& decision) {
    const PredictionTable table(split, dataset, decision, least_confidence);
    return table.heading() + table.rows(probabilities, 0, first_node, control);
}

// AUC, balanced accuracy or macro-F1 have a column of their own where one of them selects the epoch.
std::string history_csv(const std::vector<EpochRecord>& history) {
    const bool has_criterion = std::ranges::any_of(
        history, [](const EpochRecord& record) { return !std::isnan(record.validation_selection); });
    std::string text = "epoch,rate,train_loss,validation_loss,validation_accuracy";
    text += has_criterion ? ",validation_selection\n" : "\n";
    for (const EpochRecord& record : history) {
        text += fmt::format("{},{},{},", record.epoch, record.rate, record.train_loss);
        text += std::isnan(record.validation_loss)
                    ? ","
                    : fmt::format("{},{}", record.validation_loss, 100.0 * record.validation_accuracy);
        if (has_criterion) text += fmt::format(",{}", 100.0 * record.validation_selection);
        text += '\n';
    }
    return text;
}

std::vector<EpochRecord> read_history(const std::filesystem::path& folder, const RunManifest& manifest) {
    const std::string text = verified_content(folder, manifest, run_file::history);
    CsvTable table((folder / run_file::history).string(), text);
    std::vector<EpochRecord> history;
    for (table.next(); table.next();) {  // without the heading
        const std::span<const std::string_view> fields = table.fields();
        const auto number = [&](std::size_t column) {
            if (fields[column].empty()) return std::nan("");  // there are no validation nodes
            const std::optional<double> value = parse_number<double>(fields[column]);
            return value ? *value : (table.fail("expected numbers"), 0.0);
        };
        if (fields.size() != 5 && fields.size() != 6) table.fail("expected five or six columns");
        history.push_back({static_cast<int>(number(0)), number(1), number(2), number(3), number(4) / 100.0,
                           fields.size() == 6 ? number(5) / 100.0 : std::nan("")});
    }
    return history;
}

}  // namespace hwgcn
