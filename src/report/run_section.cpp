#include "report/run_section.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/version.hpp"
#include "hwgcn/metrics/statistics.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "graph/summary.hpp"
#include "metrics/calibration.hpp"
#include "metrics/ranking.hpp"
#include "pipeline/baselines.hpp"
#include "report/data_section.hpp"
#include "report/explorer_section.hpp"
#include "report/mean_json.hpp"
#include "report/ranking_section.hpp"
#include "runs/result_values.hpp"
#include "runs/run_title.hpp"
#include "training/fit_options.hpp"
#include "training/selection.hpp"

namespace hwgcn {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_predictions =
    200;  // of nodes without a label: the table is for looking, not for all

// Nothing where there is no number, which JSON cannot write.
Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json();
}

// A share of nodes that were got right, with its interval, in percent.
Json accuracy_json(const Metrics& metrics) {
    const auto [low, high] = share_interval(metrics.accuracy, metrics.count);
    return {{"nodes", metrics.count},
            {"accuracy", 100.0 * metrics.accuracy},
            {"low", 100.0 * low},
            {"high", 100.0 * high}};
}

Json part_json(const char* name, const Metrics& metrics) {
    Json json = {{"part", name}};
    json.update(metrics_object<Json>(metrics));
    json.update(accuracy_json(metrics));
    return json;
}

Json graph_json(const PreparedGraph& graph) {
    const Dataset& dataset = graph.dataset;
    const GraphSummary summary = summarize_graph(graph.graph, dataset.labels);
    return {{"nodes", dataset.nodes},
            {"edges", graph.graph.edges()},
            {"features", graph.features.scaled->columns},
            {"labelled", dataset.nodes - std::ranges::count(dataset.labels, unlabelled)},
            {"components", summary.components},
            {"isolated", summary.isolated},
            {"mean_degree", summary.mean_degree},
            {"labelled_edges", summary.labelled_edges},
            {"homophily", number(100.0 * summary.homophily)}};
}

Json history_json(const std::vector<EpochRecord>& history) {
    if (history.empty()) return {};
    Json epochs = Json::array();
    // Five digits are more than a curve shows.
    const auto rounded = [](double value) { return number(std::round(value * 1e5) / 1e5); };
    for (const EpochRecord& record : history) {
        epochs.push_back({record.epoch, rounded(record.train_loss), rounded(record.validation_loss),
                          rounded(100.0 * record.validation_accuracy)});
    }
    return epochs;
}

// With intervals, for the charts.
Json choice_section(const std::optional<Choice>& choice) {
    if (!choice) return {};
    Json json = choice_object<Json>(*choice);
    for (std::size_t k = 0; k < choice->tried.size(); ++k)
        json["candidates"][k].update(accuracy_json(choice->tried[k].held_out));
    return json;
}

// The method and the two baselines on the same nodes.
Json comparison_json(const RunManifest& manifest, bool tested) {
    Json rows = Json::array();
    const auto add = [&](const std::string& label, const std::string& role, const Metrics& metrics) {
        Json row = {{"label", label}, {"role", role}};
        row.update(accuracy_json(metrics));
        rows.push_back(std::move(row));
    };
    const auto judged = [&](const auto& result) -> const Metrics& {
        return tested ? result.test : result.validation;
    };
    add(run_label(manifest), "", judged(*manifest.result));
    for (const Baseline& baseline : manifest.result->baselines)
        add(method_info(baseline.method).title, baseline_role(baseline.method), judged(baseline));
    return rows;
}

Json reliability_json(const Metrics& metrics) {
    Json bins = Json::array();
    for (const ReliabilityBin& bin : metrics.reliability) {
        if (bin.count == 0) continue;
        const auto [low, high] = share_interval(bin.accuracy, bin.count);
        bins.push_back({{"lower", bin.lower},
                        {"upper", bin.upper},
                        {"count", bin.count},
                        {"confidence", 100.0 * bin.mean_confidence},
                        {"accuracy", 100.0 * bin.accuracy},
                        {"low", 100.0 * low},
                        {"high", 100.0 * high}});
    }
    return bins;
}

