#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/pipeline/train_run.hpp"
#include "hwgcn/runs/run_folder.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "base/peak_memory.hpp"
#include "command.hpp"
#include "common_options.hpp"
#include "environment.hpp"
#include "method_options.hpp"
#include "models/class_weights.hpp"
#include "models/selection.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "pipeline/baselines.hpp"
#include "pipeline/doubts.hpp"
#include "pipeline/feasible.hpp"
#include "run_dataset.hpp"
#include "run_output.hpp"
#include "runs/run_files.hpp"
#include "runs/run_title.hpp"
#include "tables.hpp"
#include "train_report.hpp"
#include "training/fit_options.hpp"
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
    DecisionOptions decision;
    CacheOptions cache;
    std::string split;  ///< empty: the default one
    std::uint64_t seed = 0;
    RunOutput output;
    std::string name;  ///< empty: that of the dataset
    bool no_baselines = false;
};

AskedMethod method_asked_for(const TrainOptions& options, const std::string& method,
                             const std::string& dataset_name) {
    const std::vector<AskedMethod> methods = chosen_methods(method, options.given, dataset_name);
    if (methods.size() > 1) {
        throw InputError(
            fmt::format("--method {}: expected one method; hwgcn evaluate compares several", method));
    }
    return methods.front();
}

bool has_unfinished_choice(const fs::path& folder) {
    std::error_code ignored;
    return fs::exists(folder / run_file::choice, ignored);
}

void check(const TrainOptions& options) {
    check_run_output(options.output);
    cache_directory(options.cache);  // throws where its options contradict each other
    std::vector<Output> outputs = {json_output(options.common), {"--out", options.output.folder, true}};
    if (!options.output.folder.empty()) {
        for (const char* const name : run_file::all)
            outputs.push_back({"--out", options.output.folder / name});
    }
    std::vector<fs::path> inputs = input_files(options.dataset, options.common, options.split);
    std::ranges::copy(input_files(options.decision), std::back_inserter(inputs));
    check_outputs(outputs, inputs);
    if (options.method) method_asked_for(options, *options.method, "");  // before anything is read
}

// On benchmarks and built-in graphs the paper's method, on one's own data whatever does best there.
std::string method_name(const TrainOptions& options, const Dataset& dataset) {
    if (options.method) return *options.method;
    return is_own_data(dataset) ? "auto" : "hwgcn";
}

