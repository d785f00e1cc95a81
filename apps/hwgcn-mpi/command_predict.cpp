#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/metrics/decision.hpp"
#include "hwgcn/runs/run_folder.hpp"

#include "base/files/output_file.hpp"
#include "base/parameter.hpp"
#include "cluster_command.hpp"
#include "operators/propagation.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "runs/run_files.hpp"
#include "shared_dataset.hpp"
#include "usage.hpp"

namespace hwgcn::cluster {
namespace {

struct PredictOptions {
    ShardOptions shards;
    std::filesystem::path run;
    std::filesystem::path out;
    double abstain = 0;
};

const std::vector<Parameter<PredictOptions>>& predict_parameters() {
    static const std::vector<Parameter<PredictOptions>> table = {
        number_parameter("abstain", &PredictOptions::abstain, Range<double>{0, 1}, "P",
                         "leave the prediction blank where its probability is below this"),
    };
    return table;
}

// Where the run found its shards, unless the user says where they are now.
std::filesystem::path shards_of(const RunManifest& manifest, const PredictOptions& options) {
    return options.shards.shards.empty() ? std::filesystem::path(manifest.source) : options.shards.shards;
}

void check_unchanged(const RunManifest& manifest, const PreparedGraph& graph) {
    if (graph.content_hash == manifest.content_hash) return;
    throw InputError(
        fmt::format("{}: the shards are not those that the run was trained on: their edges or "
                    "features differ; restore them, or train again",
                    graph.dataset.source));
}

int run_predict(Peers& peers, const PredictOptions& options) {
    const cli::CommandExecution run(options.shards.common);
    const ExecutionControl control = control_of(peers, run);
    const RunManifest manifest = read_run(options.run);
    const SharedDataset dataset(peers, shards_of(manifest, options), order_of(manifest.settings) > 1);
    const GraphPart part = read_part(dataset.reader, dataset.partition);
    const PreparedGraph& graph = part.graph;
    check_unchanged(manifest, graph);
    check_shared_training(graph, manifest.settings);
    const std::vector<TrainableMatrix> parameters =
        own_parameters(*part.partition, manifest.settings, read_model(options.run, manifest, graph));
    std::vector<std::string> notes;
    const Propagation propagation =
        shared_operator(dataset, part, manifest.settings, options.shards, control, notes);
    DenseMatrix own = predict_nodes(graph, propagation, manifest.settings, parameters, control);
    calibrate(own, manifest.decision, manifest.temperature, control);
    if (peers.rank() != 0) {
        gather_parts(*part.partition, own, [](ConstMatrixView, Index) {});
        return cli::exit_status::success;
    }
    for (const std::string& note : notes)
        cli::say("warning", cli::in_options(note));
    const Split split = read_run_split(options.run, manifest, graph.dataset);
    const PredictionTable table(split, graph.dataset, manifest.decision, options.abstain);
    write_text_atomically(options.out, [&](const TextWriter& write) {
        write(table.heading());
        gather_parts(*part.partition, own,
                     [&](ConstMatrixView rows, Index first) { write(table.rows(rows, first)); });
    });
    const cli::Json json = {{"run", options.run.string()},
                            {"dataset", graph.dataset.name},
                            {"method", manifest.settings.method()},
                            {"nodes", graph.dataset.nodes},
                            {"processes", peers.size()},
                            {"out", options.out.string()}};
    cli::deliver(fmt::format("Written: {} ({} nodes)\n", options.out.string(), graph.dataset.nodes), json,
                 options.shards.common.json);
    return cli::exit_status::success;
}

}  // namespace

void add_predict_command(CLI::App& program, std::vector<cli::Command>& commands, const Place& place) {
    const auto options = std::make_shared<PredictOptions>();
    CLI::App& command = cli::add_command(
        program, "predict", "Write the class and the class probabilities of every node of a sharded dataset.",
        "  mpirun -n 4 hwgcn-mpi predict RUN --weights W --out predictions.csv");
    command.add_option("RUN", options->run, "folder that hwgcn-mpi train --out or hwgcn train --out wrote")
        ->required();
    command.add_option("--shards", options->shards.shards, "where the shards are now, if they were moved")
        ->type_name("DIR");
    cli::add_parameter_options(command, predict_parameters(), *options);
    command.add_option("--out", options->out, "write the table to this file")->type_name("FILE")->required();
    add_shard_options(command, options->shards);
    commands.push_back({&command, [options, &place] { return run_predict(place.peers, *options); }});
}

}  // namespace hwgcn::cluster
