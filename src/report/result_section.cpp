#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/metrics/metrics.hpp"
#include "hwgcn/metrics/statistics.hpp"

#include "base/fail.hpp"
#include "base/json_text.hpp"
#include "base/number_text.hpp"
#include "report/mean_json.hpp"
#include "report/report_page.hpp"

namespace hwgcn {
namespace {

using Json = nlohmann::ordered_json;

// The metric that the methods were compared by, where all of them have it; results of earlier versions name
// none. Else accuracy.
const MetricInfo& metric_of(const Json& result) {
    const MetricInfo& accuracy = metric_info(&Metrics::accuracy);
    const std::string key = result.value("metric", accuracy.key);
    const auto known = std::ranges::find(all_metrics(), key, &MetricInfo::key);
    if (known == all_metrics().end()) return accuracy;
    for (const char* const group : {"results", "baselines"}) {
        for (const Json& method : result.value(group, Json::array())) {
            const bool has_scores = method.contains("scores") && method["scores"].contains(key);
            if (!has_scores || method["scores"][key].at("mean").is_null()) return accuracy;
        }
    }
    return *known;
}

// One group: the methods of `hwgcn evaluate` and their baselines.
Json evaluation_json(const Json& result) {
    Json rows = Json::array();
    const int runs = result.at("runs").get<int>();
    const MetricInfo& metric = metric_of(result);
    const auto add = [&](const Json& methods) {
        for (const Json& method : methods) {
            const bool by_accuracy = metric.metric == &Metrics::accuracy;
            const Json& numbers = by_accuracy ? method : method.at("scores").at(metric.key);
            Json row = mean_json(numbers.at("mean").get<double>(), numbers.at("ci95").get<double>(), runs,
                                 100.0 * metric.least);
            row["label"] = method.at("method").get<std::string>();
            const Json& paired = method.at("paired");
            if (!paired.is_null() && runs > 1) {
                row["against"] = paired.at("against").get<std::string>();
                row["difference"] = paired.at("mean_difference").get<double>();
                row["p"] = paired.at("p_value").get<double>();
            }
            row["runs"] = numbers.at(by_accuracy ? "accuracies" : "runs").get<std::vector<double>>();
            rows.push_back(std::move(row));
        }
    };
    add(result.at("results"));
    add(result.value("baselines", Json::array()));
    const auto dataset = result.at("dataset").get<std::string>();
    const std::string name = fmt::format("{}, {}", dataset, result.at("split").get<std::string>());
    const Json group = {{"name", name}, {"runs", runs}, {"rows", rows}};
    return {{"title", dataset + ": methods compared"},
            {"metric", metric.title},
            {"groups", Json::array({group})},
            {"curves", Json::array()}};
}

// The group of that name, a new one where there is none yet.
Json& group_called(Json& groups, const std::string& name) {
    for (Json& group : groups) {
        if (group["name"] == name) return group;
    }
    return groups.emplace_back(Json{{"name", name}, {"rows", Json::array()}});
}

// "random:20, powers up to K=3": the order 3, and what comes before it, "random:20, powers".
std::optional<std::pair<std::string, int>> split_order(const std::string& setting) {
    const std::size_t place = setting.rfind("K=");
    if (place == std::string::npos || place < 2) return std::nullopt;
    const std::optional<int> order = parse_number<int>(std::string_view(setting).substr(place + 2));
    if (!order) return std::nullopt;
    std::string before = setting.substr(0, place);
    for (const std::string_view ending : {" up to ", ", "}) {
        if (before.ends_with(ending)) before.resize(before.size() - ending.size());
    }
    return std::pair{before, *order};
}

// A group per dataset and setting, or a curve where cells differ by the number of orders.
Json reproduction_json(const Json& result) {
    Json groups = Json::array();
    Json curves = Json::array();
    for (const Json& cell : result.at("cells")) {
        const auto setting = cell.at("setting").get<std::string>();
        const auto dataset = cell.at("dataset").get<std::string>();
        const int runs = cell.at("runs").get<int>();
        const double half = runs > 1 ? student_quantile(0.95, runs - 1) * cell.at("std").get<double>() /
                                           std::sqrt(static_cast<double>(runs))
                                     : 0.0;
        const auto order = split_order(setting);
        Json row = mean_json(cell.at("ours").get<double>(), half, runs);
        row["label"] = cell.at("method").get<std::string>();
        if (!cell.at("paper").is_null()) row["paper"] = cell.at("paper").get<double>();
        if (order) row["order"] = order->second;
        Json& group =
            group_called(order ? curves : groups, dataset + ", " + (order ? order->first : setting));
        group["runs"] = runs;
        group["rows"].push_back(std::move(row));
    }
    return {{"title", "Reproduction: " + result.at("target").get<std::string>()},
            {"metric", metric_info(&Metrics::accuracy).title},
            {"groups", groups},
            {"curves", curves}};
}

constexpr std::string_view expected = "is no result of hwgcn evaluate or hwgcn reproduce in JSON";

// What is no JSON at all is most likely another file.
Json parse_result(const std::string& file, const std::string& text) {
    try {
        return parse_json(file, text);
    } catch (const InputError& failure) {
        throw InputError(fmt::format("{}; the file {}", failure.what(), expected));
    }
}

}  // namespace

void add_result(ReportPage& page, const std::string& file, const std::string& text) {
    const auto refuse = [&](const std::string& why) {
        fail_in_file(file, fmt::format("{}: {}", expected, why));
    };
    if (text.empty()) refuse("it is empty");
    const Json result = parse_result(file, text);
    if (result.contains("settings_sha256")) refuse("it belongs to a run, whose folder is what report takes");
    const bool evaluated = result.contains("results");
    if (!evaluated && !result.contains("cells")) refuse("it has neither results nor cells");
    try {
        const Json json = evaluated ? evaluation_json(result) : reproduction_json(result);
        if (page.title.empty()) page.title = json.at("title").get<std::string>();
        page.results.push_back(json.dump(-1, ' ', false, Json::error_handler_t::replace));
        if (result.contains("dataset_sha256"))
            page.result_data[file] = result.at("dataset_sha256").get<std::string>();
    } catch (const Json::exception& failure) {
        refuse(failure.what());
    }
}

}  // namespace hwgcn
