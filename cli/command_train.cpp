#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/graph/summary.hpp"
#include "hwgcn/methods/choose_method.hpp"
#include "hwgcn/metrics/calibration.hpp"
#include "hwgcn/runs/run_folder.hpp"
#include "hwgcn/support/error.hpp"

#include "command.hpp"
#include "common_options.hpp"
#include "method_options.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "run_dataset.hpp"
#include "tables.hpp"
#include "train_report.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

namespace fs = std::filesystem;

struct TrainOptions {
    CommonOptions common;
    DatasetOptions dataset;
    std::optional<std::string> method;  ///< nothing: the default one
    std::vector<Setting> given;
    TargetLimits target;
    CacheOptions cache;
    std::string split;  ///< empty: the default one
    std::uint64_t seed = 0;
    fs::path out;  ///< empty: nothing is written
    bool resume = false;
    bool force = false;
    bool no_baselines = false;
};

const std::vector<Parameter<TrainOptions>>& train_parameters() {
    static const std::vector<Parameter<TrainOptions>> table = {
        number_parameter("seed", &TrainOptions::seed, Range<std::uint64_t>{0}, "S",
                         "of the first parameters, the dropout and a random split"),
    };
    return table;
}

MethodSettings asked_method(const TrainOptions& options, const std::string& method,
                            const std::string& dataset_name) {
    const std::vector<MethodSettings> methods = chosen_methods(method, options.given, dataset_name);
    if (methods.size() > 1) {
        throw InputError(
            fmt::format("--method {}: expected one method; hwgcn evaluate compares several", method));
    }
    return methods.front();
}

bool has_checkpoint(const fs::path& folder) {
    std::error_code ignored;
    return fs::exists(folder / run_file::checkpoint, ignored);
}

// What is there is not overwritten, unless the user wants it or it holds nothing yet.
void check_folder(const TrainOptions& options) {
    const fs::path& folder = options.out;
    const auto fail = [&](const std::string& message) {
        throw InputError(fmt::format("--out {}: {}", folder.string(), message));
    };
    std::error_code error;
    if (!fs::is_directory(folder, error)) return;
    if (!has_run(folder)) {
        for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
            if (is_remnant_of_run(entry.path())) continue;
            fail("holds other files, expected a new or an empty folder");
        }
        return;
    }
    if (options.force) return;
    if (read_run(folder).scores)
        fail("holds a finished run; choose another name, or replace it with --force");
    if (has_checkpoint(folder) && !options.resume)
        fail("holds an unfinished run; go on with --resume, or start anew with --force");
}

void check(const TrainOptions& options) {
    if (options.resume && options.force) throw InputError("--resume and --force exclude each other");
    if ((options.resume || options.force) && options.out.empty())
        throw InputError(
            fmt::format("{} goes with --out RUN, which is missing", options.resume ? "--resume" : "--force"));
    cache_directory(options.cache);  // throws where its options contradict each other
    std::vector<Output> outputs = {json_output(options.common), {"--out", options.out, true}};
    if (!options.out.empty()) {
        for (const char* const name : run_file::all)
            outputs.push_back({"--out", options.out / name});
    }
    check_outputs(outputs, input_files(options.dataset, options.common, options.split));
    asked_method(options, options.method.value_or("auto"), "");  // before anything is read
}

// On benchmarks and built-in graphs the paper's method, on one's own data whatever does best there.
std::string method_name(const TrainOptions& options, const Dataset& dataset) {
    if (options.method) return *options.method;
    return is_own_data(dataset) ? "auto" : "hwgcn";
}

// auto can judge by cross-fitting, so that few labels can all train; of many, most do.
std::string split_specification(const TrainOptions& options, const Dataset& dataset, bool automatic) {
    if (!options.split.empty()) return options.split;
    if (!automatic || dataset.published_split || dataset.classes() == 0) return default_split(dataset);
    return has_few_labels(dataset) ? "all" : "shares:60:20";
}

