#include <memory>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/runs/run_folder.hpp"

#include "base/peak_memory.hpp"
#include "cluster_command.hpp"
#include "environment.hpp"
#include "method_options.hpp"
#include "models/class_weights.hpp"
#include "models/selection.hpp"
#include "operators/propagation.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "pipeline/feasible.hpp"
#include "run_dataset.hpp"
#include "run_output.hpp"
#include "runs/run_files.hpp"
#include "shared_dataset.hpp"
#include "shared_folder.hpp"
#include "train_report.hpp"
#include "usage.hpp"

namespace hwgcn::cluster {
namespace {

struct TrainOptions {
    ShardOptions shards;
    std::string method = "hwgcn";
    std::vector<Setting> given;
    cli::DecisionOptions decision;
    std::string split;  ///< empty: the default one
    std::uint64_t seed = 0;
    cli::RunOutput output;
};

MethodSettings asked_settings(const TrainOptions& options, const std::string& dataset_name) {
    const std::vector<AskedMethod> methods = cli::chosen_methods(options.method, options.given, dataset_name);
    if (methods.size() > 1) throw InputError(fmt::format("--method {}: expected one method", options.method));
    if (const auto* settings = std::get_if<MethodSettings>(&methods.front())) return *settings;
    throw InputError(
        "--method auto: several processes train the method that they are told; hwgcn train "
        "chooses one, on one machine");
}

// What the first process does with the folder of the run; the others train along.
class SharedRunFolder {
  public:
    SharedRunFolder(Peers& peers, const cli::RunOutput& output) : peers_(peers), output_(output) {
        if (output.folder.empty()) return;
        expect_shared_folder(peers, output.folder.has_parent_path() ? output.folder.parent_path() : ".");
        on_first(peers, [&] {
            lock_.emplace(output.folder);
            stored_ = cli::unfinished_run(output);
        });
    }

    /// Where checkpoints go: the first process writes them, and all go on from them.
    Checkpoints begin(const RunManifest& manifest, const Split& split, const Dataset& dataset,
                      const cli::CommonOptions& common) {
        Checkpoints checkpoints;
        if (output_.folder.empty()) return checkpoints;
        on_first(peers_,
                 [&] { checkpoints = cli::begin_run(output_, stored_, manifest, split, dataset, common); });
        checkpoints.file = output_.folder / run_file::checkpoint;
        constexpr std::size_t letters = 64;  // of a SHA-256
        checkpoints.of.resize(letters);      // only the first process has a manifest
        broadcast(peers_, 0, std::as_writable_bytes(std::span(checkpoints.of)));
        checkpoints.resume = any(peers_, checkpoints.resume);
        checkpoints.written = peers_.rank() == 0;
        return checkpoints;
    }