Split chosen_split(const PreparedGraph& graph, const AskedMethod& method, const TrainOptions& options) {
    const Dataset& dataset = graph.dataset;
    const std::string specification =
        options.split.empty() ? default_split_for(dataset, method) : options.split;
    Split split = make_split(dataset, specification, options.seed);
    if (const auto* settings = std::get_if<MethodSettings>(&method)) check_trainable(graph, *settings, split);
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

// What an interrupted training had chosen already.
std::optional<ChosenMethod> earlier_choice(const TrainOptions& options, const AskedMethod& asked,
                                           const std::optional<RunManifest>& stored) {
    const auto* automatic = std::get_if<Automatic>(&asked);
    if (automatic == nullptr || !stored) return std::nullopt;
    const auto same = [&](MethodSettings candidate) {
        const bool has_epochs = candidate.reads("epochs") && stored->settings.reads("epochs");
        // A budget may have left fewer of them than the candidate had.
        if (has_epochs && stored->settings.fit().epochs < candidate.fit().epochs)
            candidate.apply({{"epochs", stored->settings.value("epochs")}});
        return settings_hash(candidate) == settings_hash(stored->settings);
    };
    const auto has_it = [&](const std::vector<MethodSettings>* list) {
        return std::ranges::any_of(*list, same);
    };
    if (!stored->choice || std::ranges::none_of(automatic->lists(), has_it)) {
        throw InputError(fmt::format(
            "--out {}: the run there was begun with {} and other settings; go on with the same command",
            options.output.folder.string(),
            stored->choice ? "auto" : "--method " + stored->settings.method()));
    }
    return ChosenMethod{stored->settings, *stored->choice};
}

// The run is safe by now.
void stand_baselines_beside(const PreparedGraph& graph, OperatorPool& operators, const Split& split,
                            const TrainOptions& options, const ExecutionControl& control,
                            RunManifest& manifest, std::vector<std::string>& notes) {
    if (options.no_baselines || (split.validation.empty() && split.test.empty())) return;
    std::vector<Baseline> baselines;
    try {
        baselines =
            evaluate_baselines(graph, operators, manifest.settings.method(), split, options.seed, control);
    } catch (const Diverged& failure) {
        warn({fmt::format("{}; no baselines stand beside the method", failure.what())}, notes);
        return;
    }
    if (options.output.folder.empty()) {
        manifest.result->baselines = std::move(baselines);
    } else {
        add_baselines(options.output.folder, manifest, std::move(baselines));
    }
}

int train_and_tell(const TrainOptions& options, const std::optional<RunManifest>& stored) {
    const CommandExecution run(options.common);
    PreparedGraph graph =
        prepare_graph(load_target(options.dataset, options.target, options.common, run.control()),
                      feature_options(options.dataset), run.control());
    const double seconds_reading = seconds_since_start();
    graph.label_weights.of_classes = read_class_weights(options.decision.class_weights, graph.dataset);
    const AskedMethod asked =
        method_asked_for(options, method_name(options, graph.dataset), graph.dataset.name);
    const Split split = chosen_split(graph, asked, options);
    std::vector<Setting> given = describe(options.dataset, options.common);
    if (!options.name.empty()) given.push_back({title_setting, options.name});
    if (!options.output.folder.empty()) check_run_names(options.output.folder, given, split, graph.dataset);
    std::vector<std::string> notes = graph.dataset.notes;
    tell_scaling(graph.features.scaling, graph.dataset, options.common, notes);

    const std::unique_ptr<const WeightCache> cache = open_cache(options.cache);
    OperatorPool operators(graph, cache.get());
    RunManifest manifest = make_manifest(graph, given, split, options.seed);
    manifest.decision.class_weights = class_weights_for(graph.label_weights.of_classes, graph.dataset, split);
    manifest.threshold = threshold_rule(options.decision.threshold);
    TrainingTask task{graph, operators, asked, split, options.seed};
    task.threshold = manifest.threshold;
    if (stored) {  // compared with what the data allow, as when it was begun
        std::vector<std::string> told_when_training;
        const AskedMethod resolved = with_resolved_selection(asked, graph.dataset, split);
        task.earlier.chosen =
            earlier_choice(options, feasible(graph, resolved, run.control(), told_when_training), stored);
    }
    task.record.begin = [&](const MethodSettings& settings, const std::optional<Choice>& choice) {
        manifest.settings = settings;
        manifest.choice = choice;
        return begin_run(options.output, stored, manifest, split, graph.dataset, options.common);
    };
    if (!options.output.folder.empty()) task.record.choice.folder = options.output.folder / run_file::choice;
    task.record.choice.tell = [&](const std::string& line) { note(options.common, in_options(line)); };
    task.record.notice = [&](const std::string& message) { warn({message}, notes); };
    const TrainedRun trained = train_run(std::move(task), run.control());
    add_result(manifest, trained);
    manifest.result->seconds = seconds_since_start();
    if (!options.output.folder.empty()) {
        manifest = finish_run(options.output.folder, manifest, trained.model, trained.probabilities, split,
                              graph.dataset);
        save_weights(options.output.folder, graph, manifest.settings, cache.get(), notes);
    }
    stand_baselines_beside(graph, operators, split, options, run.control(), manifest, notes);

    const FinishedTraining finished{graph,
                                    manifest,
                                    trained.model,
                                    notes,
                                    options.output.folder,
                                    thread_count(run.control()),
                                    seconds_since_start(),
                                    seconds_reading,
                                    peak_megabytes()};
    deliver(text_of(finished), json_of(finished), options.common.json);
    return exit_status::success;
}

int run_train(const TrainOptions& options) {
    check(options);
    std::optional<RunLock> lock;
    std::optional<RunManifest> stored;
    if (!options.output.folder.empty()) {
        lock.emplace(options.output.folder);
        stored = unfinished_run(options.output);
    }
    try {
        return train_and_tell(options, stored);
    } catch (const Interrupted&) {
        if (options.output.folder.empty()) throw;
        const bool training = has_checkpoint(options.output.folder);
        if (!training && !has_unfinished_choice(options.output.folder)) throw;
        if (!training) say("error", "interrupted; the same command goes on with the choice from here");
        if (training) say("error", "interrupted; the same command with --resume goes on from here");
        return exit_status::interrupted;
    }
}

void add_run_options(CLI::App& command, TrainOptions& options) {
    command
        .add_option("--method", options.method,
                    "method to train, see below; default auto, on benchmarks and built-in graphs hwgcn")
        ->type_name("NAME");
    command
        .add_option(
            "--split", options.split,
            "planetoid (published), random:N (N per class train, 500 nodes validate, 1000 test), "
            "random:N:V:T, shares:A:B (percent of each class to train and validate), all (all labels "
            "train), or a file; default: the published one; on your own data all, or shares:60:20 from 50 "
            "labels per class on; else random:20 or what the labels allow")
        ->type_name("SPLIT");
    add_seed_option(command, options);
    add_parameter_options(command, target_parameters(), options.target);
    command.get_option("--max-classes")->group(rare_options);
    add_run_output_options(command, options.output);
    command
        .add_option("--name", options.name,
                    "what the run is called in results and reports (default: the dataset, or the folder of "
                    "edges.csv)")
        ->type_name("TEXT");
    command.add_flag("--no-baselines", options.no_baselines, "do not train LP and Linear for comparison")
        ->disable_flag_override()
        ->group(rare_options);
}

}  // namespace

void add_train_command(CLI::App& program, std::vector<Command>& commands) {
    const auto options = std::make_shared<TrainOptions>();
    CLI::App& command =
        add_command(program, "train", "Train a model and measure it on the test nodes.",
                    "  hwgcn train cora --out runs/cora\n"
                    "  hwgcn train citeseer --method gcn --split random:20 --seed 7\n"
                    "  hwgcn train --edges links.csv --nodes papers.csv --label topic --out run\n\n" +
                        methods_help());
    add_dataset_options(command, options->dataset);
    add_run_options(command, *options);
    add_decision_options(command, options->decision);
    add_setting_options(command, options->given);
    add_cache_options(command, options->cache);
    add_common_options(command, options->common);
    commands.push_back({&command, [options] { return run_train(*options); }});
}

}  // namespace hwgcn::cli
