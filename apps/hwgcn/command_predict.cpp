#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/base/output_file.hpp"
#include "hwgcn/metrics/decision.hpp"
#include "hwgcn/pipeline/shift.hpp"
#include "hwgcn/runs/run_folder.hpp"
#include "hwgcn/runs/run_title.hpp"

#include "command.hpp"
#include "common_options.hpp"
#include "method_options.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "run_dataset.hpp"
#include "tables.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

struct PredictOptions {
    CommonOptions common;
    std::filesystem::path run;
    DatasetOptions dataset;  ///< where the data are now
    CacheOptions cache;
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
    double mean_confidence = 0;
    std::int64_t abstained = 0;
};

Overview overview_of(ConstMatrixView probabilities, const Decision& decision, Index first,
                     double least_confidence) {
    Overview overview{std::vector<std::int64_t>(static_cast<std::size_t>(probabilities.columns))};
    double sum = 0;
    for (Index node = first; node < probabilities.rows; ++node) {
        const Index predicted = decide(probabilities, node, decision);
        const auto confidence = static_cast<double>(probabilities.at(node, predicted));
        ++(confidence >= least_confidence ? overview.predicted[predicted] : overview.abstained);
        sum += confidence;
    }
    overview.mean_confidence = first == probabilities.rows ? 0 : sum / (probabilities.rows - first);
    return overview;
}

std::string text_of(const Overview& overview, const Dataset& dataset, const std::string& title,
                    const PredictOptions& options) {
    Table table({{"predicted class", Align::left}, {"nodes"}});
    for (std::size_t c = 0; c < overview.predicted.size(); ++c)
        table.add({printable(dataset.class_names[c], 40), grouped(overview.predicted[c])});
    if (options.abstain > 0) table.add({"(not sure enough)", grouped(overview.abstained)});
    return fmt::format("{}\n{}\nMean confidence {:.1f} %.\nWritten: {}\n", heading(printable(title)),
                       table.text(), 100.0 * overview.mean_confidence, printable(options.out.string(), 300));
}

Json json_of(const Overview& overview, const Dataset& dataset, Index new_nodes, const RunManifest& manifest,
             const PredictOptions& options, const std::vector<std::string>& notes) {
    Json json = {{"run", options.run.string()},
                 {"dataset", dataset.name},
                 {"method", manifest.settings.method()},
                 {"nodes", dataset.nodes},
                 {"new_nodes", new_nodes},
                 {"mean_confidence", 100.0 * overview.mean_confidence},
                 {"abstained", overview.abstained},
                 {"classes", Json::array()},
                 {"notes", notes},
                 {"out", options.out.empty() ? Json() : Json(options.out.string())}};
    for (std::size_t c = 0; c < overview.predicted.size(); ++c)
        json["classes"].push_back({{"name", dataset.class_names[c]}, {"predicted", overview.predicted[c]}});
    return json;
}

int run_predict(const PredictOptions& options) {
    std::vector<std::filesystem::path> inputs =
        input_files_of_run(options.run, options.dataset, options.common);
    for (const auto& file :
         {options.additions.files.nodes, options.additions.files.edges, options.additions.files.features}) {
        if (!file.empty()) inputs.push_back(file);
    }
    check_outputs({json_output(options.common), {"--out", options.out}}, inputs);
    const WeightCache cache = cache_of_run(options.run, options.cache);
    const CommandExecution run(options.common);
    const auto [manifest, graph, split, parameters] =
        open_run(options.run, options.dataset, options.common, cache, run.control(), options.additions);
    OperatorPool operators(graph, &cache);
    const Propagation& propagation = operators.get(manifest.settings, run.control());
    for (const std::string& message : operators.notes())
        say("warning", message);
    DenseMatrix probabilities =
        predict_nodes(graph, propagation, manifest.settings, parameters, run.control());
    calibrate(probabilities, manifest.decision, manifest.temperature, run.control());
    std::vector<std::string> notes;
    const std::string warning = warning_about_new_nodes(graph, probabilities, manifest.decision, split);
    if (!warning.empty()) warn({warning}, notes);

    // New nodes stand behind the old ones.
    const Index new_nodes =
        graph.addition.original ? graph.dataset.nodes - graph.addition.original->dataset.nodes : 0;
    const Index first = options.new_only ? graph.dataset.nodes - new_nodes : 0;
    const std::string table = predictions_csv(probabilities, split, graph.dataset, options.abstain,
                                              run.control(), first, manifest.decision);
    const Overview overview = overview_of(probabilities, manifest.decision, first, options.abstain);
    if (!options.out.empty()) write_text_atomically(options.out, table);
    deliver(options.out.empty() ? table : text_of(overview, graph.dataset, run_title(manifest), options),
            json_of(overview, graph.dataset, new_nodes, manifest, options, notes), options.common.json);
    return exit_status::success;
}

}  // namespace

void add_predict_command(CLI::App& program, std::vector<Command>& commands) {
    const auto options = std::make_shared<PredictOptions>();
    CLI::App& command =
        add_command(program, "predict", "Write the class and the class probabilities of every node.",
                    "  hwgcn predict runs/cora --out predictions.csv\n"
                    "  hwgcn predict runs/cora --out sure.csv --abstain 0.8\n"
                    "  hwgcn predict runs/cora moved/ind.cora\n"
                    "  hwgcn predict runs/shop --add-nodes new_customers.csv --add-edges new_links.csv");
    command.add_option("RUN", options->run, "a folder that hwgcn train --out wrote");
    add_dataset_options(command, options->dataset);
    command.get_option("DATASET")->description("where the data of the run are now, if they were moved");
    command.add_option("--out", options->out, "write the table to this file (default: standard output)")
        ->type_name("FILE");
    add_parameter_options(command, predict_parameters(), *options);
    add_addition_options(command, options->additions);
    command.add_flag("--new-only", options->new_only, "write the new nodes only")->group("New nodes");
    add_cache_options(command, options->cache);
    add_common_options(command, options->common);
    commands.push_back({&command, [options] { return run_predict(*options); }});
}

}  // namespace hwgcn::cli
