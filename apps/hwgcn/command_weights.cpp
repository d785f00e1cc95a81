#include <algorithm>
#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/base/peak_memory.hpp"
#include "hwgcn/io/writers.hpp"
#include "hwgcn/pipeline/train_run.hpp"
#include "hwgcn/weights/weight_cache.hpp"
#include "hwgcn/weights/weight_parameters.hpp"

#include "command.hpp"
#include "common_options.hpp"
#include "method_options.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "tables.hpp"
#include "usage.hpp"
#include "weights_report.hpp"

namespace hwgcn::cli {
namespace {

struct WeightsCommandOptions {
    CommonOptions common;
    DatasetOptions dataset;
    WeightOptions weights;
    bool lambda_given = false;
    std::filesystem::path out;  ///< the sum over all orders
    std::string out_orders;     ///< PREFIX of one file per order
    CacheOptions cache;
};

std::filesystem::path order_file(const WeightsCommandOptions& options, int order) {
    return fmt::format("{}{}.npz", options.out_orders, order);
}

std::vector<Output> outputs_of(const WeightsCommandOptions& options) {
    std::vector<Output> outputs = {json_output(options.common), {"--out", options.out}};
    if (options.out_orders.empty()) return outputs;
    for (int order = 2; order <= options.weights.order; ++order)
        outputs.push_back({"--out-orders", order_file(options, order)});
    return outputs;
}

void check(const WeightsCommandOptions& options) {
    check_weight_options(options.weights, options.lambda_given);
    cache_directory(options.cache);  // throws where its options contradict each other
    check_outputs(outputs_of(options), input_files(options.dataset, options.common));
}

NodeName node_name(const Dataset& dataset) {
    return [&dataset](Index node) { return node_id(dataset, node); };
}

std::vector<OrderLine> lines_of(const LearnedWeights& learned) {
    std::vector<OrderLine> lines;
    for (const OrderWeights& order : learned.orders)
        lines.push_back({order.summary, order.cached ? "cached" : ""});
    return lines;
}

void write_files(const LearnedWeights& learned, const WeightsCommandOptions& options) {
    if (!options.out.empty()) write_scipy_npz(options.out, combined_weights(learned));
    if (options.out_orders.empty()) return;
    for (const OrderWeights& order : learned.orders)
        write_scipy_npz(order_file(options, order.summary.order), order.matrix);
}

/// One run of the command, for the two ways of telling about it.
struct FinishedLearning {
    const WeightsCommandOptions& options;
    const Dataset& dataset;
    const LearnedWeights& learned;
    int threads;
    double seconds;
    double peak_mb;
};

std::string text_of(const FinishedLearning& run) {
    const WeightsCommandOptions& options = run.options;
    const std::vector<OrderLine> lines = lines_of(run.learned);
    std::string text = fmt::format("{}\n{}\n{}\n", heading(printable(run.dataset.name)),
                                   orders_text(lines, run.dataset.nodes), statistics_text(lines));
    text +=
        fmt::format("{} on {}, at most {}.{}\n", duration_text(run.seconds), counted(run.threads, "thread"),
                    memory_text(run.peak_mb), kept_text(lines, options.weights));
    if (!options.out.empty()) text += fmt::format("Written: {}\n", options.out.string());
    if (!options.out_orders.empty()) {
        text += fmt::format("Written: {} .. {}\n", order_file(options, 2).string(),
                            order_file(options, options.weights.order).string());
    }
    return text;
}

Json json_of(const FinishedLearning& run) {
    const std::vector<OrderWeights>& orders = run.learned.orders;
    const bool cached =
        std::all_of(orders.begin(), orders.end(), [](const OrderWeights& order) { return order.cached; });
    std::vector<std::string> notes = run.dataset.notes;
    notes.insert(notes.end(), run.learned.notes.begin(), run.learned.notes.end());
    Json json = {{"dataset", run.dataset.name},
                 {"threads", run.threads},
                 {"seconds", run.seconds},
                 {"peak_mb", run.peak_mb},
                 {"cached", cached},
                 {"cache_directory", cache_directory(run.options.cache).string()},
                 {"parameters", parameters_json(run.options.weights)},
                 {"orders", Json::array()},
                 {"notes", notes}};
    for (const OrderWeights& order : orders) {
        Json& added =
            json["orders"].emplace_back(order_json(order.summary, run.dataset.nodes, node_name(run.dataset)));
        added["cached"] = order.cached;
    }
    return json;
}

int run_weights(const WeightsCommandOptions& options) {
    const auto started = std::chrono::steady_clock::now();
    check(options);
    const CommandExecution run(options.common);
    PreparedGraph prepared = prepare_graph(load(options.dataset, options.common, run.control()),
                                           feature_options(options.dataset), run.control());
    Dataset& dataset = prepared.dataset;
    if (dataset.directed) {
        dataset.notes.push_back("the directions of the edges are not used: rings go both ways");
        note(options.common, dataset.notes.back());
    }
    tell_scaling(prepared.features.scaling, dataset, options.common, dataset.notes);
    cli::warn(prepared.features.structural ? prepared.features.notes
                                           : warnings_about_features(*prepared.features.scaled),
              dataset.notes);
    const std::unique_ptr<const WeightCache> cache = open_cache(options.cache);
    LearnedWeights learned;
    try {
        learned = learn_weights(prepared.graph, *prepared.features.scaled, options.weights, run.control(),
                                cache.get(), weight_content(prepared));
    } catch (const Interrupted&) {
        if (!cache) throw;
        say("error",
            "interrupted; the same command goes on from what is in the cache, if that could be written");
        return exit_status::interrupted;
    }
    write_files(learned, options);
    const std::vector<OrderLine> lines = lines_of(learned);
    warn_of_orders(lines, options.weights, node_name(dataset));
    for (const std::string& message : learned.notes)
        say("warning", message);
    warn_of_no_weights(lines);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    const FinishedLearning finished{options, dataset,         learned, thread_count(run.control()),
                                    seconds, peak_megabytes()};
    deliver(text_of(finished), json_of(finished), options.common.json);
    return status_of_orders(lines);
}

}  // namespace

void add_weights_command(CLI::App& program, std::vector<Command>& commands) {
    const auto options = std::make_shared<WeightsCommandOptions>();
    CLI::App& command =
        add_command(program, "weights", "Learn the weights of higher-order neighbors, order by order.",
                    "  hwgcn weights cora --order 6 --out W.npz     then: scipy.sparse.load_npz(\"W.npz\")\n"
                    "  hwgcn weights pubmed --order 5 --keep 0.2,0.1,0.05,0.05");
    add_dataset_options(command, options->dataset);
    add_parameter_options(command, weight_parameters(), options->weights);
    command
        .add_option("--out", options->out, "write the sum over all orders, as scipy.sparse.load_npz reads it")
        ->type_name("FILE");
    command.add_option("--out-orders", options->out_orders, "write one such file per order: PREFIX2.npz, ..")
        ->type_name("PREFIX");
    add_cache_options(command, options->cache);
    add_common_options(command, options->common);
    commands.push_back({&command, [options, &command] {
                            options->lambda_given = command.count("--lambda") > 0;
                            return run_weights(*options);
                        }});
}

}  // namespace hwgcn::cli
