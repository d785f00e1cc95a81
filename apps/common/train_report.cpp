#include "train_report.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/metrics/score.hpp"
#include "hwgcn/metrics/statistics.hpp"
#include "hwgcn/runs/result_json.hpp"
#include "hwgcn/runs/run_title.hpp"

#include "tables.hpp"

namespace hwgcn::cli {
namespace {

constexpr std::size_t paragraph_width = 96;

std::string percent_text(double share) {
    return fmt::format("{:.1f}", 100.0 * share);
}

// Not known: nodes of one class only, or a result of an earlier version.
std::string percent_or_dash(double share) {
    return std::isnan(share) ? "-" : percent_text(share);
}

// Whether accuracy alone says too little.
bool shows_ranking_of(const Metrics& train) {
    std::vector<Index> labels;
    for (const ClassMetrics& metrics : train.classes)
        labels.push_back(metrics.support);
    return shows_ranking(labels);
}

std::string scores_text(const RunScores& scores) {
    const bool ranked = shows_ranking_of(scores.train);
    std::vector<Column> columns = {{"", Align::left}, {"nodes"}, {"accuracy %"}, {"macro-F1 %"}};
    if (ranked) columns.insert(columns.end(), {{"balanced %"}, {"ROC AUC %"}});
    columns.insert(columns.end(), {{"log loss"}, {"calibration error %"}});
    Table table(columns);
    const auto add = [&](const char* part, const Metrics& metrics) {
        if (metrics.count == 0) return;
        std::vector<std::string> cells = {part, grouped(metrics.count), percent_text(metrics.accuracy),
                                          percent_text(metrics.macro_f1)};
        if (ranked) {
            cells.push_back(percent_or_dash(metrics.balanced_accuracy));
            cells.push_back(percent_or_dash(metrics.roc_auc));
        }
        cells.insert(cells.end(), {fmt::format("{:.3f}", metrics.nll), percent_text(metrics.ece)});
        table.add(cells);
    };
    add("train", scores.train);
    add("validation", scores.validation);
    add("test", scores.test);
    return table.text();
}

// What always answering the same would have got right, which any result is to be seen beside.
std::string commonest_text(const Metrics& judged, const Dataset& dataset) {
    if (judged.classes.empty()) return "";  // of a run that was read from its file
    const auto commonest = std::ranges::max_element(judged.classes, {}, &ClassMetrics::support);
    return fmt::format(
        "\nAlways answering {} would have been right for {} of them.",
        printable(dataset.class_names[static_cast<std::size_t>(commonest - judged.classes.begin())], 40),
        commonest->support);
}

// Where all labels train, accuracy on them says nothing: what was held out in turn does.
std::string expectation_text(const RunManifest& manifest, const Dataset& dataset) {
    if (!manifest.choice || !manifest.choice->cross_fitted || manifest.choice->tried.empty()) return "";
    const Metrics& held_out = manifest.choice->tried[manifest.choice->chosen].held_out;
    const auto [low, high] = share_interval(held_out.accuracy, held_out.count);
    const Index left = manifest.scores->train.count - held_out.count;
    return fmt::format(
        "On new nodes expect {:.0f} to {:.0f} % right: {} of {} labels were, when they were held out.{}{}\n",
        100.0 * low, 100.0 * high, std::lround(held_out.accuracy * held_out.count), held_out.count,
        left > 0 ? fmt::format(" {} of classes with a single one could not be.", counted(left, "label")) : "",
        commonest_text(held_out, dataset));
}

// Of two classes: how well the rarer one is found, by nodes that nothing was learned from.
std::string ranking_text(const RunManifest& manifest, const Dataset& dataset) {
    const RunScores& scores = *manifest.scores;
    const std::optional<Choice>& choice = manifest.choice;
    const Metrics* judged = &scores.test;
    std::string_view kind = "test nodes";
    if (judged->count == 0) std::tie(judged, kind) = std::tuple(&scores.validation, "validation nodes");
    if (judged->count == 0 && choice && !choice->tried.empty())
        std::tie(judged, kind) = std::tuple(&choice->tried[choice->chosen].held_out, "held-out labels");
    if (judged->positive < 0 || std::isnan(judged->average_precision)) return "";
    return fmt::format(
        "'{}' among the {} {}: ROC AUC {} %, average precision {} % (chance: {} %), MCC {} %.\n",
        printable(dataset.class_names[judged->positive], 40), grouped(judged->count), kind,
        percent_text(judged->roc_auc), percent_text(judged->average_precision),
        percent_text(static_cast<double>(judged->classes[judged->positive].support) / judged->count),
        percent_text(judged->mcc));
}

// What was chosen, why, and how the others did.
std::string choice_text(const std::optional<Choice>& choice, bool ranked) {
    if (!choice) return "";
    std::string reason = wrapped(choice->reason, paragraph_width) + "\n\n";
    if (choice->tried.empty()) return reason;
    std::vector<Column> columns = {{"candidate", Align::left}, {"held-out accuracy %"}};
    if (ranked) columns.push_back({"ROC AUC %"});
    columns.insert(columns.end(), {{"log loss"}, {"calibration error %"}});
    Table table(columns);
    for (std::size_t k = 0; k < choice->tried.size(); ++k) {
        const TriedMethod& tried = choice->tried[k];
        std::vector<std::string> cells = {tried.label + (k == choice->chosen ? "  <- chosen" : ""),
                                          percent_text(tried.held_out.accuracy)};
        if (ranked) cells.push_back(percent_or_dash(tried.held_out.roc_auc));
        cells.insert(cells.end(),
                     {fmt::format("{:.3f}", tried.held_out.nll), percent_text(tried.held_out.ece)});
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

// How many of the judged nodes have the class that is the most frequent in training: of several, as in a
// split with as many of each, the one that does best, so that nothing looks better beside it than it is.
double commonest_class_share(const Metrics& train, const Metrics& judged) {
    std::pair<Index, Index> commonest;
    for (std::size_t c = 0; c < train.classes.size(); ++c)
        commonest = std::max(commonest, {train.classes[c].support, judged.classes[c].support});
    return static_cast<double>(commonest.second) / judged.count;
}

std::string baselines_text(const RunManifest& manifest) {
    const RunScores& scores = *manifest.scores;
    if (scores.baselines.empty()) return "";
    const bool tested = scores.test.count > 0;
    const auto judged = [&](const auto& result) -> const Metrics& {
        return tested ? result.test : result.validation;
    };
    Table table({{"for comparison", Align::left},
                 {tested ? "test accuracy %" : "validation accuracy %"},
                 {"what it shows", Align::left}});
    for (const Baseline& baseline : scores.baselines) {
        table.add({method_info(baseline.method).title, percent_text(judged(baseline).accuracy),
                   baseline_role(baseline.method)});
    }
    table.add({"commonest class", percent_text(commonest_class_share(scores.train, judged(scores))),
               "neither: always the same answer"});
    std::string text = table.text();
    for (const std::string& remark :
         baseline_remarks(manifest.settings, judged(scores), scores.baselines, tested))
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
    const RunScores& scores = *manifest.scores;
    const Index nodes = calibration_labels(manifest);
    if (nodes == 0) {
        return "No label was held out, so that nobody knows how sure the predictions should be:\n"
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
    if (scores.test.count > 0)
        text += fmt::format(";\nwithout {} the calibration error would be {} %",
                            means.size() > 1 ? "these" : "it", percent_text(scores.raw_ece));
    return text + ".\n";
}

// What the other rule of selection would have given, where it would be another epoch.
std::string alternative_rule_text(const RunManifest& manifest) {
    const RunScores& scores = *manifest.scores;
    if (scores.alternative_epoch == 0 || scores.alternative_epoch == scores.best_epoch ||
        scores.test.count == 0)
        return "";
    const bool by_loss = manifest.settings.fit().selection == Selection::loss;
    return fmt::format("Selected by validation {}, epoch {}: {} % of the test nodes.\n",
                       by_loss ? "accuracy" : "loss", scores.alternative_epoch,
                       percent_text(scores.alternative_accuracy));
}

Json selection_json(const RunManifest& manifest) {
    const RunScores& scores = *manifest.scores;
    if (scores.alternative_epoch == 0) return {};
    const auto entry = [&](int epoch, double accuracy) {
        return Json{{"epoch", epoch},
                    {"test_accuracy", scores.test.count > 0 ? Json(100.0 * accuracy) : Json()}};
    };
    const Json own = entry(scores.best_epoch, scores.test.accuracy);
    const Json other = entry(scores.alternative_epoch, scores.alternative_accuracy);
    const std::string& name = manifest.settings.value("selection");
    if (name == "loss") return {{"accuracy", other}, {"loss", own}};
    return {{name == "auto" ? "accuracy" : name, own}, {"loss", other}};
}

// Nothing, not 0, where no node was judged.
Json number_or_null(const Metrics& metrics, double number) {
    return metrics.count > 0 ? Json(number) : Json();
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

// The four that tell more than accuracy where a class is rare; null where they are not known.
void add_ranking(Json& json, const Metrics& test) {
    const Json all = Json::parse(metrics_json(test));
    for (const char* const key : {"roc_auc", "average_precision", "balanced_accuracy", "mcc"})
        json[key] = test.count > 0 ? all.at(key) : Json();
}

// Reading is named where it is a good part of the whole.
std::string time_text(const FinishedTraining& run) {
    const bool is_long = run.seconds_reading >= 1 && run.seconds_reading >= 0.1 * run.seconds;
    return duration_text(run.seconds) +
           (is_long ? fmt::format(" ({} of it to read the data)", duration_text(run.seconds_reading)) : "");
}

// Each part as in run.json; null where it has no nodes.
Json metrics_by_part(const RunScores& scores) {
    const auto part = [](const Metrics& metrics) {
        return metrics.count > 0 ? Json::parse(metrics_json(metrics)) : Json();
    };
    return {
        {"train", part(scores.train)}, {"validation", part(scores.validation)}, {"test", part(scores.test)}};
}

Json baselines_json(const std::vector<Baseline>& baselines) {
    Json json = Json::object();
    for (const Baseline& baseline : baselines) {
        const Metrics& test = baseline.test;
        json[baseline.method] = {{"validation_accuracy",
                                  number_or_null(baseline.validation, 100.0 * baseline.validation.accuracy)},
                                 {"test_accuracy", number_or_null(test, 100.0 * test.accuracy)},
                                 {"macro_f1", number_or_null(test, 100.0 * test.macro_f1)}};
        add_ranking(json[baseline.method], test);
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

}  // namespace

std::string text_of(const FinishedTraining& run) {
    const RunManifest& manifest = run.manifest;
    const RunScores& scores = *manifest.scores;
    std::string text = heading(printable(run_title(manifest))) +
                       fmt::format(": {}, split {}, seed {}\n\n", method_label(manifest.settings),
                                   printable(manifest.split, 200), manifest.seed);
    text += choice_text(manifest.choice, shows_ranking_of(scores.train)) + scores_text(scores) + "\n" +
            classes_text(scores.test, run.graph.dataset) + baselines_text(manifest) +
            expectation_text(manifest, run.graph.dataset) + ranking_text(manifest, run.graph.dataset) +
            run.model.summary + "\n" + alternative_rule_text(manifest) + calibration_text(manifest) +
            decision_text(manifest, run.graph.dataset);
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
    const RunScores& scores = *manifest.scores;
    const Metrics& test = scores.test;
    Json json = {
        {"dataset", manifest.dataset},
        {"name", run_title(manifest)},
        {"method", manifest.settings.method()},
        {"order", order_of(manifest.settings)},
        {"split", manifest.split},
        {"seed", manifest.seed},
        {"epochs", scores.epochs},
        {"best_epoch", scores.best_epoch},
        {"train_accuracy", number_or_null(scores.train, 100.0 * scores.train.accuracy)},
        {"validation_accuracy", number_or_null(scores.validation, 100.0 * scores.validation.accuracy)},
        {"test_accuracy", number_or_null(test, 100.0 * test.accuracy)},
        {"macro_f1", number_or_null(test, 100.0 * test.macro_f1)},
        {"nll", number_or_null(test, test.nll)},
        {"ece", number_or_null(test, 100.0 * test.ece)},
        {"raw_ece", number_or_null(test, 100.0 * scores.raw_ece)},
        {"temperature", manifest.temperature},
        {"smoothing", manifest.decision.smoothing},
        {"offset", manifest.decision.offset},
        {"class_weights", class_weights_json(manifest, run.graph.dataset)},
        {"threshold", threshold_json(manifest, run.graph.dataset)},
        {"seconds", run.seconds},
        {"seconds_reading", run.seconds_reading},
        {"summary", run.model.summary},
        {"choice", manifest.choice ? Json::parse(choice_json(*manifest.choice)) : Json()},
        {"by_selection", selection_json(manifest)},
        {"train_nodes", scores.train.count},
        {"validation_nodes", scores.validation.count},
        {"test_nodes", test.count},
        {"classes", classes_json(test, run.graph.dataset)},
        {"baselines", baselines_json(scores.baselines)},
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
    add_ranking(json, test);
    json["positive_class"] = test.positive < 0 ? Json() : Json(run.graph.dataset.class_names[test.positive]);
    json["metrics"] = metrics_by_part(scores);
    for (const Setting& setting : listed_settings(manifest.settings))
        json["settings"][setting.name] = setting.text;
    return json;
}

}  // namespace hwgcn::cli