// What the answer "always the commonest class of the training nodes" gets right of the judged ones.
Json commonest_json(const RunForReport& run, const Metrics& judged) {
    const Dataset& dataset = run.graph.dataset;
    const std::vector<Index> training = class_support(dataset.labels, run.split.train, dataset.classes());
    const CommonestClass commonest = commonest_class(training, class_support(judged));
    if (commonest.label < 0 || judged.count == 0) return {};
    return {{"name", dataset.class_names[commonest.label]},
            {"accuracy", 100.0 * commonest.nodes / judged.count}};
}

// By training labels that were held out in turn, calibrated by those of the other folds: the temperature of
// the run was fitted on all of them. Runs of earlier versions have no such numbers.
Json held_out_judgement_json(const RunForReport& run) {
    const std::optional<Choice>& choice = run.manifest.choice;
    if (!choice || choice->tried.empty()) return {};
    const Metrics& held_out = choice->tried[choice->chosen].held_out;
    if (held_out.confusion.empty()) return {};
    Json json = {{"on", "held_out"},
                 {"nodes", held_out.count},
                 {"commonest", commonest_json(run, held_out)},
                 {"comparison", Json::array()},
                 {"confusion", held_out.confusion},
                 {"ranking", ranking_json(run, held_out)},
                 {"raw_reliability", reliability_json(held_out)},
                 {"raw_ece", 100.0 * held_out.ece}};
    if (!choice->calibrated) return json;
    json["reliability"] = reliability_json(*choice->calibrated);
    json["ece"] = 100.0 * choice->calibrated->ece;
    return json;
}

// How the predictions stand up to the labels of the test nodes; without any, of the validation nodes; without
// these, of the training nodes that were held out in turn.
Json judgement_json(const RunForReport& run, ConstMatrixView probabilities, const ExecutionControl& control) {
    const bool tested = !run.split.test.empty();
    const std::vector<Index>& nodes = tested ? run.split.test : run.split.validation;
    if (nodes.empty()) return held_out_judgement_json(run);
    const std::vector<Index>& labels = run.graph.dataset.labels;
    const MetricsOptions options{.positive = positive_class(run.graph.dataset, run.split),
                                 .decision = run.manifest.decision};
    const Metrics raw = compute_metrics(run.probabilities, labels, nodes, control, options);
    const Metrics judged = compute_metrics(probabilities, labels, nodes, control, options);
    Json json = {
        {"on", tested ? "test" : "validation"},
        {"nodes", raw.count},
        {"commonest", commonest_json(run, raw)},
        {"comparison", comparison_json(run.manifest, tested)},
        {"remarks", baseline_remarks(run.manifest.settings, raw, run.manifest.result->baselines, tested)},
        {"confusion", judged.confusion},
        {"ranking", ranking_json(run, judged)},
        {"raw_reliability", reliability_json(raw)},
        {"raw_ece", 100.0 * raw.ece}};
    if (!tested) return json;  // the temperature was fitted on these very nodes
    json["reliability"] = reliability_json(judged);
    json["ece"] = 100.0 * judged.ece;
    return json;
}

Json weights_json(const LearnedWeights& weights) {
    Json orders = Json::array();
    for (const OrderWeights& order : weights.orders) {
        const OrderSummary& summary = order.summary;
        orders.push_back({{"order", summary.order},
                          {"problems", summary.problems},
                          {"ring_pairs", summary.ring_pairs},
                          {"largest_ring", summary.largest_ring},
                          {"support", summary.support},
                          {"kept", summary.kept},
                          {"worst_gap", summary.worst_gap},
                          {"statistics", summary.statistics_percent}});
    }
    return orders;
}

Json orders_json(const std::vector<MethodResult>& results) {
    Json points = Json::array();
    for (const MethodResult& result : results) {
        const SampleSummary accuracy = result.accuracy();
        Json point = mean_json(accuracy.mean, accuracy.ci95, accuracy.count);
        point["order"] = order_of(std::get<MethodSettings>(result.method));
        points.push_back(std::move(point));
    }
    return points;
}

