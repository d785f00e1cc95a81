#include <limits>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "base/files/input_file.hpp"
#include "base/files/output_file.hpp"
#include "base/parameter.hpp"
#include "command.hpp"
#include "common_options.hpp"
#include "method_options.hpp"
#include "operators/propagation.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "pipeline/shift.hpp"
#include "report/report_page.hpp"
#include "run_dataset.hpp"
#include "runs/run_files.hpp"
#include "tables.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

struct ReportOptions {
    CommonOptions common;
    std::filesystem::path subject;     ///< a run or a result
    DatasetOptions dataset;            ///< where the data of the run are now
    std::vector<std::string> results;  ///< shown with it
    int orders = 0;
    std::string shares;  ///< "all", a number, or empty: what a fixed amount of work pays for
    std::filesystem::path out = "report.html";
    CacheOptions cache;
    AdditionOptions additions;
};

const std::vector<Parameter<ReportOptions>>& report_parameters() {
    static const std::vector<Parameter<ReportOptions>> table = {
        number_parameter(
            "orders", &ReportOptions::orders, Range<int>{0, 1000}, "N",
            "train the method with 1, 2, .. orders N times each on the split of the run, for the "
            "chart of accuracy against K; 0: leave it out"),
    };
    return table;
}

// The method with 1, 2, .. orders, each trained `options.orders` times on the split of the run.
std::vector<MethodResult> measure_orders(const ReportOptions& options, const OpenedRun& opened,
                                         const WeightCache* cache, const ExecutionControl& control) {
    if (options.orders == 0) return {};
    const MethodSettings& settings = opened.manifest.settings;
    if (order_of(settings) == 1 || opened.members.size() > 1) {
        throw InputError(
            fmt::format("--orders: {} has no orders to vary; hwgcn, hwgpr and other methods on "
                        "the higher-order operator have",
                        members_label(opened.members)));
    }
    if (opened.split.test.empty())
        throw InputError("--orders: the split of the run has no test nodes to measure accuracy on");
    std::vector<AskedMethod> methods;
    for (int order = 1; order <= order_of(settings); ++order) {
        methods.emplace_back(settings);
        apply_settings(methods.back(),
                       {order == 1 ? Setting{"operator", "plain"} : Setting{"order", std::to_string(order)}});
    }
    OperatorPool operators(opened.graph, cache);
    EvaluationOptions protocol;
    protocol.split = (options.subject / run_file::split).string();
    protocol.runs = options.orders;
    protocol.first_seed = opened.manifest.seed;
    protocol.task = "training with 1, 2, .. orders";
    std::vector<MethodResult> results = evaluate(opened.graph, operators, methods, protocol, control);
    for (const std::string& message : operators.notes())
        say("warning", message);
    return results;
}

ExplorerLimits explorer_limits(const ReportOptions& options) {
    ExplorerLimits limits;
    if (options.shares == "all") {
        limits.shares = std::numeric_limits<Index>::max();
    } else if (!options.shares.empty()) {
        limits.shares = parse_value<Index>(options.shares);
        if (!limits.shares || *limits.shares < 0)
            fail_unexpected("--shares", "all, or a whole number of at least 0", options.shares);
    }
    return limits;
}

// As many columns as are measured while a person waits for a page.
std::optional<FeatureImportances> measure_for_page(const OpenedRun& opened, const OperatorSource& operators,
                                                   bool possible, const ExecutionControl& control) {
    if (!possible) return std::nullopt;
    ImportanceOptions options;
    options.most_work = 20'000'000'000;
    options.shown = {opened.manifest.temperature, opened.manifest.decision};
    return measure_importances(opened.graph, operators, opened.members, opened.split, options, control);
}

// Whether new nodes are like those of the training.
void add_warning(const OpenedRun& opened, DenseMatrix probabilities, const ExecutionControl& control,
                 ReportPage& page) {
    if (!opened.graph.addition.original) return;
    const Decision& decision = opened.manifest.decision;
    calibrate(probabilities, decision, opened.manifest.temperature, control);
    const std::string warning = warning_about_new_nodes(opened.graph, probabilities, decision, opened.split);
    if (!warning.empty()) page.notes.push_back(warning);
}

