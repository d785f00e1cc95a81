#include "command_reproduce.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/io/readers.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "base/fail.hpp"
#include "base/files/output_file.hpp"
#include "base/parameter.hpp"
#include "base/peak_memory.hpp"
#include "command.hpp"
#include "common_options.hpp"
#include "experiment.hpp"
#include "method_options.hpp"
#include "output.hpp"
#include "paper_targets.hpp"
#include "parameters.hpp"
#include "report/markdown.hpp"
#include "tables.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

using experiments::Experiment;
using experiments::Outcome;
using experiments::Plan;

struct ReproduceCommandOptions {
    CommonOptions common;
    std::string target;
    std::string datasets;  ///< empty: all that the experiment knows
    std::string methods;
    std::string settings;  ///< empty: all of the experiment
    Plan plan;
    CacheOptions cache;
    std::filesystem::path out = "reproduction";
};

const std::vector<Parameter<Plan>>& plan_parameters() {
    static const std::vector<Parameter<Plan>> table = {
        number_parameter(
            "runs", &Plan::runs, Range<int>{0, 100000}, "N",
            "runs per number; 0: as in the paper, 100 on the fixed split and 50 on random ones (graphs: 30, "
            "helps: 8)"),
        number_parameter("max_order", &Plan::max_order, Range<int>{2, max_order}, "K",
                         "highest order of orders, powers and statistics"),
        number_parameter("seed", &Plan::first_seed, Range<std::uint64_t>{0}, "S",
                         "the first seed; each further run has the next one"),
    };
    return table;
}

std::vector<Experiment> chosen_experiments(const std::string& target) {
    std::vector<Experiment> all = experiments::all_experiments();
    if (target == "all") {
        std::erase_if(all, [](const Experiment& experiment) { return !experiment.published; });
        return all;
    }
    std::vector<std::string> names = {"all"};
    for (const Experiment& experiment : all) {
        if (experiment.target == target) return {experiment};
        names.push_back(experiment.target);
    }
    fail_unknown_name("target", target, names);
}

// What the experiments train where no methods were asked for.
std::string trained_methods(const std::vector<Experiment>& experiments) {
    std::string names;
    const auto add = [&](const std::string& name) {
        const std::vector<std::string> known = split_at(names, ',');
        if (std::find(known.begin(), known.end(), name) == known.end())
            names += (names.empty() ? "" : ",") + name;
    };
    for (const Experiment& experiment : experiments) {
        for (const std::string& name : experiment.methods)
            add(name);
        if (!experiment.methods.empty()) continue;
        for (const MethodInfo& method : method_table())
            add(method.name);
    }
    return names;
}

// Rows of a table by their names.
std::vector<std::string> chosen_rows(const std::string& names, const Experiment& experiment) {
    std::vector<std::string> known;
    for (const experiments::TableRow& row : experiment.rows)
        known.push_back(row.name);
    std::vector<std::string> chosen;
    for (const std::string& name : split_at(names, ',')) {
        if (std::find(known.begin(), known.end(), name) == known.end())
            fail_unknown_name("method of this table", name, known);
        if (std::find(chosen.begin(), chosen.end(), name) != chosen.end())
            throw InputError(fmt::format("--method: '{}' was given twice", name));
        chosen.push_back(name);
    }
    return chosen;
}

// The methods that rows are made of, separated by commas.
std::string methods_of_rows(const std::vector<std::string>& rows, const Experiment& experiment) {
    std::vector<std::string> methods;
    for (const experiments::TableRow& row : experiment.rows) {
        if (std::find(rows.begin(), rows.end(), row.name) == rows.end()) continue;
        for (const std::string& method : row.methods) {
            if (std::find(methods.begin(), methods.end(), method) == methods.end()) methods.push_back(method);
        }
    }
    return fmt::format("{}", fmt::join(methods, ","));
}

std::vector<std::string> settings_asked_for(const std::string& names,
                                            const std::vector<Experiment>& experiments) {
    std::vector<std::string> chosen = split_at(names, ',');
    for (const Experiment& experiment : experiments) {
        if (chosen.empty()) break;
        if (experiment.settings.empty())
            throw InputError(fmt::format("--setting has no effect on {}, which has one", experiment.target));
        for (const std::string& name : chosen) {
            if (std::find(experiment.settings.begin(), experiment.settings.end(), name) ==
                experiment.settings.end())
                fail_unknown_name("setting of " + experiment.target, name, experiment.settings);
        }
    }
    return chosen;
}

