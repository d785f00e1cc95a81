#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"

#include "base/peak_memory.hpp"
#include "cluster_command.hpp"
#include "evaluation_json.hpp"
#include "evaluation_table.hpp"
#include "method_options.hpp"
#include "output.hpp"
#include "pipeline/feasible.hpp"
#include "shared_dataset.hpp"
#include "tables.hpp"
#include "usage.hpp"

namespace hwgcn::cluster {
namespace {

struct EvaluateOptions {
    ShardOptions shards;
    std::string methods = "gcn,hwgcn";
    std::vector<Setting> given;
    cli::DecisionOptions decision;
    EvaluationOptions protocol;
    std::optional<Metric> metric;  ///< nothing: default_metric
};

std::vector<MethodSettings> asked_methods(const EvaluateOptions& options, const PreparedGraph& graph,
                                          const ExecutionControl& control, std::vector<std::string>& notes) {
    std::vector<MethodSettings> methods;
    for (const AskedMethod& asked : cli::chosen_methods(options.methods, options.given, graph.dataset.name)) {
        const AskedMethod method =
            std::holds_alternative<MethodSettings>(asked) ? feasible(graph, asked, control, notes) : asked;
        const auto* settings = std::get_if<MethodSettings>(&method);
        if (settings == nullptr)
            throw InputError(
                "--method auto: several processes train the methods that they are told; hwgcn "
                "evaluate has auto, on one machine");
        check_shared_training(graph, *settings);
        methods.push_back(*settings);
    }
    return methods;
}

void tell(const cli::FinishedEvaluation& run, const cli::CommonOptions& common) {
    cli::deliver(
        fmt::format(
            "{}\n{}\n{} in percent, over {} ({}); differences are paired by run.\n{} on {} processes.\n",
            cli::heading(cli::printable(run.dataset.name)),
            cli::evaluation_table(run.results, {}, run.dataset),
            cli::evaluation_scores(run.protocol.metric, run.dataset), cli::counted(run.protocol.runs, "run"),
            cli::printable(run.protocol.split), cli::duration_text(run.seconds), run.processes),
        cli::evaluation_json(run), common.json);
}

int run_evaluate(Peers& peers, const EvaluateOptions& options) {
    const auto started = std::chrono::steady_clock::now();
    const cli::CommandExecution run(options.shards.common);
    const ExecutionControl control = control_of(peers, run);
    const SharedDataset dataset(peers, options.shards.shards,
                                asks_for_weights(options.methods, options.given));
    GraphPart part = read_part(dataset.reader, dataset.partition);
    PreparedGraph& graph = part.graph;
    graph.label_weights.of_classes = read_class_weights(options.decision.class_weights, graph.dataset);
    cli::CommonOptions speaker = options.shards.common;
    speaker.quiet = speaker.quiet || peers.rank() != 0;
    std::vector<std::string> notes = graph.dataset.notes;
    for (const std::string& told : notes)
        cli::note(speaker, told);
    cli::tell_scaling(graph.features.scaling, graph.dataset, speaker, notes);
    std::vector<std::string> changes;
    const std::vector<MethodSettings> methods = asked_methods(options, graph, control, changes);
    if (peers.rank() == 0) cli::warn(changes, notes);
    EvaluationOptions protocol = options.protocol;
    protocol.threshold = threshold_rule(options.decision.threshold);
    if (protocol.split.empty()) protocol.split = default_repeated_split(graph.dataset);
    protocol.metric = cli::metric_of(options.metric, graph.dataset, protocol, speaker, notes);
    std::vector<std::string> of_operators;
    const auto make_operator = [&](const MethodSettings& settings) {
        return shared_operator(dataset, part, settings, options.shards, control, of_operators);
    };
    const std::vector<MethodResult> results =
        evaluate_shared(part, methods, protocol, make_operator, control);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    const double peak_mb = maximum(peers, peak_megabytes());
    if (peers.rank() != 0) return cli::exit_status::success;
    cli::warn(of_operators, notes);
    for (const MethodResult& result : results)
        cli::warn(result.notes(), notes);
    tell({protocol,
          graph.dataset,
          results,
          {},
          notes,
          dataset_hash(graph),
          seconds,
          peak_mb,
          graph.label_weights.of_classes.text(),
          peers.size()},
         options.shards.common);
    return cli::exit_status::success;
}

}  // namespace

void add_evaluate_command(CLI::App& program, std::vector<cli::Command>& commands, const Place& place) {
    const auto options = std::make_shared<EvaluateOptions>();
    CLI::App& command = cli::add_command(
        program, "evaluate", "Compare methods on a sharded dataset over repeated splits and seeds.",
        "  mpirun -n 4 hwgcn-mpi evaluate SHARDS --method gcn,hwgcn --split random:20 --runs 10 --weights W");
    command.add_option("SHARDS", options->shards.shards, "folder that hwgcn shard or hwgcn-mpi shard wrote")
        ->required();
    command.add_option("--method", options->methods, "methods, separated by commas; default gcn,hwgcn")
        ->type_name("A,B,..");
    command
        .add_option("--split", options->protocol.split,
                    "as for hwgcn evaluate; default: the published one, else shares:60:20")
        ->type_name("SPLIT");
    cli::add_protocol_options(command, options->protocol);
    cli::add_metric_option(command, options->metric);
    cli::add_decision_options(command, options->decision);
    cli::add_setting_options(command, options->given);
    add_shard_options(command, options->shards);
    commands.push_back({&command, [options, &place] { return run_evaluate(place.peers, *options); }});
}

}  // namespace hwgcn::cluster
