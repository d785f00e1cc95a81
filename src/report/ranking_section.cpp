#include "report/ranking_section.hpp"

#include <iterator>
#include <numeric>

#include <nlohmann/json.hpp>

#include "hwgcn/metrics/score.hpp"

#include "runs/result_values.hpp"

namespace hwgcn {
namespace {

using Json = nlohmann::ordered_json;

// Those of the classes that there are: a run of an automatic choice reads them from its file.
std::vector<RankingCurve> drawable(const Metrics& metrics) {
    std::vector<RankingCurve> curves = metrics.curves;
    std::erase_if(curves, [&](const RankingCurve& curve) {
        return curve.label < 0 || curve.label >= std::ssize(metrics.confusion) || curve.roc.empty() ||
               curve.precision_recall.empty();
    });
    return curves;
}

bool shown_in_summary(const RunForReport& run) {
    const Dataset& dataset = run.graph.dataset;
    std::vector<Index> labels(static_cast<std::size_t>(dataset.classes()), 0);
    for (const Index node : run.split.train)
        ++labels[dataset.labels[node]];
    return shows_ranking(labels);
}

}  // namespace

Json ranking_json(const RunForReport& run, const Metrics& metrics) {
    const Dataset& dataset = run.graph.dataset;
    const std::vector<RankingCurve> curves = drawable(metrics);
    const bool single = dataset.classes() == 2 && curves.size() == 1;
    const Index positive = single ? curves.front().label : positive_class(dataset, run.split);
    Json json = {{"shown", shown_in_summary(run)},
                 {"positive", positive < 0 ? Json() : Json(dataset.class_names[positive])},
                 {"roc_auc", percent_value(metrics.roc_auc)},
                 {"average_precision", percent_value(metrics.average_precision)},
                 {"balanced_accuracy", percent_value(metrics.balanced_accuracy)},
                 {"mcc", percent_value(metrics.mcc)},
                 {"most_curves", most_ranking_curves},
                 {"curves", curves_value(curves)}};
    for (Json& curve : json["curves"]) {
        const std::vector<Index>& row = metrics.confusion[curve.at("class").get<std::size_t>()];
        const auto nodes = std::accumulate(row.begin(), row.end(), Index{0});
        curve["nodes"] = nodes;
        curve["share"] = 100.0 * nodes / metrics.count;
    }
    return json;
}

}  // namespace hwgcn
