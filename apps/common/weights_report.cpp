#include "weights_report.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/parameter.hpp"
#include "command.hpp"
#include "tables.hpp"
#include "weights/weight_parameters.hpp"

namespace hwgcn::cli {
namespace {

double mean_per_node(std::int64_t count, Index nodes) {
    return nodes > 0 ? static_cast<double>(count) / nodes : 0.0;
}

}  // namespace

// How long it took is not known of blocks that are found.
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
                   s.seconds > 0 ? duration_text(s.seconds) : "-", order.remark});
    }
    return table.text();
}

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

int status_of_orders(std::span<const OrderLine> orders) {
    const auto is_solved = [](const OrderLine& order) { return order.summary.unfinished == 0; };
    return std::ranges::all_of(orders, is_solved) ? exit_status::success : exit_status::failed_run;
}

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

}  // namespace hwgcn::cli
