#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/base/peak_memory.hpp"
#include "hwgcn/dataset/split.hpp"
#include "hwgcn/evaluation/evaluate.hpp"
#include "hwgcn/models/baselines.hpp"
#include "hwgcn/pipeline/train_run.hpp"
#include "hwgcn/runs/run_journal.hpp"

#include "command.hpp"
#include "common_options.hpp"
#include "evaluation_json.hpp"
#include "evaluation_table.hpp"
#include "method_options.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "tables.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

struct EvaluateCommandOptions {
    CommonOptions common;
    DatasetOptions dataset;
    std::optional<std::string> methods;  ///< nothing: as default_methods has it
    EvaluationOptions protocol;
    std::optional<Metric> metric;  ///< nothing: default_metric
    std::vector<Setting> given;
    TargetLimits target;
    DecisionOptions decision;
    CacheOptions cache;
    std::filesystem::path journal;
    bool no_baselines = false;
};

// ", seeds from 8 on", where they are not those that everybody gets.
std::string seeds_text(const EvaluationOptions& protocol) {
    return protocol.first_seed == 0 ? "" : fmt::format(", seeds from {} on", protocol.first_seed);
}

std::string text_of(const FinishedEvaluation& run) {
    std::string comparison;
    for (const MethodResult& result : run.results) {
        for (const auto& [label, count] : result.choices())
            comparison +=
                fmt::format("{} chose {} in {}.\n", name_of(result.method), label, counted(count, "run"));
    }
    for (const MethodResult& baseline : run.baselines) {
        comparison += fmt::format("For comparison, {}: {}.\n", name_of(baseline.method),
                                  baseline_role(name_of(baseline.method)));
    }
    return fmt::format(
        "{}\n{}\n{} in percent, over {} ({}{}); differences are paired by run.\n"
        "{}{}, at most {}.\n",
        heading(printable(run.dataset.name)), evaluation_table(run.results, run.baselines, run.dataset),
        evaluation_scores(run.protocol.metric, run.dataset), counted(run.protocol.runs, "run"),
        printable(run.protocol.split), seeds_text(run.protocol), comparison, duration_text(run.seconds),
        memory_text(run.peak_mb));
}

// Appends the baselines that were not asked for.
void add_baselines(const PreparedGraph& graph, std::vector<AskedMethod>& methods) {
    for (MethodSettings& baseline : baseline_settings(graph)) {
        const bool there = std::ranges::any_of(
            methods, [&](const AskedMethod& method) { return name_of(method) == baseline.method(); });
        if (!there) methods.emplace_back(std::move(baseline));
    }
}

// Returns what had to be left out.
std::vector<std::string> leave_out_infeasible(const PreparedGraph& graph, std::vector<AskedMethod>& methods,
                                              const ExecutionControl& control) {
    std::vector<std::string> left_out;
    for (AskedMethod& method : methods)
        method = feasible(graph, std::move(method), control, left_out);
    return left_out;
}

// On one's own data, what `train` takes by default stands beside the two of the paper.
std::string default_methods(const Dataset& dataset) {
    return is_own_data(dataset) ? "gcn,hwgcn,auto" : "gcn,hwgcn";
}

