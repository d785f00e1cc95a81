#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/metrics/decision.hpp"
#include "hwgcn/runs/run_folder.hpp"

#include "base/files/output_file.hpp"
#include "base/parameter.hpp"
#include "execution_context.hpp"
#include "operators/propagation.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "pipeline/shift.hpp"
#include "runs/run_files.hpp"
#include "runs/run_title.hpp"
#include "tables.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

struct PredictOptions {
    DataOptions data;  ///< where they are now
    std::filesystem::path run;
    AdditionOptions additions;
    std::filesystem::path out;
    double abstain = 0;
    bool new_only = false;
};

const std::vector<Parameter<PredictOptions>>& predict_parameters() {
    static const std::vector<Parameter<PredictOptions>> table = {
        number_parameter("abstain", &PredictOptions::abstain, Range<double>{0, 1}, "P",
                         "leave the prediction blank where its probability is below this"),
    };
    return table;
}

/// What the predictions are like as a whole.
struct Overview {
    std::vector<std::int64_t> predicted;  ///< nodes per class
    std::int64_t abstained = 0;
    std::int64_t nodes = 0;
    double confidence = 0;  ///< sum over the nodes

    double mean_confidence() const { return nodes == 0 ? 0 : confidence / static_cast<double>(nodes); }
};

// Adds the nodes that these probabilities are of, from row `from` on.
void add_rows(ConstMatrixView probabilities, const Decision& decision, Index from, double least_confidence,
              Overview& overview) {
    for (Index node = from; node < probabilities.rows; ++node) {
        const Index predicted = decide(probabilities, node, decision);
        const auto confidence = static_cast<double>(probabilities.at(node, predicted));
        ++(confidence >= least_confidence ? overview.predicted[predicted] : overview.abstained);
        ++overview.nodes;
        overview.confidence += confidence;
    }
}

std::string text_of(const Overview& overview, const Dataset& dataset, const std::string& title,
                    const PredictOptions& options) {
    Table table({{"predicted class", Align::left}, {"nodes"}});
    for (std::size_t c = 0; c < overview.predicted.size(); ++c)
        table.add({printable(dataset.class_names[c], 40), grouped(overview.predicted[c])});
    if (options.abstain > 0) table.add({"(not sure enough)", grouped(overview.abstained)});
    return fmt::format("{}\n{}\nMean confidence {:.1f} %.\nWritten: {}\n", heading(printable(title)),
                       table.text(), 100.0 * overview.mean_confidence(),
                       printable(options.out.string(), 300));
}

Json json_of(const Overview& overview, const Dataset& dataset, Index new_nodes, const RunManifest& manifest,
             const PredictOptions& options, const std::vector<std::string>& notes) {
    Json json = {{"run", options.run.string()},
                 {"dataset", dataset.name},
                 {"method", members_name(members_of(manifest))},
                 {"nodes", dataset.nodes},
                 {"new_nodes", new_nodes},
                 {"mean_confidence", 100.0 * overview.mean_confidence()},
                 {"abstained", overview.abstained},
                 {"classes", Json::array()},
                 {"notes", notes},
                 {"out", options.out.empty() ? Json() : Json(options.out.string())}};
    for (std::size_t c = 0; c < overview.predicted.size(); ++c)
        json["classes"].push_back({{"name", dataset.class_names[c]}, {"predicted", overview.predicted[c]}});
    return json;
}

void check(const PredictOptions& options) {
    const AddedFiles& added = options.additions.files;
    std::vector<std::filesystem::path> inputs =
        input_files_of_run(options.run, options.data.dataset, options.data.common);
    for (const auto& file : {added.nodes, added.edges, added.features}) {
        if (!file.empty()) inputs.push_back(file);
    }
    check_outputs({json_output(options.data.common), {"--out", options.out}}, inputs);
}