Json settings_json(const MethodSettings& settings) {
    Json json = Json::object();
    for (const Setting& setting : listed_settings(settings))
        json[setting.name] = setting.text;
    return json;
}

// Of an average; else none.
Json members_json(const RunManifest& manifest) {
    Json json = Json::array();
    if (manifest.others.empty()) return json;
    for (const Member& member : members_of(manifest)) {
        json.push_back({{"label", method_label(member.settings)},
                        {"weight", member.share.weight},
                        {"settings", settings_json(member.settings)}});
    }
    return json;
}

// What is called by it in sentences on the method.
std::string title_of(const RunManifest& manifest) {
    return manifest.others.empty() ? method_info(manifest.settings.method()).title : "The average";
}

bool uses_graph(const RunManifest& manifest) {
    return std::ranges::any_of(members_of(manifest), [](const Member& member) {
        return method_info(member.settings.method()).uses_graph;
    });
}

}  // namespace

MethodSettings method_of_weights(const RunManifest& manifest) {
    const std::vector<Member> members = members_of(manifest);
    return std::ranges::max_element(members, {}, [](const Member& one) { return order_of(one.settings); })
        ->settings;
}

Json run_json(const RunForReport& run, ConstMatrixView probabilities, const ExecutionControl& control) {
    const RunManifest& manifest = run.manifest;
    const RunResult& result = *manifest.result;
    Json parts = Json::array();
    for (const auto& [name, metrics] : result.parts()) {
        if (metrics->count > 0) parts.push_back(part_json(name, *metrics));
    }
    return {{"version", version()},
            {"dataset", run_title(manifest)},
            {"method", run_label(manifest)},
            {"title", title_of(manifest)},
            {"order", members_order(members_of(manifest))},
            {"uses_graph", uses_graph(manifest)},
            {"split", manifest.split},
            {"seed", manifest.seed},
            {"temperature", manifest.temperature},
            {"offset", manifest.decision.offset},
            {"smoothing", manifest.decision.smoothing},
            {"calibration_labels", calibration_labels(manifest)},
            {"enough_to_calibrate", enough_to_calibrate},
            {"best_epoch", result.best_epoch},
            {"selection", selection_title(manifest.settings.fit().selection)},
            {"classes", run.graph.dataset.class_names},
            {"graph", graph_json(run.graph)},
            {"features", features_json(run)},
            {"importances", importances_section(run)},
            {"unlabelled", unlabelled_json(run, probabilities, most_predictions)},
            {"parts", parts},
            {"choice", choice_section(manifest.choice)},
            {"judgement", judgement_json(run, probabilities, control)},
            {"history", history_json(run.history)},
            {"orders", orders_json(run.orders)},
            {"weights", weights_json(run.weights)},
            {"settings", settings_json(manifest.settings)},
            {"members", members_json(manifest)},
            {"dataset_sha256", manifest.dataset_hash}};
}

void add_run(ReportPage& page, const RunForReport& run, const ExecutionControl& control,
             const ExplorerLimits& limits) {
    DenseMatrix probabilities(run.probabilities.rows, run.probabilities.columns);
    std::copy_n(run.probabilities.data, run.probabilities.size(), probabilities.numbers().begin());
    const Decision& decision = run.manifest.decision;
    apply_calibration(probabilities, {run.manifest.temperature, decision.offset, decision.smoothing});
    Json json = run_json(run, probabilities, control);
    json["explorer"] = explorer_json(run, probabilities, control, limits, page.notes);
    for (const auto& [file, data] : page.result_data) {
        if (data == run.manifest.dataset_hash) continue;
        page.notes.push_back(
            fmt::format("{} was measured on other data than this run: do not compare their numbers.", file));
    }
    json["notes"] = page.notes;
    page.title = fmt::format("{}: {}", run_title(run.manifest), run_label(run.manifest));
    // Names from outside need not be UTF-8, JSON must be.
    page.run = json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace hwgcn
