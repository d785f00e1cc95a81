#include "report/ranking_section.hpp"

#include <iterator>
#include <numeric>

#include <nlohmann/json.hpp>

#include "metrics/ranking.hpp"
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
    return shows_ranking(class_support(dataset.labels, run.split.train, dataset.classes()));
}

// Where the predictions are, among all that could be made of the probabilities: percent of the class that was
// found, percent of the other nodes that were taken for it, and, where any node was, percent of these that
// are of it. Of more than two classes the most probable one is predicted, which no threshold of one class
// does: the point may lie below the curves.
Json operating_point(const std::vector<std::vector<Index>>& confusion, std::size_t label) {
    Index found = 0, of_class = 0, taken = 0, all = 0;
    for (std::size_t row = 0; row < confusion.size(); ++row) {
        for (std::size_t column = 0; column < confusion.size(); ++column) {
            const Index nodes = confusion[row][column];
            all += nodes;
            if (row == label) of_class += nodes;
            if (column == label) taken += nodes;
            if (row == label && column == label) found += nodes;
        }
    }
    if (of_class == 0 || of_class == all) return {};
    Json point = {{"found", 100.0 * found / of_class},
                  {"others_taken", 100.0 * (taken - found) / (all - of_class)}};
    if (taken > 0) point["right"] = 100.0 * found / taken;
    return point;
}

}  // namespace

Json ranking_json(const RunForReport& run, const Metrics& metrics) {
    const Dataset& dataset = run.graph.dataset;
    const std::vector<RankingCurve> curves = drawable(metrics);
    const bool single = dataset.classes() == 2 && curves.size() == 1;
    const Index positive = single ? curves.front().label : positive_class(dataset, run.split);
    Json json = {{"shown", shown_in_summary(run)},
                 {"positive", positive < 0 ? Json() : Json(dataset.class_names[positive])},
                 {"most_curves", most_ranking_curves},
                 {"curves", curves_value(curves)}};
    json.update(metrics_object<Json>(metrics));
    if (!run.manifest.decision.class_weights.empty()) json["weighed"] = true;
    if (const auto& threshold = run.manifest.decision.threshold) {
        json["threshold"] = 100.0 * threshold->least;
        json["threshold_class"] = threshold->positive;
    }
    for (Json& curve : json["curves"]) {
        const std::vector<Index>& row = metrics.confusion[curve.at("class").get<std::size_t>()];
        const auto nodes = std::accumulate(row.begin(), row.end(), Index{0});
        curve["nodes"] = nodes;
        curve["share"] = 100.0 * nodes / metrics.count;
        Json point = operating_point(metrics.confusion, curve.at("class").get<std::size_t>());
        if (!point.empty()) curve["predictions"] = std::move(point);
    }
    return json;
}

}  // namespace hwgcn