Plan plan_of(const ReproduceCommandOptions& options, const std::vector<Experiment>& experiments) {
    Plan plan = options.plan;
    std::vector<std::string> known = experiments.front().datasets;
    if (known.empty()) known.assign(paper_datasets.begin(), paper_datasets.end());
    if (options.datasets.empty()) plan.datasets = known;
    for (const std::string& dataset : split_at(options.datasets, ',')) {
        if (std::find(known.begin(), known.end(), dataset) == known.end())
            fail_unknown_name("dataset of this experiment", dataset, known);
        if (std::find(plan.datasets.begin(), plan.datasets.end(), dataset) != plan.datasets.end())
            throw InputError(fmt::format("--dataset: '{}' was given twice", dataset));
        plan.datasets.push_back(dataset);
    }
    if (plan.datasets.empty())
        throw InputError("--dataset: expected a dataset, or several separated by commas");
    // A setting that none of the trained methods reads is an error.
    const bool has_rows = !experiments.front().rows.empty();
    if (has_rows) plan.methods = chosen_rows(options.methods, experiments.front());
    std::string names = options.methods;
    if (names.empty())
        names = trained_methods(experiments);
    else if (has_rows)
        names = methods_of_rows(plan.methods, experiments.front());
    for (const AskedMethod& method : chosen_methods(names, plan.changes, plan.datasets.front())) {
        if (!options.methods.empty() && !has_rows) plan.methods.push_back(name_of(method));
    }
    plan.settings = settings_asked_for(options.settings, experiments);
    return plan;
}

// An experiment has its own values for what it varies: others would be ignored.
void check_changes(const std::vector<Experiment>& experiments, const Plan& plan) {
    for (const Experiment& experiment : experiments) {
        for (const Setting& change : plan.changes) {
            const auto& varied = experiment.varied;
            if (std::find(varied.begin(), varied.end(), change.name) != varied.end()) {
                throw InputError(fmt::format("{} has no effect on {}, which has its own values for it",
                                             option_name(change.name), experiment.target));
            }
        }
        const bool trains_nothing = experiment.target == "statistics" && experiments.size() == 1;
        if (trains_nothing && plan.first_seed != 0)
            throw InputError("--seed has no effect on statistics, which trains nothing");
        if (trains_nothing && plan.finished_only)
            throw InputError("--finished-only has no effect on statistics, which trains nothing");
        const auto& needed = experiment.dataset;
        const bool there =
            std::find(plan.datasets.begin(), plan.datasets.end(), needed) != plan.datasets.end();
        if (!needed.empty() && !there)
            throw InputError(fmt::format("--dataset: {} is an experiment on {}", experiment.target, needed));
    }
}

// What differs from the paper's protocol, for the head of a file.
std::string changes_text(const Plan& plan) {
    std::string text;
    std::vector<Setting> changes = plan.changes;
    if (plan.first_seed != 0) changes.push_back({"first seed", fmt::to_string(plan.first_seed)});
    for (const Setting& change : changes)
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", change.name, change.text);
    return text.empty() ? "" : fmt::format("Changed settings: {}.\n\n", text);
}

std::string document(const Experiment& experiment, const Outcome& outcome, const Plan& plan) {
    std::string text = markdown_heading(1, experiment.title) + changes_text(plan) + outcome.text;
    if (!outcome.figures.empty()) text += "\n";
    for (const experiments::Figure& figure : outcome.figures)
        text += fmt::format("![{0}]({0}.svg)\n", figure.name);
    return text;
}

void write_files(const std::filesystem::path& folder, const Experiment& experiment, const Outcome& outcome,
                 const Plan& plan) {
    write_text_atomically(folder / (experiment.target + ".md"), document(experiment, outcome, plan));
    write_text_atomically(folder / (experiment.target + ".json"),
                          cells_json(experiment.target, outcome.cells));
    for (const experiments::Figure& figure : outcome.figures)
        write_text_atomically(folder / (figure.name + ".svg"), figure.svg);
}

