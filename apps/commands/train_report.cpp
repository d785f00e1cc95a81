#include "train_report.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/metrics/statistics.hpp"

#include "pipeline/baselines.hpp"
#include "runs/result_json.hpp"
#include "runs/run_title.hpp"
#include "tables.hpp"
#include "training/fit_options.hpp"

namespace hwgcn::cli {
namespace {

constexpr std::size_t paragraph_width = 96;

std::string percent_text(double share) {
    return fmt::format("{:.1f}", 100.0 * share);
}

// A column for each of the metrics, behind those that are there.
std::vector<Column> with_metrics(std::vector<Column> columns, std::span<const Metric> metrics) {
    for (const Metric metric : metrics) {
        const MetricInfo& info = metric_info(metric);
        columns.push_back({info.title + (info.in_percent ? " %" : "")});
    }
    return columns;
}

// Not known: nodes of one class only, or a result of an earlier version.
void add_cells(std::span<const Metric> columns, const Metrics& metrics, std::vector<std::string>& cells) {
    for (const Metric metric : columns) {
        const double number = metric_info(metric).shown(metrics);
        const char* const digits = metric_info(metric).in_percent ? "{:.1f}" : "{:.3f}";
        cells.push_back(std::isnan(number) ? "-" : fmt::format(fmt::runtime(digits), number));
    }
}

std::string metrics_text(const RunResult& result, bool ranked) {
    std::vector<Metric> shown = {&Metrics::accuracy, &Metrics::macro_f1, &Metrics::nll, &Metrics::ece};
    if (ranked) shown.insert(shown.begin() + 2, {&Metrics::balanced_accuracy, &Metrics::roc_auc});
    Table table(with_metrics({{"", Align::left}, {"nodes"}}, shown));
    for (const auto& [part, metrics] : result.parts()) {
        if (metrics->count == 0) continue;
        std::vector<std::string> cells = {part, grouped(metrics->count)};
        add_cells(shown, *metrics, cells);
        table.add(cells);
    }
    return table.text();
}

// What always answering the same would have got right: any result is to be compared with it.
std::string commonest_text(const Metrics& judged, const Dataset& dataset) {
    const std::vector<Index> support = class_support(judged);
    const CommonestClass commonest = commonest_class(support, support);
    if (commonest.label < 0) return "";  // of a run that was read from its file
    return fmt::format("\nAlways answering {} would have been right for {} of them.",
                       printable(dataset.class_names[commonest.label], 40), commonest.nodes);
}

// Where no node tests, the labels that were held out say what to expect: in turn, or to validate.
std::string expectation_text(const RunManifest& manifest, const Dataset& dataset) {
    if (!manifest.choice || manifest.choice->tried.empty() || manifest.result->test.count > 0) return "";
    const Choice& choice = *manifest.choice;
    const Metrics& held_out = choice.tried[choice.chosen].held_out;
    const auto [low, high] =
        choice.expected_accuracy.value_or(share_interval(held_out.accuracy, held_out.count));
    const Index left = choice.cross_fitted ? manifest.result->train.count - held_out.count : 0;
    return fmt::format(
        "On new nodes expect {:.0f} to {:.0f} % right: {} of {} labels were, when they were held "
        "out.{}{}{}\n",
        100.0 * low, 100.0 * high, std::lround(held_out.accuracy * held_out.count), held_out.count,
        choice.expected_accuracy && choice.tried.size() > 1 ? " The interval allows for their having chosen."
                                                            : "",
        left > 0 ? fmt::format(" {} of classes with a single one could not be.", counted(left, "label")) : "",
        commonest_text(held_out, dataset));
}

// Of two classes: how well the rarer one is found, by nodes that nothing was learned from.
std::string ranking_text(const RunManifest& manifest, const Dataset& dataset) {
    const auto [judged, kind] = judged_by(*manifest.result, manifest.choice);
    if (judged == nullptr || judged->positive < 0 || std::isnan(judged->average_precision)) return "";
    return fmt::format(
        "'{}' among the {} {}: ROC AUC {} %, average precision {} % (chance: {} %), MCC {} %.\n",
        printable(dataset.class_names[judged->positive], 40), grouped(judged->count), kind,
        percent_text(judged->roc_auc), percent_text(judged->average_precision),
        percent_text(static_cast<double>(class_support(*judged)[judged->positive]) / judged->count),
        percent_text(judged->mcc));
}

// Which candidate was chosen, or how much of an average each is.
std::string mark_of(const Choice& choice, std::size_t k) {
    if (!choice.average) return k == choice.chosen ? "  <- chosen" : "";
    const double weight = choice.tried[k].share.weight;
    return weight > 0 ? fmt::format("  <- weight {:.2f}", weight) : "";
}

// What was chosen, why, and how the others did.
std::string choice_text(const std::optional<Choice>& choice, bool ranked) {
    if (!choice) return "";
    std::string reason = wrapped(choice->reason, paragraph_width) + "\n\n";
    if (choice->tried.empty()) return reason;
    std::vector<Metric> shown = {&Metrics::nll, &Metrics::ece};
    if (ranked) shown.insert(shown.begin(), &Metrics::roc_auc);
    Table table(with_metrics({{"candidate", Align::left}, {"held-out accuracy %"}}, shown));
    for (std::size_t k = 0; k < choice->tried.size(); ++k) {
        const TriedMethod& tried = choice->tried[k];
        std::vector<std::string> cells = {tried.label + mark_of(*choice, k),
                                          percent_text(tried.held_out.accuracy)};
        add_cells(shown, tried.held_out, cells);
        table.add(cells);
    }
    if (choice->average) {
        std::vector<std::string> cells = {"the average", percent_text(choice->average->held_out.accuracy)};
        add_cells(shown, choice->average->held_out, cells);
        table.add(cells);
    }
    return reason + table.text() + "\n";
}

std::string classes_text(const Metrics& test, const Dataset& dataset) {
    if (test.count == 0) return "";
    Table table({{"class (test nodes)", Align::left}, {"nodes"}, {"precision %"}, {"recall %"}, {"F1 %"}});
    for (std::size_t c = 0; c < test.classes.size(); ++c) {
        const ClassMetrics& metrics = test.classes[c];
        table.add({printable(dataset.class_names[c], 40), grouped(metrics.support),
                   percent_text(metrics.precision), percent_text(metrics.recall), percent_text(metrics.f1)});
    }
    return table.text() + "\n";
}

std::string baselines_text(const RunManifest& manifest) {
    const RunResult& result = *manifest.result;
    if (result.baselines.empty()) return "";
    const bool tested = result.test.count > 0;
    const auto judged = [&](const auto& one) -> const Metrics& { return tested ? one.test : one.validation; };
    Table table({{"for comparison", Align::left},
                 {tested ? "test accuracy %" : "validation accuracy %"},
                 {"what it shows", Align::left}});
    for (const Baseline& baseline : result.baselines) {
        table.add({method_info(baseline.method).title, percent_text(judged(baseline).accuracy),
                   baseline_role(baseline.method)});
    }
    const Metrics& own = judged(result);
    const CommonestClass commonest = commonest_class(class_support(result.train), class_support(own));
    table.add({"commonest class", percent_text(static_cast<double>(commonest.nodes) / own.count),
               "neither: always the same answer"});
    std::string text = table.text();
    for (const std::string& remark : baseline_remarks(manifest.settings, own, result.baselines, tested))
        text += remark + "\n";
    return text + "\n";
}

// How probabilities become classes, where it is not the most probable one.
std::string decision_text(const RunManifest& manifest, const Dataset& dataset) {
    const Decision& decision = manifest.decision;
    std::string text;
    if (!decision.class_weights.empty()) {
        const auto [least, most] = std::ranges::minmax_element(decision.class_weights);
        const auto name = [&](auto place) {
            return printable(
                dataset.class_names[static_cast<std::size_t>(place - decision.class_weights.begin())], 40);
        };
        text += fmt::format(
            "Labels counted from {:.3g} ({}) to {:.3g} ({}) in the loss; this is divided out of the "
            "probabilities{}.\n",
            *least, name(least), *most, name(most),
            decision.threshold ? "" : " again, but not out of the decision for a class");
    }
    if (!decision.threshold) return text;
    const auto [positive, least] = *decision.threshold;
    const char* const why = manifest.threshold.kind == ThresholdRule::Kind::f1 ? ", which is best for its F1"
                            : manifest.threshold.is_fitted() ? ", which is best for balanced accuracy"
                                                             : "";
    return text + fmt::format("{} is predicted from a probability of {:.3g} on{}.\n",
                              printable(dataset.class_names[positive], 40), least, why);
}

Json threshold_json(const RunManifest& manifest, const Dataset& dataset) {
    if (!manifest.decision.threshold) return {};
    const auto [positive, least] = *manifest.decision.threshold;
    return {{"rule", manifest.threshold.text()}, {"class", dataset.class_names[positive]}, {"value", least}};
}

Json class_weights_json(const RunManifest& manifest, const Dataset& dataset) {
    if (manifest.decision.class_weights.empty()) return {};
    Json weights = Json::object();
    for (std::size_t c = 0; c < manifest.decision.class_weights.size(); ++c)
        weights[dataset.class_names[c]] = manifest.decision.class_weights[c];
    return weights;
}

// Whether the probabilities can be trusted.
std::string calibration_text(const RunManifest& manifest) {
    const Index nodes = calibration_labels(manifest);
    if (nodes == 0) {
        return "No label was held out to tell how sure the predictions should be:\n"
               "take the probabilities as a ranking only.\n";
    }
    if (nodes < enough_to_calibrate) {
        return fmt::format(
            "Probabilities were adjusted (temperature {:.2f}) by only {}: take them as a ranking.\n",
            manifest.temperature, counted(nodes, "held-out node"));
    }
    const Decision& decision = manifest.decision;
    std::vector<std::string> means{fmt::format("the temperature {:.2f}", manifest.temperature)};
    if (decision.offset != 0) means.push_back(fmt::format("{:+.2f} in the log-odds", decision.offset));
    if (decision.smoothing >= 0.0005)
        means.push_back(fmt::format("a share of {:.1f} % of equal probabilities", 100 * decision.smoothing));
    std::string text = fmt::format("Probabilities are calibrated by {}", fmt::join(means, ", "));
    if (manifest.result->test.count > 0)
        text += fmt::format(";\nwithout {} the calibration error would be {} %",
                            means.size() > 1 ? "these" : "it", percent_text(manifest.result->raw_ece));
    return text + ".\n";
}

// What the other rule of selection would have given, where it would be another epoch.
std::string alternative_rule_text(const RunManifest& manifest) {
    const RunResult& result = *manifest.result;
    if (result.alternative_epoch == 0 || result.alternative_epoch == result.best_epoch ||
        result.test.count == 0)
        return "";
    const bool by_loss = manifest.settings.fit().selection == Selection::loss;
    return fmt::format("Selected by validation {}, epoch {}: {} % of the test nodes.\n",
                       by_loss ? "accuracy" : "loss", result.alternative_epoch,
                       percent_text(result.alternative_accuracy.value_or(0.0)));
}

Json selection_json(const RunManifest& manifest) {
    const RunResult& result = *manifest.result;
    if (result.alternative_epoch == 0) return {};
    const auto entry = [&](int epoch, double accuracy) {
        return Json{{"epoch", epoch},
                    {"test_accuracy", result.test.count > 0 ? Json(100.0 * accuracy) : Json()}};
    };
    const Json own = entry(result.best_epoch, result.test.accuracy);
    const Json other = entry(result.alternative_epoch, result.alternative_accuracy.value_or(0.0));
    const std::string& name = manifest.settings.value("selection");
    if (name == "loss") return {{"accuracy", other}, {"loss", own}};
    return {{name == "auto" ? "accuracy" : name, own}, {"loss", other}};
}

// Nothing, not 0, where no node was judged.
Json number_or_null(const Metrics& metrics, Metric metric) {
    return metrics.count > 0 ? known_or_null<Json>(metric_info(metric).shown(metrics)) : Json();
}

Json classes_json(const Metrics& test, const Dataset& dataset) {
    Json classes = Json::array();
    for (std::size_t c = 0; c < test.classes.size(); ++c) {
        const ClassMetrics& metrics = test.classes[c];
        classes.push_back({{"name", dataset.class_names[c]},
                           {"support", metrics.support},
                           {"precision", 100.0 * metrics.precision},
                           {"recall", 100.0 * metrics.recall},
                           {"f1", 100.0 * metrics.f1}});
    }
    return classes;
}

// Reading is named where it is a good part of the whole.
std::string time_text(const FinishedTraining& run) {
    const bool is_long = run.seconds_reading >= 1 && run.seconds_reading >= 0.1 * run.seconds;
    return duration_text(run.seconds) +
           (is_long ? fmt::format(" ({} of it to read the data)", duration_text(run.seconds_reading)) : "");
}

// Each part as in run.json; null where it has no nodes.
Json metrics_by_part(const RunResult& result) {
    Json json = Json::object();
    for (const auto& [part, metrics] : result.parts())
        json[part] = metrics->count > 0 ? metrics_object<Json>(*metrics) : Json();
    return json;
}

Json baselines_json(const std::vector<Baseline>& baselines) {
    Json json = Json::object();
    for (const auto& [method, validation, test] : baselines) {
        Json& numbers = json[method];
        numbers["validation_accuracy"] = number_or_null(validation, &Metrics::accuracy);
        numbers["test_accuracy"] = number_or_null(test, &Metrics::accuracy);
        for (const MetricInfo& info : all_metrics()) {
            if (info.more_is_better && info.metric != &Metrics::accuracy)
                numbers[info.key] = number_or_null(test, info.metric);
        }
    }
    return json;
}

Json reliability_json(const Metrics& test) {
    Json bins = Json::array();
    for (const ReliabilityBin& bin : test.reliability) {
        bins.push_back({{"lower", bin.lower},
                        {"upper", bin.upper},
                        {"count", bin.count},
                        {"mean_confidence", 100.0 * bin.mean_confidence},
                        {"accuracy", 100.0 * bin.accuracy}});
    }
    return bins;
}

Json settings_json(const MethodSettings& settings) {
    Json json = Json::object();
    for (const Setting& setting : listed_settings(settings))
        json[setting.name] = setting.text;
    return json;
}

// Of an average.
Json members_json(const RunManifest& manifest) {
    Json json = Json::array();
    for (const Member& member : members_of(manifest)) {
        json.push_back({{"label", method_label(member.settings)},
                        {"method", member.settings.method()},
                        {"weight", member.share.weight},
                        {"temperature", member.share.temperature},
                        {"settings", settings_json(member.settings)}});
    }
    return json;
}

}  // namespace

std::string text_of(const FinishedTraining& run) {
    const RunManifest& manifest = run.manifest;
    const RunResult& result = *manifest.result;
    const Dataset& dataset = run.graph.dataset;
    const bool ranked = shows_ranking(class_support(result.train));
    std::string text = heading(printable(run_title(manifest))) +
                       fmt::format(": {}, split {}, seed {}\n\n", run_label(manifest),
                                   printable(manifest.split, 200), manifest.seed);
    text += choice_text(manifest.choice, ranked) + metrics_text(result, ranked) + "\n" +
            classes_text(result.test, dataset) + baselines_text(manifest) +
            expectation_text(manifest, dataset) + ranking_text(manifest, dataset) + run.model.summary + "\n" +
            alternative_rule_text(manifest) + calibration_text(manifest) + decision_text(manifest, dataset);
    text += fmt::format("{} on {}, at most {}.\n", time_text(run), counted(run.threads, "thread"),
                        memory_text(run.peak_mb));
    if (run.out.empty()) return text + "Nothing was written; --out RUN keeps the model.\n";
    const std::string folder = printable(run.out.string(), 300);
    return text +
           fmt::format("Written: {0}\nNext: hwgcn predict {0} --out predictions.csv, hwgcn report {0}\n",
                       folder);
}

Json json_of(const FinishedTraining& run) {
    const RunManifest& manifest = run.manifest;
    const RunResult& result = *manifest.result;
    const Metrics& test = result.test;
    Json json = {{"dataset", manifest.dataset},
                 {"name", run_title(manifest)},
                 {"method", members_name(members_of(manifest))},
                 {"order", members_order(members_of(manifest))},
                 {"split", manifest.split},
                 {"seed", manifest.seed},
                 {"epochs", result.epochs},
                 {"best_epoch", result.best_epoch},
                 {"raw_ece", test.count > 0 ? Json(100.0 * result.raw_ece) : Json()},
                 {"temperature", manifest.temperature},
                 {"smoothing", manifest.decision.smoothing},
                 {"offset", manifest.decision.offset},
                 {"class_weights", class_weights_json(manifest, run.graph.dataset)},
                 {"threshold", threshold_json(manifest, run.graph.dataset)},
                 {"seconds", run.seconds},
                 {"seconds_reading", run.seconds_reading},
                 {"summary", run.model.summary},
                 {"choice", manifest.choice ? choice_object<Json>(*manifest.choice) : Json()},
                 {"by_selection", selection_json(manifest)},
                 {"classes", classes_json(test, run.graph.dataset)},
                 {"baselines", baselines_json(result.baselines)},
                 {"confusion", test.confusion},
                 {"reliability", reliability_json(test)},
                 {"dataset_sha256", manifest.dataset_hash},
                 {"split_sha256", manifest.split_hash},
                 {"settings", Json::object()},
                 {"resumed_after", run.model.resumed_after},
                 {"threads", run.threads},
                 {"peak_mb", run.peak_mb},
                 {"out", run.out.empty() ? Json() : Json(run.out.string())},
                 {"notes", run.notes}};
    for (const auto& [part, metrics] : result.parts()) {
        json[part + std::string("_nodes")] = metrics->count;
        json[part + std::string("_accuracy")] = number_or_null(*metrics, &Metrics::accuracy);
    }
    for (const MetricInfo& info : all_metrics()) {
        if (info.metric != &Metrics::accuracy) json[info.key] = number_or_null(test, info.metric);
    }
    json["positive_class"] = test.positive < 0 ? Json() : Json(run.graph.dataset.class_names[test.positive]);
    json["metrics"] = metrics_by_part(result);
    json["settings"] = settings_json(manifest.settings);
    if (!manifest.others.empty()) json["members"] = members_json(manifest);
    return json;
}

}  // namespace hwgcn::cli
