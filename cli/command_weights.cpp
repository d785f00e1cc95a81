#include <algorithm>
#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/data/writers.hpp"
#include "hwgcn/methods/train_run.hpp"
#include "hwgcn/neighbor_weights/weight_cache.hpp"
#include "hwgcn/neighbor_weights/weight_parameters.hpp"
#include "hwgcn/support/error.hpp"
#include "hwgcn/support/peak_memory.hpp"

#include "command.hpp"
#include "common_options.hpp"
#include "method_options.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "tables.hpp"
#include "usage.hpp"

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
    validate_options(options.weights);
    if (options.weights.order < 2)
        throw InputError("--order 1: nothing to learn, the weights of order 1 are the edges themselves");
    if (options.lambda_given && options.weights.weighting != Weighting::lasso)
        throw InputError("--lambda matters only with --weighting lasso");
    cache_directory(options.cache);  // throws where its options contradict each other
    check_outputs(outputs_of(options), input_files(options.dataset, options.common));
}

double mean_per_node(std::int64_t count, Index nodes) {
    return nodes > 0 ? static_cast<double>(count) / nodes : 0.0;
}

std::string orders_text(const LearnedWeights& learned, Index nodes) {
    Table table({{"order"},
                 {"problems"},
                 {"ring pairs"},
                 {"mean ring"},
                 {"largest"},
                 {"support/node"},
                 {"worst gap"},
                 {"time"},
                 {"", Align::left}});
    for (const OrderWeights& order : learned.orders) {
        const OrderSummary& s = order.summary;
        table.add({fmt::to_string(s.order), grouped(s.problems), grouped(s.ring_pairs),
                   mean_text(mean_per_node(s.ring_pairs, nodes)), grouped(s.largest_ring),
                   mean_text(mean_per_node(s.support, nodes)), fmt::format("{:.1e}", s.worst_gap),
                   duration_text(s.seconds), order.cached ? "cached" : ""});
    }
    return table.text();
}

std::string statistics_text(const LearnedWeights& learned) {
    Table table({{"order"},
                 {"(0,1e-5)"},
                 {"(1e-5,1e-4)"},
                 {"(1e-4,1e-3)"},
                 {"(1e-3,1e-2)"},
                 {"(1e-2,1e-1)"},
                 {"(1e-1,inf)"}});
    for (const OrderWeights& order : learned.orders) {
        std::vector<std::string> cells = {fmt::to_string(order.summary.order)};
        for (const double percent : order.summary.statistics_percent)
            cells.push_back(fmt::format("{:.2f}", percent));
        table.add(std::move(cells));
    }
    return "Share (%) of the ring members by weight; no weight counts as the smallest\n" + table.text();
}

Json to_json(const OrderWeights& order, const Dataset& dataset) {
    const OrderSummary& s = order.summary;
    return {{"order", s.order},
            {"problems", s.problems},
            {"ring_pairs", s.ring_pairs},
            {"mean_ring", mean_per_node(s.ring_pairs, dataset.nodes)},
            {"largest_ring", s.largest_ring},
            {"support", s.support},
            {"mean_support", mean_per_node(s.support, dataset.nodes)},
            {"kept", s.kept},
            {"worst_gap", s.worst_gap},
            {"worst_node", s.worst_node < 0 ? Json() : Json(node_id(dataset, s.worst_node))},
            {"unfinished", s.unfinished},
            {"iterations", s.iterations},
            {"capped_rings", s.capped_rings},
            {"capped_pairs", s.capped_pairs},
            {"seconds", s.seconds},
            {"cached", order.cached},
            {"statistics_percent", s.statistics_percent}};
}

Json parameters_json(const WeightOptions& options) {
    Json json = Json::object();
    for (const Parameter<WeightOptions>& parameter : weight_parameters()) {
        const std::string value = parameter.get(options);
        json[parameter.name] = Json::accept(value) ? Json::parse(value) : Json(value);
    }
    json["keep"] = options.keep;
    return json;
}