Split chosen_split(const PreparedGraph& graph, const MethodSettings& settings, const TrainOptions& options) {
    const Dataset& dataset = graph.dataset;
    const std::string specification = split_specification(options, dataset, !settings.candidates.empty());
    Split split = make_split(dataset, specification, options.seed);
    check_trainable(graph, settings, split);
    if (options.split.empty() && !dataset.published_split) {
        const Split all = all_training_split(dataset);
        note(options.common,
             fmt::format("{}: of {} labels {} train, {} validate, {} test (--split {}){}", dataset.name,
                         all.train.size(), split.train.size(), split.validation.size(), split.test.size(),
                         specification,
                         split.train.size() < all.train.size() ? "; --split all trains on all of them" : ""));
    }
    return split;
}

// Whether there is something to go on from. A run of other data or settings is an error.
bool can_resume(const TrainOptions& options, const RunManifest& manifest) {
    if (!options.resume) return false;
    if (!has_run(options.out) || !has_checkpoint(options.out)) {
        note(options.common,
             fmt::format("{}: no unfinished training to go on with, starting anew", options.out.string()));
        return false;
    }
    check_same_training(options.out, read_run(options.out), manifest);
    return true;
}

// What may be wrong with features and labels, and a graph that joins different classes. Test labels are not
// looked at.
std::vector<std::string> doubts_about(const PreparedGraph& graph, const Split& split,
                                      const ExecutionControl& control) {
    constexpr std::int64_t enough_edges = 20;
    constexpr Index many_classes = 20;
    std::vector<std::string> doubts = doubts_about_features(*graph.features);
    for (std::string& sentence : scarce_labels(graph.dataset, split))
        doubts.push_back(std::move(sentence));
    std::vector<Index> known(graph.dataset.labels.size(), unlabelled);
    for (const std::vector<Index>* part : {&split.train, &split.validation}) {
        for (const Index node : *part)
            known[node] = graph.dataset.labels[node];
    }
    const auto labelled = static_cast<std::int64_t>(all_training_split(graph.dataset).train.size());
    if (graph.dataset.classes() > many_classes && 2 * std::int64_t{graph.dataset.classes()} > labelled) {
        doubts.push_back(
            fmt::format("{} different labels for {} nodes: are they numbers or names rather than classes?",
                        graph.dataset.classes(), labelled));
    }
    const GraphSummary summary = summarize_graph(graph.graph, known, control);
    if (summary.labelled_edges >= enough_edges && summary.homophily < 0.5) {
        doubts.push_back(
            fmt::format("only {:.0f} % of the {} edges between known labels stay within a class: "
                        "neighbours may mislead, compare with MLP, which ignores them",
                        100.0 * summary.homophily, summary.labelled_edges));
    }
    return doubts;
}

// What an interrupted training had chosen already.
std::optional<ChosenMethod> earlier_choice(const TrainOptions& options, const MethodSettings& automatic) {
    const bool unfinished = options.resume && has_run(options.out) && has_checkpoint(options.out);
    if (automatic.candidates.empty() || !unfinished) return std::nullopt;
    const RunManifest stored = read_run(options.out);
    const auto same = [&](const MethodSettings& candidate) {
        return settings_hash(candidate) == settings_hash(stored.settings);
    };
    if (!stored.choice || std::ranges::none_of(automatic.candidates, same)) {
        throw InputError(
            fmt::format("--out {}: the run there was begun with {} and other settings; go on with "
                        "the same command",
                        options.out.string(), stored.choice ? "auto" : "--method " + stored.settings.method));
    }
    return ChosenMethod{stored.settings, *stored.choice};
}

// The method that was asked for, or what an automatic one chooses.
ChosenMethod decide(const PreparedGraph& graph, OperatorPool& operators, const MethodSettings& asked,
                    const Split& split, const TrainOptions& options, const ExecutionControl& control,
                    std::vector<std::string>& notes) {
    std::vector<std::string> left_out;
    const MethodSettings feasible = feasible_candidates(graph, asked, control, left_out);
    warn(left_out, notes);
    if (std::optional<ChosenMethod> earlier = earlier_choice(options, feasible)) return std::move(*earlier);
    return choose_method(graph, operators, feasible, split, options.seed, control);
}

