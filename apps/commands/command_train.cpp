#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/pipeline/train_run.hpp"
#include "hwgcn/runs/run_folder.hpp"

#include "base/peak_memory.hpp"
#include "environment.hpp"
#include "execution_context.hpp"
#include "interrupt.hpp"
#include "models/class_weights.hpp"
#include "models/selection.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "pipeline/feasible.hpp"
#include "pipeline/warnings.hpp"
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
    DataOptions data;
    std::optional<std::string> method;  ///< nothing: the default one
    std::vector<Setting> given;
    TargetLimits target;
    DecisionOptions decision;
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

void check(const TrainOptions& options, const ExecutionContext& context) {
    check_run_output(options.output);
    cache_directory(options.data.cache);  // throws where its options contradict each other
    std::vector<Output> outputs = {json_output(options.data.common), {"--out", options.output.folder, true}};
    if (!options.output.folder.empty()) {
        for (const char* const name : run_file::all)
            outputs.push_back({"--out", options.output.folder / name});
    }
    std::vector<fs::path> inputs = input_files(options.data.dataset, options.data.common, options.split);
    std::ranges::copy(input_files(options.decision), std::back_inserter(inputs));
    check_outputs(outputs, inputs);
    if (!options.method) return;
    const AskedMethod method = method_asked_for(options, *options.method, "");  // before anything is read
    expect_named_methods(context, std::span(&method, 1));
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
        note(options.data.common,
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
    // Members of an average are there as soon as it is chosen: the choice goes on from what was kept of it.
    if (stored->choice && stored->choice->average) return std::nullopt;
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
void add_comparison(WorkingData& data, const Split& split, const TrainOptions& options,
                    const ExecutionControl& control, RunManifest& manifest, std::vector<std::string>& notes) {
    if (options.no_baselines || (split.validation.empty() && split.test.empty())) return;
    std::vector<Baseline> baselines;
    try {
        baselines = data.baselines(members_name(members_of(manifest)), split, options.seed, control);
    } catch (const Diverged& failure) {
        warn({fmt::format("{}; there are no baselines to compare with", failure.what())}, notes);
        return;
    }
    if (baselines.empty()) return;
    if (options.output.folder.empty()) {
        manifest.result->baselines = std::move(baselines);
    } else {
        add_baselines(options.output.folder, manifest, std::move(baselines));
    }
}

// How the training is watched and kept; `manifest` learns what will be trained.
TrainingRecord record_of(const TrainOptions& options, const ExecutionContext& context, const Dataset& dataset,
                         const Split& split, const std::optional<RunManifest>& stored, RunManifest& manifest,
                         std::vector<std::string>& notes) {
    TrainingRecord record;
    record.begin = [&](const MethodSettings& settings, const std::optional<Choice>& choice) {
        manifest.settings = settings;
        manifest.choice = choice;
        Checkpoints checkpoints;
        if (options.output.folder.empty()) return checkpoints;
        context.on_first([&] {
            checkpoints = begin_run(options.output, stored, manifest, split, dataset, options.data.common);
        });
        checkpoints.file = options.output.folder / run_file::checkpoint;
        context.share(checkpoints);
        return checkpoints;
    };
    if (!options.output.folder.empty()) record.choice.folder = options.output.folder / run_file::choice;
    record.choice.tell = [&](const std::string& line) { note(options.data.common, in_options(line)); };
    if (!context.is_shared()) {
        record.choice.takes_best_so_far = [&] {
            return takes_best_so_far([] {
                say("note", "stopping; Ctrl-C again within a second: a finished run of the best so far");
            });
        };
    }
    record.notice = [&](const std::string& message) { warn({message}, notes); };
    return record;
}

// "4 processes received 12.0 MB from each other, 0.40 MB per epoch." where they shared the training.
std::string exchange_text(const ExecutionContext& context, std::int64_t bytes, std::size_t epochs) {
    if (!context.is_shared()) return "";
    const double megabytes = static_cast<double>(bytes) / 1e6;
    const std::string per_epoch =
        epochs == 0 ? "" : fmt::format(", {:.2f} MB per epoch", megabytes / static_cast<double>(epochs));
    return fmt::format("{} received {:.1f} MB from each other{}.\n", process_count(context.processes()),
                       megabytes, per_epoch);
}

// The run before it is trained: of the first process, which knows the ids of all nodes.
RunManifest begun_run(const PreparedGraph& graph, const Split& split, const TrainOptions& options,
                      const ExecutionContext& context) {
    RunManifest manifest;
    context.on_first([&] {
        std::vector<Setting> given = describe(options.data.dataset, options.data.common);
        if (!options.name.empty()) given.push_back({title_setting, options.name});
        if (!options.output.folder.empty())
            check_run_names(options.output.folder, given, split, graph.dataset);
        manifest = make_manifest(graph, std::move(given), split, options.seed);
    });
    manifest.decision.class_weights = class_weights_for(graph.label_weights.of_classes, graph.dataset, split);
    manifest.threshold = threshold_rule(options.decision.threshold);
    return manifest;
}

int train_and_tell(const TrainOptions& options, const ExecutionContext& context,
                   const std::optional<RunManifest>& stored) {
    const CommandExecution run(options.data.common);
    const ExecutionControl& control = run.control();
    const std::unique_ptr<WorkingData> data =
        context.open(options.data, options.target, asks_for_weights(options.method, options.given), control);
    PreparedGraph& graph = data->graph();
    const double seconds_reading = seconds_since_start();
    graph.label_weights.of_classes = read_class_weights(options.decision.class_weights, graph.dataset);
    const AskedMethod asked =
        method_asked_for(options, method_name(options, graph.dataset), graph.dataset.name);
    const Split split = context.split_of_first([&] { return chosen_split(graph, asked, options); });
    RunManifest manifest = begun_run(graph, split, options, context);
    std::vector<std::string> notes = graph.dataset.notes;
    tell_scaling(graph.features.scaling, graph.dataset, options.data.common, notes);
    AskedTraining training{asked, split, options.seed, manifest.threshold};
    if (stored) {  // compared with what the data allow, as when it was begun
        std::vector<std::string> told_when_training;
        const AskedMethod resolved = with_resolved_selection(asked, graph.dataset, split);
        training.earlier.chosen =
            earlier_choice(options, feasible(graph, resolved, control, told_when_training), stored);
    }
    training.record = record_of(options, context, graph.dataset, split, stored, manifest, notes);
    const TrainedRun trained = data->train(std::move(training), control);
    const std::int64_t exchanged = context.exchanged_bytes();
    add_result(manifest, trained);
    manifest.result->seconds = seconds_since_start();
    if (!options.output.folder.empty())
        manifest = data->finish_run(options.output.folder, manifest, trained, split, notes);
    add_comparison(*data, split, options, control, manifest, notes);

    const double peak_mb = context.maximum(peak_megabytes());
    if (!context.is_first()) return exit_status::success;
    const FinishedTraining finished{graph,
                                    manifest,
                                    trained.model,
                                    notes,
                                    options.output.folder,
                                    thread_count(control),
                                    seconds_since_start(),
                                    seconds_reading,
                                    peak_mb};
    Json json = json_of(finished);
    add_processes(json, context, exchanged);
    deliver(text_of(finished) + exchange_text(context, exchanged, trained.model.history.size()), json,
            options.data.common.json);
    return exit_status::success;
}

int run_train(const TrainOptions& options, const ExecutionContext& context) {
    check(options, context);
    const fs::path& folder = options.output.folder;
    std::optional<RunLock> lock;
    std::optional<RunManifest> stored;
    if (!folder.empty()) {
        context.expect_shared_folder(folder.has_parent_path() ? folder.parent_path() : ".");
        context.on_first([&] {
            lock.emplace(folder);
            stored = unfinished_run(options.output);
        });
    }
    try {
        return train_and_tell(options, context, stored);
    } catch (const Interrupted&) {
        if (folder.empty() || context.is_shared()) throw;  // several processes say it together
        const bool training = has_checkpoint(folder);
        if (!training && !has_unfinished_choice(folder)) throw;
        if (!training) say("error", "interrupted; the same command goes on with the choice from here");
        if (training) say("error", "interrupted; the same command with --resume goes on from here");
        return exit_status::interrupted;
    }
}

void add_training_options(CLI::App& command, TrainOptions& options) {
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

void add_train_command(CLI::App& program, std::vector<Command>& commands, const ExecutionContext& context) {
    const auto options = std::make_shared<TrainOptions>();
    CLI::App& command =
        add_command(program, "train", "Train a model and measure it on the test nodes.",
                    "  hwgcn train cora --out runs/cora\n"
                    "  hwgcn train citeseer --method gcn --split random:20 --seed 7\n"
                    "  hwgcn train --edges links.csv --nodes papers.csv --label topic --out run\n\n" +
                        methods_help());
    context.add_data_options(command, options->data.dataset);
    add_training_options(command, *options);
    if (context.is_shared()) {  // several processes do not choose one
        options->method = "hwgcn";
        command.get_option("--method")->description("method to train; default hwgcn");
    }
    add_decision_options(command, options->decision);
    add_setting_options(command, options->given);
    context.add_weight_options(command, options->data);
    context.add_common_options(command, options->data.common);
    commands.push_back({&command, [options, &context] { return run_train(*options, context); }});
}

}  // namespace hwgcn::cli
