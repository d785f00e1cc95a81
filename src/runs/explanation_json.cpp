#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "runs/result_values.hpp"

namespace hwgcn {
namespace {

using Json = nlohmann::ordered_json;

// The label of a node as a person may see it: null where there is none.
Json label_value(const Dataset& dataset, Index node) {
    const Index label = dataset.labels[node];
    return label == unlabelled || dataset.class_names[label].empty() ? Json()
                                                                     : Json(dataset.class_names[label]);
}

// Null where no way leads there.
Json distance_value(int distance) {
    return distance < 0 ? Json() : Json(distance);
}

}  // namespace

Json importances_value(const FeatureImportances& importances, std::size_t top) {
    Json json = {{"on", importances.on},           {"nodes", importances.nodes},
                 {"metric", importances.metric},   {"score", 100.0 * importances.score},
                 {"repeats", importances.repeats}, {"columns_in_all", importances.columns_in_all},
                 {"columns", Json::array()},       {"notes", importances.notes}};
    for (std::size_t k = 0; k < std::min(top, importances.columns.size()); ++k) {
        const FeatureImportance& column = importances.columns[k];
        Json drops = Json::array();
        for (const double drop : column.drops)
            drops.push_back(100.0 * drop);
        json["columns"].push_back({{"name", column.name},
                                   {"features", column.features.size()},
                                   {"drop", 100.0 * column.summary.mean},
                                   {"deviation", 100.0 * column.summary.std},
                                   {"drops", drops}});
    }
    return json;
}

std::string explanation_json(const Explanation& explanation, const Dataset& dataset, std::size_t top) {
    Json json = {{"node", node_id(dataset, explanation.node)},
                 {"kind", name_of(explanation.kind)},
                 {"predicted", dataset.class_names[explanation.predicted]},
                 {"runner_up", dataset.class_names[explanation.runner_up]},
                 {"label", label_value(dataset, explanation.node)},
                 {"probabilities", Json::object()},
                 {"margin", explanation.margin},
                 {"offset", explanation.offset},
                 {"rest", explanation.rest},
                 {"by_distance", Json::array()},
                 {"neighbors", Json::array()},
                 {"neighbors_in_all", explanation.neighbors.size()},
                 {"features", Json::array()},
                 {"features_in_all", explanation.features.size()}};
    for (std::size_t c = 0; c < explanation.probabilities.size(); ++c)
        json["probabilities"][dataset.class_names[c]] = explanation.probabilities[c];
    for (const DistanceShare& sum : explanation.by_distance) {
        json["by_distance"].push_back({{"order", distance_value(sum.distance)},
                                       {"nodes", sum.nodes},
                                       {"contribution", sum.contribution},
                                       {"share", 100.0 * sum.share}});
    }
    for (std::size_t k = 0; k < std::min(top, explanation.neighbors.size()); ++k) {
        const NeighborTerm& term = explanation.neighbors[k];
        Json path = Json::array();
        for (const Index node : term.path)
            path.push_back(node_id(dataset, node));
        json["neighbors"].push_back({{"id", node_id(dataset, term.node)},
                                     {"order", distance_value(term.distance)},
                                     {"weight", std::isnan(term.weight) ? Json() : Json(term.weight)},
                                     {"contribution", term.contribution},
                                     {"share", 100.0 * term.share},
                                     {"label", label_value(dataset, term.node)},
                                     {"path", path}});
    }
    for (std::size_t k = 0; k < std::min(top, explanation.features.size()); ++k) {
        const FeatureTerm& term = explanation.features[k];
        json["features"].push_back(
            {{"name", term.name}, {"contribution", term.contribution}, {"own", term.own}});
    }
    for (const MemberMargin& member : explanation.members) {
        json["members"].push_back({{"label", member.label},
                                   {"weight", member.share.weight},
                                   {"temperature", member.share.temperature},
                                   {"kind", member.kind ? Json(name_of(*member.kind)) : Json()},
                                   {"margin", member.margin}});
    }
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string importances_json(const FeatureImportances& importances, std::size_t top) {
    return importances_value(importances, top).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace hwgcn