// A model that has learned nothing can look accurate where one class is common.
void warn_of_one_class(const Dataset& dataset, const DenseMatrix& probabilities) {
    const Index first = argmax(probabilities, 0);
    for (Index node = 1; node < probabilities.rows(); ++node) {
        if (argmax(probabilities, node) != first) return;
    }
    if (dataset.classes() > 1)
        say("warning", fmt::format("every node is predicted as '{}': nothing else was learned",
                                   printable(dataset.class_names[first])));
}

// Fits the temperature to labels that were not learned from, applies it, and judges.
void calibrate_and_judge(const PreparedGraph& graph, const Split& split, const TrainedModel& model,
                         const ExecutionControl& control, DenseMatrix& probabilities, RunManifest& manifest) {
    const std::vector<Index>& labels = graph.dataset.labels;
    manifest.temperature = temperature_for(manifest.choice, probabilities, labels, split, control);
    const double raw_ece = compute_metrics(probabilities, labels, split.test, control).ece;
    apply_temperature(probabilities, manifest.temperature, control);
    const auto metrics_at = [&](const std::vector<Index>& nodes) {
        return compute_metrics(probabilities, labels, nodes, control);
    };
    warn_of_one_class(graph.dataset, probabilities);
    manifest.scores = {.epochs = static_cast<int>(model.history.size()),
                       .best_epoch = model.best_epoch,
                       .alternative_epoch = model.alternative_epoch,
                       .raw_ece = raw_ece,
                       .train = metrics_at(split.train),
                       .validation = metrics_at(split.validation),
                       .test = metrics_at(split.test)};
}

// The run is safe by now.
void stand_baselines_beside(const PreparedGraph& graph, OperatorPool& operators, const Split& split,
                            const TrainOptions& options, const ExecutionControl& control,
                            RunManifest& manifest, std::vector<std::string>& notes) {
    if (options.no_baselines || (split.validation.empty() && split.test.empty())) return;
    std::vector<Baseline> baselines;
    try {
        baselines =
            evaluate_baselines(graph, operators, manifest.settings.method, split, options.seed, control);
    } catch (const Diverged& failure) {
        warn({fmt::format("{}; no baselines stand beside the method", failure.what())}, notes);
        return;
    }
    if (options.out.empty()) {
        manifest.scores->baselines = std::move(baselines);
    } else {
        add_baselines(options.out, manifest, std::move(baselines));
    }
}

TrainedModel train_in_folder(const PreparedGraph& graph, const Propagation& propagation, ChosenMethod& chosen,
                             const Split& split, const TrainOptions& options, const RunManifest& manifest,
                             const ExecutionControl& control) {
    Checkpoints checkpoints;
    checkpoints.resume = can_resume(options, manifest);
    if (!options.out.empty()) {
        checkpoints.file = options.out / run_file::checkpoint;
        if (!checkpoints.resume) start_run(options.out, manifest, split, graph.dataset);
    }
    return finish_training(graph, propagation, chosen, split, options.seed, control, checkpoints);
}