// Short, but not to be overlooked: what is not as it was asked for. Returns the number of unfinished solves.
std::int64_t warn(const LearnedWeights& learned, const Dataset& dataset, const WeightOptions& options) {
    std::int64_t unfinished = 0;
    for (const OrderWeights& order : learned.orders) {
        const OrderSummary& s = order.summary;
        unfinished += s.unfinished;
        if (s.capped_rings > 0) {
            say("warning", fmt::format("order {}: --max-ring {} capped {}, {} carry no weight", s.order,
                                       options.max_ring, counted(s.capped_rings, "ring"),
                                       counted(s.capped_pairs, "member")));
        }
        if (s.unfinished > 0) {
            say("warning",
                fmt::format("order {}: {} did not reach the tolerance {}; the worst gap is {:.1e}, at "
                            "node {}",
                            s.order, counted(s.unfinished, "solve"), options.tolerance, s.worst_gap,
                            node_id(dataset, s.worst_node)));
        }
    }
    for (const std::string& message : learned.notes)
        say("warning", message);
    std::int64_t problems = 0, pairs = 0;
    for (const OrderWeights& order : learned.orders) {
        problems += order.summary.problems;
        pairs += order.summary.ring_pairs;
    }
    if (pairs == 0) {
        say("warning", "no weights at all: no node has a neighbour at distance 2 or more");
    } else if (problems == 0) {
        say("warning", "no weights at all: no node shares a feature with the members of its rings");
    }
    return unfinished;
}

void write_files(const LearnedWeights& learned, const WeightsCommandOptions& options) {
    if (!options.out.empty()) write_scipy_npz(options.out, combined_weights(learned));
    if (options.out_orders.empty()) return;
    for (const OrderWeights& order : learned.orders)
        write_scipy_npz(order_file(options, order.summary.order), order.matrix);
}

std::string kept_text(const LearnedWeights& learned, const WeightOptions& options) {
    if (options.keep.empty()) return "";
    std::int64_t support = 0;
    std::int64_t kept = 0;
    for (const OrderWeights& order : learned.orders) {
        support += order.summary.support;
        kept += order.summary.kept;
    }
    return fmt::format(" --keep left {} of {}.", grouped(kept), counted(support, "weight"));
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
    std::string text = fmt::format("{}\n{}\n{}\n", heading(printable(run.dataset.name)),
                                   orders_text(run.learned, run.dataset.nodes), statistics_text(run.learned));
    text +=
        fmt::format("{} on {}, at most {}.{}\n", duration_text(run.seconds), counted(run.threads, "thread"),
                    memory_text(run.peak_mb), kept_text(run.learned, options.weights));
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
    for (const OrderWeights& order : orders)
        json["orders"].push_back(to_json(order, run.dataset));
    return json;
}

int run_weights(const WeightsCommandOptions& options) {
    const auto started = std::chrono::steady_clock::now();
    check(options);
    const CommandExecution run(options.common);
    PreparedGraph prepared(load(options.dataset, options.common, run.control()),
                           feature_options(options.dataset), run.control());
    Dataset& dataset = prepared.dataset;
    if (dataset.directed) {
        dataset.notes.push_back("the directions of the edges are not used: rings go both ways");
        note(options.common, dataset.notes.back());
    }
    tell_scaling(prepared.scaling, dataset, options.common, dataset.notes);
    cli::warn(prepared.structural ? prepared.feature_notes : doubts_about_features(*prepared.features),
              dataset.notes);
    const std::unique_ptr<const WeightCache> cache = open_cache(options.cache);
    LearnedWeights learned;
    try {
        learned = learn_weights(prepared.graph, *prepared.features, options.weights, run.control(),
                                cache.get(), weight_content(prepared));
    } catch (const Interrupted&) {
        if (!cache) throw;
        say("error",
            "interrupted; the same command goes on from what is in the cache, if that could be written");
        return exit_status::interrupted;
    }
    write_files(learned, options);
    const std::int64_t unfinished = warn(learned, dataset, options.weights);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    const FinishedLearning finished{options, dataset,         learned, thread_count(run.control()),
                                    seconds, peak_megabytes()};
    deliver(text_of(finished), json_of(finished), options.common.json);
    return unfinished > 0 ? exit_status::failed_run : exit_status::success;
}

}  // namespace

void add_weights_command(CLI::App& program, std::vector<Command>& commands) {
    const auto options = std::make_shared<WeightsCommandOptions>();
    CLI::App& command =
        add_command(program, "weights", "Learn the weights of higher-order neighbours, order by order.",
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
