#include <algorithm>
#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "base/parameter.hpp"
#include "base/peak_memory.hpp"
#include "execution_context.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "tables.hpp"
#include "usage.hpp"
#include "weights/weight_parameters.hpp"

namespace hwgcn::cli {
namespace {

double mean_per_node(std::int64_t count, Index nodes) {
    return nodes > 0 ? static_cast<double>(count) / nodes : 0.0;
}

// Counts, ring sizes and times, order by order. How long it took is not known of blocks that are found.
std::string orders_text(std::span<const OrderLine> orders, Index nodes) {
    Table table({{"order"},
                 {"problems"},
                 {"ring pairs"},
                 {"mean ring"},
                 {"largest"},
                 {"support/node"},
                 {"worst gap"},
                 {"time"},
                 {"", Align::left}});
    for (const OrderLine& order : orders) {
        const OrderSummary& s = order.summary;
        table.add({fmt::to_string(s.order), grouped(s.problems), grouped(s.ring_pairs),
                   mean_text(mean_per_node(s.ring_pairs, nodes)), grouped(s.largest_ring),
                   mean_text(mean_per_node(s.support, nodes)), fmt::format("{:.1e}", s.worst_gap),
                   s.seconds > 0 ? duration_text(s.seconds) : "-", order.cached ? "cached" : ""});
    }
    return table.text();
}

// Shares of the ring members by weight.
std::string statistics_text(std::span<const OrderLine> orders) {
    Table table({{"order"},
                 {"(0,1e-5)"},
                 {"(1e-5,1e-4)"},
                 {"(1e-4,1e-3)"},
                 {"(1e-3,1e-2)"},
                 {"(1e-2,1e-1)"},
                 {"(1e-1,inf)"}});
    for (const OrderLine& order : orders) {
        std::vector<std::string> cells = {fmt::to_string(order.summary.order)};
        for (const double percent : order.summary.statistics_percent)
            cells.push_back(fmt::format("{:.2f}", percent));
        table.add(std::move(cells));
    }
    return "Share (%) of the ring members by weight; no weight counts as the smallest\n" + table.text();
}

// " --keep left 5 of 10 weights." where it was given, else nothing.
std::string kept_text(std::span<const OrderLine> orders, const WeightOptions& options) {
    if (options.keep.empty()) return "";
    std::int64_t support = 0;
    std::int64_t kept = 0;
    for (const OrderLine& order : orders) {
        support += order.summary.support;
        kept += order.summary.kept;
    }
    return fmt::format(" --keep left {} of {}.", grouped(kept), counted(support, "weight"));
}

Json order_json(const OrderSummary& s, Index nodes, const NodeName& name) {
    return {{"order", s.order},
            {"problems", s.problems},
            {"ring_pairs", s.ring_pairs},
            {"mean_ring", mean_per_node(s.ring_pairs, nodes)},
            {"largest_ring", s.largest_ring},
            {"support", s.support},
            {"mean_support", mean_per_node(s.support, nodes)},
            {"kept", s.kept},
            {"worst_gap", s.worst_gap},
            {"worst_node", s.worst_node < 0 ? Json() : Json(name(s.worst_node))},
            {"unfinished", s.unfinished},
            {"iterations", s.iterations},
            {"capped_rings", s.capped_rings},
            {"capped_pairs", s.capped_pairs},
            {"sampled_rings", s.sampled_rings},
            {"seconds", s.seconds > 0 ? Json(s.seconds) : Json()},
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

void check_weight_options(const WeightOptions& options, bool lambda_given) {
    validate_options(options);
    if (options.order < 2)
        throw InputError("--order 1: nothing to learn, the weights of order 1 are the edges themselves");
    if (lambda_given && options.weighting != Weighting::lasso)
        throw InputError("--lambda matters only with --weighting lasso");
}

// Says, short, but not to be overlooked, what is not as it was asked for.
void warn_of_orders(std::span<const OrderLine> orders, const WeightOptions& options, const NodeName& name) {
    for (const OrderLine& order : orders) {
        const OrderSummary& s = order.summary;
        if (s.capped_rings > 0) {
            say("warning", fmt::format("order {}: --max-ring {} capped {}, {} carry no weight", s.order,
                                       options.max_ring, counted(s.capped_rings, "ring"),
                                       counted(s.capped_pairs, "member")));
        }
        if (s.sampled_rings > 0) {
            say("warning", fmt::format("order {}: --sample-ring {} left {} incomplete: alpha and the counts "
                                       "are those of the samples",
                                       s.order, options.sample_ring, counted(s.sampled_rings, "ring")));
        }
        if (s.unfinished > 0) {
            say("warning",
                fmt::format("order {}: {} did not reach the tolerance {}; the worst gap is {:.1e}, at "
                            "node {}",
                            s.order, counted(s.unfinished, "solve"), options.tolerance, s.worst_gap,
                            name(s.worst_node)));
        }
    }
}

// `failed_run` where solves did not reach the tolerance.
int status_of_orders(std::span<const OrderLine> orders) {
    const auto is_solved = [](const OrderLine& order) { return order.summary.unfinished == 0; };
    return std::ranges::all_of(orders, is_solved) ? exit_status::success : exit_status::failed_run;
}

// Says where nothing was learned, and why.
void warn_of_no_weights(std::span<const OrderLine> orders) {
    std::int64_t problems = 0, pairs = 0;
    for (const OrderLine& order : orders) {
        problems += order.summary.problems;
        pairs += order.summary.ring_pairs;
    }
    if (pairs == 0) {
        say("warning", "no weights at all: no node has a neighbor at distance 2 or more");
    } else if (problems == 0) {
        say("warning", "no weights at all: no node shares a feature with the members of its rings");
    }
}

void check(const WeightsRequest& request, bool lambda_given) {
    check_weight_options(request.weights, lambda_given);
    cache_directory(request.data.cache);  // throws where its options contradict each other
    std::vector<Output> outputs = {json_output(request.data.common), {"--out", request.out}};
    for (int order = 2; order <= request.weights.order && !request.out_orders.empty(); ++order)
        outputs.push_back({"--out-orders", order_file(request.out_orders, order)});
    check_outputs(outputs, input_files(request.data.dataset, request.data.common));
}

/// One run of the command, for the two ways of telling about it.
struct FinishedLearning {
    const WeightsRequest& request;
    const LearnedOrders& learned;
    const ExecutionContext& context;
    int threads;
    double seconds;
    double peak_mb;
};

std::string text_of(const FinishedLearning& run) {
    const WeightsRequest& request = run.request;
    const std::vector<OrderLine>& orders = run.learned.orders;
    std::string text =
        fmt::format("{}\n{}\n{}\n{}", heading(printable(run.learned.dataset)),
                    orders_text(orders, run.learned.nodes), statistics_text(orders), run.learned.text);
    text += fmt::format("{} on {}{}, at most {}.{}\n", duration_text(run.seconds),
                        run.context.is_shared() ? process_count(run.context.processes()) + " of " : "",
                        counted(run.threads, "thread"), memory_text(run.peak_mb),
                        kept_text(orders, request.weights));
    if (!request.out.empty()) text += fmt::format("Written: {}\n", request.out.string());
    if (!request.out_orders.empty()) {
        text += fmt::format("Written: {} .. {}\n", order_file(request.out_orders, 2).string(),
                            order_file(request.out_orders, request.weights.order).string());
    }
    return text;
}

Json json_of(const FinishedLearning& run) {
    const LearnedOrders& learned = run.learned;
    const auto is_cached = [](const OrderLine& order) { return order.cached; };
    std::vector<std::string> notes = learned.notes;
    notes.insert(notes.end(), learned.warnings.begin(), learned.warnings.end());
    Json json = {{"dataset", learned.dataset},
                 {"threads", run.threads},
                 {"seconds", run.seconds},
                 {"peak_mb", run.peak_mb},
                 {"cached", std::ranges::all_of(learned.orders, is_cached)},
                 {"cache_directory", cache_directory(run.request.data.cache).string()},
                 {"parameters", parameters_json(run.request.weights)},
                 {"orders", Json::array()},
                 {"notes", notes}};
    for (const OrderLine& order : learned.orders) {
        Json& added =
            json["orders"].emplace_back(order_json(order.summary, learned.nodes, learned.node_name));
        added["cached"] = order.cached;
    }
    json.update(learned.json);
    return json;
}

// There may be one for every block.
void say_some(const std::vector<std::string>& warnings) {
    constexpr std::size_t shown = 5;
    for (std::size_t k = 0; k < std::min(shown, warnings.size()); ++k)
        say("warning", warnings[k]);
    if (warnings.size() > shown)
        say("warning", fmt::format("and {} more like these; --json has all", warnings.size() - shown));
}

int run_weights(const WeightsRequest& request, bool lambda_given, const ExecutionContext& context) {
    const auto started = std::chrono::steady_clock::now();
    check(request, lambda_given);
    const CommandExecution run(request.data.common);
    LearnedOrders learned;
    try {
        learned = context.learn_weights(request, run);
    } catch (const Interrupted&) {
        if (context.is_shared() || cache_directory(request.data.cache).empty()) throw;
        say("error",
            "interrupted; the same command goes on from what is in the cache, if that could be written");
        return exit_status::interrupted;
    }
    const double peak_mb = context.maximum(peak_megabytes());
    if (context.is_first()) {
        warn_of_orders(learned.orders, request.weights, learned.node_name);
        say_some(learned.warnings);
        warn_of_no_weights(learned.orders);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
        const FinishedLearning finished{request,         learned, context, thread_count(run.control()),
                                        seconds.count(), peak_mb};
        deliver(text_of(finished), json_of(finished), request.data.common.json);
    }
    return status_of_orders(learned.orders);
}

}  // namespace

std::filesystem::path order_file(const std::string& prefix, int order) {
    return fmt::format("{}{}.npz", prefix, order);
}

void add_weights_command(CLI::App& program, std::vector<Command>& commands, const ExecutionContext& context) {
    const auto request = std::make_shared<WeightsRequest>();
    CLI::App& command =
        add_command(program, "weights", "Learn the weights of higher-order neighbors, order by order.",
                    "  hwgcn weights cora --order 6 --out W.npz     then: scipy.sparse.load_npz(\"W.npz\")\n"
                    "  hwgcn weights pubmed --order 5 --keep 0.2,0.1,0.05,0.05");
    context.add_data_options(command, request->data.dataset);
    add_parameter_options(command, weight_parameters(), request->weights);
    if (!context.is_shared())
        command
            .add_option("--out", request->out,
                        "write the sum over all orders, as scipy.sparse.load_npz reads it")
            ->type_name("FILE");
    command.add_option("--out-orders", request->out_orders, "write one such file per order: PREFIX2.npz, ..")
        ->type_name("PREFIX");
    context.add_weight_options(command, request->data);
    context.add_common_options(command, request->data.common);
    only_alone(command, context, {"--keep", "--out-orders"});
    commands.push_back({&command, [request, &command, &context] {
                            return run_weights(*request, command.count("--lambda") > 0, context);
                        }});
}

}  // namespace hwgcn::cli