// Hands the table over, from node `first` on, as the probabilities come.
Overview write_table(const RunAtHand& run, ConstMatrixView own, Index first, const PredictOptions& options,
                     const ExecutionControl& control, const TextWriter& write) {
    const Dataset& dataset = run.data->graph().dataset;
    const Decision& decision = run.manifest.decision;
    const PredictionTable table(run.split, dataset, decision, options.abstain);
    Overview overview{std::vector<std::int64_t>(static_cast<std::size_t>(own.columns))};
    write(table.heading());
    run.data->gather(own, [&](ConstMatrixView rows, Index begin) {
        const Index from = std::clamp(first - begin, 0, rows.rows);
        write(table.rows(rows, begin, first, control));
        add_rows(rows, decision, from, options.abstain, overview);
    });
    return overview;
}

int run_predict(const PredictOptions& options, const ExecutionContext& context) {
    check(options);
    const CommandExecution execution(options.data.common);
    const ExecutionControl& control = execution.control();
    const RunAtHand run = context.open_run(options.run, options.data, options.additions, control);
    const RunManifest& manifest = run.manifest;
    const PreparedGraph& graph = run.data->graph();
    std::vector<std::string> noticed;
    const auto operator_of = [&](const MethodSettings& settings) -> const Propagation& {
        return run.data->operator_of(settings, control, noticed);
    };
    DenseMatrix own = predict_members(graph, operator_of, run.members, manifest.decision, control);
    for (const std::string& message : noticed)
        say("warning", message);
    calibrate(own, manifest.decision, manifest.temperature, control);
    std::vector<std::string> notes;
    const std::string warning = warning_about_new_nodes(graph, own, manifest.decision, run.split);
    if (!warning.empty()) warn({warning}, notes);

    // New nodes stand behind the old ones.
    const Index new_nodes =
        graph.addition.original ? graph.dataset.nodes - graph.addition.original->dataset.nodes : 0;
    const Index first = options.new_only ? graph.dataset.nodes - new_nodes : 0;
    std::string table;
    Overview overview;
    const auto write_to = [&](const TextWriter& write) {
        overview = write_table(run, own, first, options, control, write);
    };
    if (!context.is_first()) {
        run.data->gather(own, {});
    } else if (options.out.empty()) {
        write_to([&](std::string_view text) { table += text; });
    } else {
        write_text_atomically(options.out, write_to);
    }
    const std::int64_t exchanged = context.exchanged_bytes();
    if (!context.is_first()) return exit_status::success;
    Json json = json_of(overview, graph.dataset, new_nodes, manifest, options, notes);
    add_processes(json, context, exchanged);
    deliver(options.out.empty() ? table : text_of(overview, graph.dataset, run_title(manifest), options),
            json, options.data.common.json);
    return exit_status::success;
}

}  // namespace

void add_predict_command(CLI::App& program, std::vector<Command>& commands, const ExecutionContext& context) {
    const auto options = std::make_shared<PredictOptions>();
    CLI::App& command =
        add_command(program, "predict", "Write the class and the class probabilities of every node.",
                    "  hwgcn predict runs/cora --out predictions.csv\n"
                    "  hwgcn predict runs/cora --out sure.csv --abstain 0.8\n"
                    "  hwgcn predict runs/cora moved/ind.cora\n"
                    "  hwgcn predict runs/shop --add-nodes new_customers.csv --add-edges new_links.csv");
    command.add_option("RUN", options->run, "a folder that hwgcn train --out wrote");
    context.add_data_options(command, options->data.dataset);
    command.get_option("DATASET")->description("where the data of the run are now, if they were moved");
    command.add_option("--out", options->out, "write the table to this file (default: standard output)")
        ->type_name("FILE");
    add_parameter_options(command, predict_parameters(), *options);
    add_addition_options(command, options->additions);
    command.add_flag("--new-only", options->new_only, "write the new nodes only")->group("New nodes");
    context.add_weight_options(command, options->data);
    context.add_common_options(command, options->data.common);
    only_alone(command, context,
               {"--add-nodes", "--add-edges", "--add-features", "--update-neighbors", "--new-only"});
    commands.push_back({&command, [options, &context] { return run_predict(*options, context); }});
}

}  // namespace hwgcn::cli