  private:
    Peers& peers_;
    const cli::RunOutput& output_;
    std::optional<RunLock> lock_;
    std::optional<RunManifest> stored_;
};

Split split_of(Peers& peers, const TrainOptions& options, const Dataset& dataset, const AskedMethod& method) {
    return shared_split(peers, [&] {
        const std::string specification =
            options.split.empty() ? default_split_for(dataset, method) : options.split;
        return make_split(dataset, specification, options.seed);
    });
}

RunManifest manifest_of(const TrainOptions& options, const PreparedGraph& graph,
                        const MethodSettings& settings, const Split& split) {
    cli::DatasetOptions selection;
    selection.dataset = options.shards.shards.string();
    RunManifest manifest =
        make_manifest(graph, cli::describe(selection, options.shards.common), split, options.seed);
    manifest.settings = settings;
    manifest.decision.class_weights = class_weights_for(graph.label_weights.of_classes, graph.dataset, split);
    manifest.threshold = threshold_rule(options.decision.threshold);
    return manifest;
}

// The first process writes the run; probabilities come from the others, one after the other.
void write_run(const TrainOptions& options, const GraphPart& part, const TrainedRun& trained,
               const Split& split, RunManifest& manifest) {
    if (options.output.folder.empty()) return;
    TrainedModel model = trained.model;
    model.parameters = whole_parameters(*part.partition, trained.settings, std::move(model.parameters));
    const PredictionSource parts = [&](const PartTaker& take) {
        gather_parts(*part.partition, trained.probabilities, take);
    };
    if (part.partition->rank() == 0) {
        manifest = finish_run(options.output.folder, manifest, model, parts, split, part.graph.dataset);
    } else {
        parts([](ConstMatrixView, Index) {});
    }
}

std::string exchange_text(int processes, std::int64_t bytes, std::size_t epochs) {
    const double megabytes = static_cast<double>(bytes) / 1e6;
    const std::string per_epoch =
        epochs == 0 ? "" : fmt::format(", {:.2f} MB per epoch", megabytes / static_cast<double>(epochs));
    return fmt::format("{} received {:.1f} MB from each other{}.\n",
                       processes == 1 ? "1 process" : fmt::format("{} processes", processes), megabytes,
                       per_epoch);
}

int run_train(Peers& peers, const TrainOptions& options) {
    cli::check_run_output(options.output);
    const cli::CommandExecution run(options.shards.common);
    const ExecutionControl control = control_of(peers, run);
    const SharedDataset dataset(peers, options.shards.shards,
                                asks_for_weights(options.method, options.given));
    GraphPart part = read_part(dataset.reader, dataset.partition);
    PreparedGraph& graph = part.graph;
    const double seconds_reading = cli::seconds_since_start();
    graph.label_weights.of_classes = read_class_weights(options.decision.class_weights, graph.dataset);
    std::vector<std::string> notes = graph.dataset.notes;
    const AskedMethod asked = feasible(graph, asked_settings(options, graph.dataset.name), control, notes);
    const Split split = split_of(peers, options, graph.dataset, asked);
    const auto settings =
        std::get<MethodSettings>(with_resolved_selection(asked, graph.dataset, split, notes));
    check_shared_training(graph, settings);
    check_trainable(graph, settings, split);
    SharedRunFolder folder(peers, options.output);

    const Propagation propagation = shared_operator(dataset, part, settings, options.shards, control, notes);
    RunManifest manifest;
    if (peers.rank() == 0) manifest = manifest_of(options, graph, settings, split);
    const Checkpoints checkpoints = folder.begin(manifest, split, graph.dataset, options.shards.common);
    const std::int64_t received = peers.bytes_received();
    const TrainedRun trained = train_shared({part, propagation, settings, split, options.seed,
                                             threshold_rule(options.decision.threshold), checkpoints},
                                            control);
    const std::int64_t exchanged = total(peers, peers.bytes_received() - received);
    notes.insert(notes.end(), trained.result.notes.begin(), trained.result.notes.end());
    if (peers.rank() == 0) {
        add_result(manifest, trained);
        manifest.result->seconds = cli::seconds_since_start();
    }
    write_run(options, part, trained, split, manifest);
    const double peak_mb = maximum(peers, peak_megabytes());
    if (peers.rank() != 0) return cli::exit_status::success;
    for (const std::string& note : notes)
        cli::say("warning", cli::in_options(note));
    const cli::FinishedTraining finished{graph,
                                         manifest,
                                         trained.model,
                                         notes,
                                         options.output.folder,
                                         thread_count(control),
                                         cli::seconds_since_start(),
                                         seconds_reading,
                                         peak_mb};
    cli::Json json = cli::json_of(finished);
    json["processes"] = peers.size();
    json["exchanged_bytes"] = exchanged;
    cli::deliver(
        cli::text_of(finished) + exchange_text(peers.size(), exchanged, trained.model.history.size()), json,
        options.shards.common.json);
    return cli::exit_status::success;
}

}  // namespace

void add_train_command(CLI::App& program, std::vector<cli::Command>& commands, const Place& place) {
    const auto options = std::make_shared<TrainOptions>();
    CLI::App& command = cli::add_command(
        program, "train", "Train a model on a sharded dataset, the same one with any number of processes.",
        "  mpirun -n 4 hwgcn-mpi train SHARDS --method hwgcn --weights W --out RUN\n"
        "  srun --mpi=pmix -N 8 hwgcn-mpi train SHARDS --method gcn --split shares:60:20 --out RUN");
    command.add_option("SHARDS", options->shards.shards, "folder that hwgcn shard or hwgcn-mpi shard wrote")
        ->required();
    command.add_option("--method", options->method, "method to train; default hwgcn")->type_name("NAME");
    command
        .add_option(
            "--split", options->split,
            "as for hwgcn train; default: the published one, else all, or shares:60:20 from 50 labels per "
            "class on")
        ->type_name("SPLIT");
    cli::add_seed_option(command, *options);
    cli::add_run_output_options(command, options->output);
    cli::add_decision_options(command, options->decision);
    cli::add_setting_options(command, options->given);
    add_shard_options(command, options->shards);
    commands.push_back({&command, [options, &place] { return run_train(place.peers, *options); }});
}

}  // namespace hwgcn::cluster