int run_evaluate(const EvaluateCommandOptions& options) {
    const auto started = std::chrono::steady_clock::now();
    std::vector<std::filesystem::path> inputs =
        input_files(options.dataset, options.common, options.protocol.split);
    std::ranges::copy(input_files(options.decision), std::back_inserter(inputs));
    check_outputs({json_output(options.common), {"--journal", options.journal}}, inputs);
    if (options.methods) chosen_methods(*options.methods, options.given, "");  // before anything is read
    const std::unique_ptr<const WeightCache> cache = open_cache(options.cache);
    const CommandExecution run(options.common);
    PreparedGraph graph =
        prepare_graph(load_target(options.dataset, options.target, options.common, run.control()),
                      feature_options(options.dataset), run.control());
    graph.label_weights.of_classes = read_class_weights(options.decision.class_weights, graph.dataset);
    std::vector<AskedMethod> methods = chosen_methods(
        options.methods.value_or(default_methods(graph.dataset)), options.given, graph.dataset.name);
    const std::size_t asked = methods.size();
    if (!options.no_baselines) add_baselines(graph, methods);
    std::vector<std::string> notes = graph.dataset.notes;
    tell_scaling(graph.features.scaling, graph.dataset, options.common, notes);
    if (!graph.features.structural) warn(warnings_about_features(*graph.features.scaled), notes);
    warn(columns_that_tell(graph, all_training_split(graph.dataset), run.control()), notes);
    warn(unused_of_edges(graph, std::span(methods).first(asked)), notes);
    warn(leave_out_infeasible(graph, methods, run.control()), notes);
    OperatorPool operators(graph, cache.get());
    std::unique_ptr<RunJournal> journal;
    if (!options.journal.empty()) journal = std::make_unique<RunJournal>(options.journal);
    if (journal) warn(journal->notes(), notes);
    EvaluationOptions protocol = options.protocol;
    protocol.threshold = threshold_rule(options.decision.threshold);
    if (protocol.split.empty()) protocol.split = default_repeated_split(graph.dataset);
    protocol.metric = metric_of(options.metric, graph.dataset, protocol, options.common, notes);
    const std::vector<MethodResult> results =
        evaluate(graph, operators, methods, protocol, run.control(), journal.get());
    warn(operators.notes(), notes);
    for (const MethodResult& result : std::span(results).first(asked))
        warn(result.notes(), notes);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    const std::span all(results);
    const FinishedEvaluation finished{protocol,
                                      graph.dataset,
                                      all.first(asked),
                                      all.subspan(asked),
                                      notes,
                                      dataset_hash(graph),
                                      seconds,
                                      peak_megabytes(),
                                      graph.label_weights.of_classes.text()};
    deliver(text_of(finished), evaluation_json(finished), options.common.json);
    return exit_status::success;
}

}  // namespace

void add_evaluate_command(CLI::App& program, std::vector<Command>& commands) {
    const auto options = std::make_shared<EvaluateCommandOptions>();
    CLI::App& command = add_command(
        program, "evaluate", "Compare methods over repeated splits and seeds, paired run by run.",
        "  hwgcn evaluate cora --method gcn,hwgcn --split random:5 --runs 50\n"
        "  hwgcn evaluate cora --method hwgcn --runs 100 --device gpu      on a GPU, side by side\n"
        "  hwgcn evaluate citeseer --method gcn,gat,hwgcn --split planetoid --runs 100 --journal "
        "citeseer.jsonl\n\n" +
            methods_help());
    add_dataset_options(command, options->dataset);
    command
        .add_option(
            "--method", options->methods,
            "methods to compare, separated by commas; default gcn,hwgcn, and on your own data auto, too")
        ->type_name("A,B,..");
    command
        .add_option(
            "--split", options->protocol.split,
            "planetoid (published), random:N (N per class train, 500 nodes validate, 1000 test), "
            "random:N:V:T, shares:A:B (percent of each class to train and validate), or a file; default: "
            "the published one, shares:60:20 on your own data, else random:20 or what the labels allow")
        ->type_name("SPLIT");
    add_protocol_options(command, options->protocol);
    add_metric_option(command, options->metric);
    add_parameter_options(command, target_parameters(), options->target);
    command.get_option("--max-classes")->group(rare_options);
    command
        .add_option("--journal", options->journal,
                    "keep finished runs in this file, and do not repeat those found there")
        ->type_name("FILE");
    command.add_flag("--no-baselines", options->no_baselines, "do not add LP and Linear for comparison")
        ->disable_flag_override()
        ->group(rare_options);
    add_decision_options(command, options->decision);
    add_setting_options(command, options->given);
    add_cache_options(command, options->cache);
    add_common_options(command, options->common);
    commands.push_back({&command, [options] { return run_evaluate(*options); }});
}

}  // namespace hwgcn::cli
