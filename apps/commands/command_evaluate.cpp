#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/split.hpp"
#include "hwgcn/evaluation/evaluate.hpp"
#include "hwgcn/pipeline/train_run.hpp"

#include "base/parameter.hpp"
#include "base/peak_memory.hpp"
#include "evaluation_report.hpp"
#include "execution_context.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "pipeline/baselines.hpp"
#include "pipeline/feasible.hpp"
#include "pipeline/warnings.hpp"
#include "runs/run_files.hpp"
#include "runs/run_journal.hpp"
#include "tables.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

struct EvaluateCommandOptions {
    DataOptions data;
    std::optional<std::string> methods;  ///< nothing: as default_methods has it
    EvaluationOptions protocol;
    std::optional<Metric> metric;  ///< nothing: default_metric
    std::vector<Setting> given;
    TargetLimits target;
    DecisionOptions decision;
    std::filesystem::path journal;
    bool no_baselines = false;
};

void add_protocol_options(CLI::App& command, EvaluationOptions& protocol) {
    static const std::vector<Parameter<EvaluationOptions>> table = {
        number_parameter("runs", &EvaluationOptions::runs, Range<int>{1, 100000}, "N",
                         "runs of each method, each with a split and a seed of its own"),
        number_parameter(
            "seed", &EvaluationOptions::first_seed, Range<std::uint64_t>{0}, "S",
            "run 1 draws its split and its parameters with this seed, run 2 with the next one, .."),
    };
    add_parameter_option(command, "--runs", table[0], protocol);
    add_parameter_option(command, "--seed,--first-seed", table[1], protocol);
}

void add_metric_option(CLI::App& command, std::optional<Metric>& metric) {
    std::vector<std::string> names;
    for (const MetricInfo& info : all_metrics()) {
        if (info.more_is_better) names.push_back(info.option);
    }
    const std::string expected = join_alternatives(names);
    command
        .add_option_function<std::string>(
            "--metric",
            [&metric, names, expected](const std::string& text) {
                if (std::ranges::find(names, text) == names.end())
                    fail_unexpected("--metric", expected, text);
                metric = std::ranges::find(all_metrics(), text, &MetricInfo::option)->metric;
            },
            fmt::format(
                "what methods are compared by: {}; default accuracy, and auc where one of two classes "
                "has less than 30 % of the known labels",
                expected))
        ->type_name("NAME");
}

Metric metric_of(const std::optional<Metric>& metric, const Dataset& dataset,
                 const EvaluationOptions& protocol, const CommonOptions& common,
                 std::vector<std::string>& notes) {
    if (metric) return *metric;
    const Metric chosen = default_metric(dataset, protocol);
    if (chosen == &Metrics::accuracy) return chosen;
    notes.push_back(
        fmt::format("compared by {}, because one of the two classes is rare; --metric accuracy "
                    "decides otherwise",
                    metric_info(chosen).title));
    note(common, notes.back());
    return chosen;
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

// On one's own data, what `train` takes by default joins the two of the paper.
std::string default_methods(const Dataset& dataset) {
    return is_own_data(dataset) ? "gcn,hwgcn,auto" : "gcn,hwgcn";
}

void check(const EvaluateCommandOptions& options, const ExecutionContext& context) {
    std::vector<std::filesystem::path> inputs =
        input_files(options.data.dataset, options.data.common, options.protocol.split);
    std::ranges::copy(input_files(options.decision), std::back_inserter(inputs));
    check_outputs({json_output(options.data.common), {"--journal", options.journal}}, inputs);
    cache_directory(options.data.cache);  // throws where its options contradict each other
    if (options.methods)                  // before anything is read
        expect_named_methods(context, chosen_methods(*options.methods, options.given, ""));
}

int run_evaluate(const EvaluateCommandOptions& options, const ExecutionContext& context) {
    const auto started = std::chrono::steady_clock::now();
    check(options, context);
    const CommonOptions& common = options.data.common;
    const CommandExecution run(common);
    const std::unique_ptr<WorkingData> data = context.open(
        options.data, options.target, asks_for_weights(options.methods, options.given), run.control());
    PreparedGraph& graph = data->graph();
    graph.label_weights.of_classes = read_class_weights(options.decision.class_weights, graph.dataset);
    std::vector<AskedMethod> methods = chosen_methods(
        options.methods.value_or(default_methods(graph.dataset)), options.given, graph.dataset.name);
    const std::size_t asked = methods.size();
    if (!options.no_baselines && !context.is_shared()) add_baselines(graph, methods);
    std::vector<std::string> notes = graph.dataset.notes;
    tell_scaling(graph.features.scaling, graph.dataset, common, notes);
    warn(data->warnings(std::span(methods).first(asked), run.control()), notes);
    warn(leave_out_infeasible(graph, methods, run.control()), notes);
    std::unique_ptr<RunJournal> journal;
    if (!options.journal.empty()) journal = std::make_unique<RunJournal>(options.journal);
    if (journal) warn(journal->notes(), notes);
    EvaluationOptions protocol = options.protocol;
    protocol.threshold = threshold_rule(options.decision.threshold);
    if (protocol.split.empty()) protocol.split = default_repeated_split(graph.dataset);
    context.on_first(
        [&] { protocol.metric = metric_of(options.metric, graph.dataset, protocol, common, notes); });
    std::vector<std::string> noticed;
    const std::vector<MethodResult> results =
        data->evaluate(methods, protocol, journal.get(), run.control(), noticed);
    const std::int64_t exchanged = context.exchanged_bytes();
    const double peak_mb = context.maximum(peak_megabytes());
    if (!context.is_first()) return exit_status::success;
    warn(noticed, notes);
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
                                      peak_mb,
                                      graph.label_weights.of_classes.text(),
                                      processes_text(context)};
    Json json = json_of(finished);
    add_processes(json, context, exchanged);
    deliver(text_of(finished), json, common.json);
    return exit_status::success;
}

}  // namespace

void add_evaluate_command(CLI::App& program, std::vector<Command>& commands,
                          const ExecutionContext& context) {
    const auto options = std::make_shared<EvaluateCommandOptions>();
    CLI::App& command = add_command(
        program, "evaluate", "Compare methods over repeated splits and seeds, paired run by run.",
        "  hwgcn evaluate cora --method gcn,hwgcn --split random:5 --runs 50\n"
        "  hwgcn evaluate cora --method hwgcn --runs 100 --device gpu      on a GPU, side by side\n"
        "  hwgcn evaluate citeseer --method gcn,gat,hwgcn --split planetoid --runs 100 --journal "
        "citeseer.jsonl\n\n" +
            methods_help());
    context.add_data_options(command, options->data.dataset);
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
    context.add_weight_options(command, options->data);
    context.add_common_options(command, options->data.common);
    only_alone(command, context, {"--journal"});
    if (context.is_shared()) {  // several processes do not choose one
        options->methods = "gcn,hwgcn";
        command.get_option("--method")
            ->description("methods to compare, separated by commas; default gcn,hwgcn");
    }
    commands.push_back({&command, [options, &context] { return run_evaluate(*options, context); }});
}

}  // namespace hwgcn::cli
