#include "report/data_section.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "dataset/table_column.hpp"
#include "runs/result_values.hpp"

namespace hwgcn {
namespace {

using Json = nlohmann::ordered_json;

struct Prediction {
    Index node;
    Index predicted;
    Index second;  // the next probable class; -1 where there is only one
    float sure;
};

Prediction prediction_of(ConstMatrixView probabilities, Index node, const Decision& decision) {
    Prediction found{node, decide(probabilities, node, decision), -1, 0};
    found.sure = probabilities.at(node, found.predicted);
    const Index second = second_choice(probabilities, node, decision);
    if (second != found.predicted) found.second = second;
    return found;
}

}  // namespace

Json features_json(const RunForReport& run) {
    Json columns = Json::array();
    for (const TableColumn& column : node_table_columns(run.graph.dataset))
        columns.push_back({{"name", column.name}, {"use", describe(column)}});
    return {{"count", run.graph.features.scaled->columns},
            {"text", run.feature_text},
            {"columns", std::move(columns)}};
}

Json importances_section(const RunForReport& run) {
    constexpr std::size_t most = 30;  // of a chart that a person looks at
    if (run.importances == nullptr) return {{"missing", run.no_importances}};
    Json json = importances_value(*run.importances, most);
    json["measured"] = run.importances->columns.size();
    return json;
}

Json unlabelled_json(const RunForReport& run, ConstMatrixView probabilities, std::size_t most) {
    const Dataset& dataset = run.graph.dataset;
    std::vector<Prediction> predictions;
    for (Index node = 0; node < dataset.nodes; ++node) {
        if (dataset.labels[node] == unlabelled)
            predictions.push_back(prediction_of(probabilities, node, run.manifest.decision));
    }
    const auto unsure =
        std::ranges::count_if(predictions, [](const Prediction& one) { return one.sure < 0.5F; });
    std::ranges::stable_sort(predictions, {}, &Prediction::sure);
    Json rows = Json::array();
    for (const Prediction& one : predictions) {
        if (rows.size() == most) break;
        Json row = {{"id", node_id(dataset, one.node)},
                    {"predicted", one.predicted},
                    {"sure", 100.0 * static_cast<double>(one.sure)}};
        if (one.second >= 0) {
            row["second"] = one.second;
            row["second_sure"] = 100.0 * static_cast<double>(probabilities.at(one.node, one.second));
        }
        rows.push_back(std::move(row));
    }
    return {{"nodes", predictions.size()}, {"unsure", unsure}, {"rows", std::move(rows)}};
}

}  // namespace hwgcn