void add_run_of(const ReportOptions& options, const ExecutionControl& control, ReportPage& page) {
    const WeightCache cache = cache_of_run(options.subject, options.cache);
    const OpenedRun opened =
        open_run(options.subject, options.dataset, options.common, cache, control, options.additions);
    const MethodSettings settings = method_of_weights(opened.manifest);
    const std::vector<MethodResult> orders = measure_orders(options, opened, &cache, control);
    const LearnedWeights weights = learn_weights_for(opened.graph, settings, control, &cache);
    for (const std::string& message : weights.notes)
        say("warning", message);
    const Propagation propagation = make_operator(opened.graph, settings, weights);
    OperatorPool operators(opened.graph, &cache);  // of the members of an average
    const auto operator_of = [&](const MethodSettings& of) -> const Propagation& {
        return opened.members.size() == 1 ? propagation : operators.get(of, control);
    };
    DenseMatrix probabilities =
        predict_members(opened.graph, operator_of, opened.members, opened.manifest.decision, control);
    expect_decision_among(opened.manifest.decision, probabilities.columns());
    add_warning(opened, probabilities, control, page);
    divide_out_weights(probabilities, opened.manifest.decision.class_weights, control);
    const std::vector<EpochRecord> history = read_history(options.subject, opened.manifest);
    const auto explainer = make_explainer(opened.graph, operator_of, opened.members,
                                          {opened.manifest.temperature, opened.manifest.decision}, control);
    const std::string no_importances = why_no_importances(opened.graph, opened.members, opened.split);
    const std::optional<FeatureImportances> importances =
        measure_for_page(opened, operator_of, no_importances.empty(), control);
    add_run(page,
            {opened.manifest, opened.graph, opened.split, probabilities, history, weights, explainer.get(),
             orders, opened.graph.features.scaling.description, importances ? &*importances : nullptr,
             in_options(no_importances)},
            control, explorer_limits(options));
}

// A page never takes the place of what it is made from.
void check(const ReportOptions& options, bool has_run, const std::vector<std::string>& results) {
    explorer_limits(options);  // throws for what it does not understand
    if (!has_run && !options.shares.empty())
        throw InputError("--shares: computed for a run, but a result was given");
    if (!has_run && options.orders > 0)
        throw InputError("--orders: measured for a run, but a result was given");
    if (!has_run && has_any(options.dataset))
        throw InputError("a dataset was given, but a result needs none: it goes with a run");
    std::vector<std::filesystem::path> inputs;
    if (has_run) inputs = input_files_of_run(options.subject, options.dataset, options.common);
    inputs.insert(inputs.end(), results.begin(), results.end());
    check_outputs({json_output(options.common), {"--out", options.out}}, inputs);
}

int run_report(const ReportOptions& options) {
    if (options.subject.empty()) {
        throw InputError(
            "nothing to report on: expected a folder that hwgcn train --out wrote, or a result that "
            "hwgcn evaluate or reproduce wrote with --json");
    }
    const CommandExecution run(options.common);
    ReportPage page;
    std::vector<std::string> results = options.results;
    std::error_code ignored;
    const bool has_run = !std::filesystem::is_regular_file(options.subject, ignored);
    if (!has_run) results.insert(results.begin(), options.subject.string());
    check(options, has_run, results);
    for (const std::string& file : results)  // first, because they cost nothing and may be wrong
        add_result(page, file, read_file(file));
    if (has_run) add_run_of(options, run.control(), page);
    for (const std::string& message : page.notes)
        note(options.common, message);
    const std::string html = report_html(page);
    write_text_atomically(options.out, html);
    const double megabytes = static_cast<double>(html.size()) / 1e6;
    const std::string file = printable(options.out.string(), 300);
    deliver(fmt::format("Written: {} ({:.1f} MB)\nOpen it in any browser; it needs no network.\n", file,
                        megabytes),
            {{"title", page.title},
             {"out", options.out.string()},
             {"bytes", html.size()},
             {"run", has_run ? Json(options.subject.string()) : Json()},
             {"results", results},
             {"notes", page.notes}},
            options.common.json);
    return exit_status::success;
}

}  // namespace

void add_report_command(CLI::App& program, std::vector<Command>& commands) {
    const auto options = std::make_shared<ReportOptions>();
    CLI::App& command = add_command(
        program, "report", "One page with charts, judgement and an explorer of a run, to look at offline.",
        "  hwgcn report runs/cora --out cora.html\n"
        "  hwgcn report runs/cora --orders 3 --result compared.json --out cora.html\n"
        "  hwgcn report compared.json --out compared.html");
    command.add_option(
        "RUN|RESULT", options->subject,
        "a folder that hwgcn train --out wrote, or a file that hwgcn evaluate or reproduce wrote "
        "with --json");
    add_dataset_options(command, options->dataset);
    command.get_option("DATASET")->description("where the data of the run are now, if they were moved");
    command
        .add_option("--result", options->results,
                    "show this result of hwgcn evaluate or reproduce, too; may be repeated")
        ->type_name("FILE");
    add_parameter_options(command, report_parameters(), *options);
    command
        .add_option("--shares", options->shares,
                    "nodes that the explorer has shares for (what each node and neighbor adds to a "
                    "prediction): all or a number; default: as many as a fixed amount of work pays for")
        ->type_name("N|all");
    command.add_option("--out", options->out, "write the page to this file (default: report.html)")
        ->type_name("FILE");
    add_addition_options(command, options->additions);
    add_cache_options(command, options->cache);
    add_common_options(command, options->common);
    commands.push_back({&command, [options] { return run_report(*options); }});
}

}  // namespace hwgcn::cli