int train_and_tell(const TrainOptions& options) {
    const auto started = std::chrono::steady_clock::now();
    const CommandExecution run(options.common);
    const PreparedGraph graph(load_target(options.dataset, options.target, options.common, run.control()));
    const MethodSettings asked =
        asked_method(options, method_name(options, graph.dataset), graph.dataset.name);
    const Split split = chosen_split(graph, asked, options);
    const std::vector<Setting> given = describe(options.dataset, options.common);
    if (!options.out.empty()) check_run_names(options.out, given, split, graph.dataset);
    std::vector<std::string> notes = graph.dataset.notes;
    warn(doubts_about(graph, split, run.control()), notes);

    const std::unique_ptr<const WeightCache> cache = open_cache(options.cache);
    OperatorPool operators(graph, cache.get());
    ChosenMethod chosen = decide(graph, operators, asked, split, options, run.control(), notes);
    RunManifest manifest = make_manifest(graph, given, split, options.seed, chosen.settings);
    if (!asked.candidates.empty()) manifest.choice = chosen.choice;
    const Propagation& propagation = operators.get(chosen.settings, run.control());
    warn(operators.notes(), notes);
    const TrainedModel model =
        train_in_folder(graph, propagation, chosen, split, options, manifest, run.control());
    warn(model.notes, notes);
    DenseMatrix probabilities = predict_nodes(graph, propagation, chosen.settings, model, run.control());
    calibrate_and_judge(graph, split, model, run.control(), probabilities, manifest);
    RunScores& scores = *manifest.scores;
    scores.alternative_accuracy = alternative_test_accuracy(graph, propagation, chosen.settings, model, split,
                                                            scores.test.accuracy, run.control())
                                      .value_or(0.0);
    scores.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    if (!options.out.empty())
        manifest = finish_run(options.out, manifest, model, probabilities, split, graph.dataset);
    stand_baselines_beside(graph, operators, split, options, run.control(), manifest, notes);

    const FinishedTraining finished{
        graph, manifest, model, notes, options.out, thread_count(run.control()), peak_megabytes()};
    deliver(text_of(finished), json_of(finished), options.common.json);
    return exit_status::success;
}

int run_train(const TrainOptions& options) {
    check(options);
    std::optional<RunLock> lock;
    if (!options.out.empty()) {
        lock.emplace(options.out);
        check_folder(options);
    }
    try {
        return train_and_tell(options);
    } catch (const Interrupted&) {
        if (options.out.empty() || !has_checkpoint(options.out)) throw;
        say("error", "interrupted; the same command with --resume goes on from here");
        return exit_status::interrupted;
    }
}

void add_run_options(CLI::App& command, TrainOptions& options) {
    command
        .add_option("--method", options.method,
                    "see below; default auto, on benchmarks with a published split and built-in graphs hwgcn")
        ->type_name("NAME");
    command
        .add_option(
            "--split", options.split,
            "planetoid (with the data), random:N (N per class, then 500 and 1000 nodes to validate and "
            "test), random:N:V:T, shares:A:B (percent of each class to train and to validate), all (all "
            "labels "
            "train), or a file; default: the published one, else random:20, smaller where the labels do not "
            "suffice; for auto all, and from 50 labels per class on shares:60:20")
        ->type_name("SPLIT");
    add_parameter_options(command, train_parameters(), options);
    add_parameter_options(command, target_parameters(), options.target);
    command
        .add_option("--out", options.out,
                    "write the run into this folder: settings, model, history and predictions")
        ->type_name("RUN");
    command.add_flag("--resume", options.resume, "go on with the interrupted training in RUN")
        ->disable_flag_override();
    command.add_flag("--force", options.force, "replace the run in RUN")->disable_flag_override();
    command
        .add_flag("--no-baselines", options.no_baselines,
                  "leave out LP and MLP, which otherwise stand beside the result")
        ->disable_flag_override();
}

}  // namespace

void add_train_command(CLI::App& program, std::vector<Command>& commands) {
    const auto options = std::make_shared<TrainOptions>();
    CLI::App& command = add_command(program, "train", "Train one model and judge it on the test nodes.",
                                    "  hwgcn train cora --out runs/cora\n"
                                    "  hwgcn train citeseer --method gcn --split random:20 --seed 7\n"
                                    "  hwgcn train --edges links.csv --nodes papers.csv --order 3\n\n" +
                                        methods_help());
    add_dataset_options(command, options->dataset);
    add_run_options(command, *options);
    add_setting_options(command, options->given);
    add_cache_options(command, options->cache);
    add_common_options(command, options->common);
    commands.push_back({&command, [options] { return run_train(*options); }});
}

}  // namespace hwgcn::cli