int run_reproduce(const ReproduceCommandOptions& options) {
    const auto started = std::chrono::steady_clock::now();
    const std::vector<Experiment> experiments = chosen_experiments(options.target);
    const Plan plan = plan_of(options, experiments);
    check_changes(experiments, plan);
    check_outputs({json_output(options.common), {"--out", options.out, true}});
    const std::unique_ptr<const WeightCache> cache = open_cache(options.cache);
    const CommandExecution run(options.common);
    RunJournal journal(options.out / "runs.jsonl");
    for (const std::string& message : journal.notes())
        say("warning", message);
    const std::filesystem::path data = data_directory(options.common);
    experiments::ExperimentRunner runner([&](const std::string& name) { return load_dataset(name, data); },
                                         cache.get(), journal, run.control(), plan);
    std::string text;
    std::vector<ResultCell> cells;
    for (const Experiment& experiment : experiments) {
        Outcome outcome;
        try {
            outcome = experiment.run(runner, plan);
        } catch (const Interrupted&) {
            say("error", fmt::format("interrupted; finished runs are in {}: the same command continues there",
                                     (options.out / "runs.jsonl").string()));
            return exit_status::interrupted;
        }
        write_files(options.out, experiment, outcome, plan);
        text += heading(experiment.title) + "\n\n" + changes_text(plan) + outcome.text + "\n";
        cells.insert(cells.end(), outcome.cells.begin(), outcome.cells.end());
    }
    for (const std::string& message : runner.notes())
        say("warning", message);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    text += fmt::format("{}, at most {}. Tables, numbers and figures: {}\n", duration_text(seconds),
                        memory_text(peak_megabytes()), options.out.string());
    Json json = Json::parse(cells_json(options.target, cells));
    json["seconds"] = seconds;
    json["peak_mb"] = peak_megabytes();
    deliver(text, json, options.common.json);
    return exit_status::success;
}

}  // namespace

void add_reproduce_command(CLI::App& program, std::vector<Command>& commands) {
    const auto options = std::make_shared<ReproduceCommandOptions>();
    std::string targets = "Targets:\n";
    for (const Experiment& experiment : experiments::all_experiments())
        targets += fmt::format("  {:<11} {}\n", experiment.target, experiment.title);
    targets += "  all         everything that is in the paper\n";
    CLI::App& command = add_command(
        program, "reproduce", reproduce_description,
        "  hwgcn reproduce random --runs 10 --dataset cora\n"
        "  hwgcn reproduce random --method gcn,hwgcn --device gpu      on a GPU, runs side by side\n"
        "  hwgcn reproduce all --out reproduction      stopped or killed, the same command continues\n"
        "  hwgcn reproduce beyond --finished-only      the tables of what is finished\n\n" +
            targets);
    command.add_option("TARGET", options->target, "what to repeat; see below")->required();
    command
        .add_option("--dataset", options->datasets,
                    "datasets, separated by commas; default: cora,citeseer,pubmed, for graphs also "
                    "cora_ml,amazon_photo,coauthor_cs; for helps: degree,words,topics")
        ->type_name("A,B,..");
    command
        .add_option(
            "--method", options->methods,
            "methods of random, fixed, beyond (its rows), graphs and helps; default: all of the table")
        ->type_name("A,B,..");
    command
        .add_option("--setting", options->settings,
                    "among fixed, random:20, random:10 and random:5, those of random, orders, powers and "
                    "beyond; default: all")
        ->type_name("A,B,..");
    command
        .add_flag("--finished-only", options->plan.finished_only,
                  "train nothing: tables of the runs that are finished, with their number where it is less "
                  "than asked for")
        ->disable_flag_override();
    add_parameter_options(command, plan_parameters(), options->plan);
    command.add_option("--out", options->out, "folder for tables, numbers, figures and finished runs")
        ->type_name("DIR")
        ->capture_default_str();
    add_setting_options(command, options->plan.changes);
    add_cache_options(command, options->cache);
    add_common_options(command, options->common);
    commands.push_back({&command, [options] { return run_reproduce(*options); }});
}

}  // namespace hwgcn::cli
