#pragma once

#include <functional>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "hwgcn/weights/learn_weights.hpp"

#include "output.hpp"

namespace hwgcn::cli {

/// An order in the tables of learned weights, and a remark at the end of its line.
struct OrderLine {
    OrderSummary summary;
    std::string remark;
};

/// The id of a node, as users know it.
using NodeName = std::function<std::string(Index node)>;

/// Counts, ring sizes and times, order by order.
std::string orders_text(std::span<const OrderLine> orders, Index nodes);

/// Shares of the ring members by weight.
std::string statistics_text(std::span<const OrderLine> orders);

/// " --keep left 5 of 10 weights." where it was given, else nothing.
std::string kept_text(std::span<const OrderLine> orders, const WeightOptions& options);

/// An order for programs.
Json order_json(const OrderSummary& summary, Index nodes, const NodeName& name);

/// The settings, by name.
Json parameters_json(const WeightOptions& options);

/// Throws InputError for what no command that learns weights accepts.
void check_weight_options(const WeightOptions& options, bool lambda_given);

/// Says, short, but not to be overlooked, what is not as it was asked for.
void warn_of_orders(std::span<const OrderLine> orders, const WeightOptions& options, const NodeName& name);

/// `failed_run` where solves did not reach the tolerance.
int status_of_orders(std::span<const OrderLine> orders);

/// Says where nothing was learned, and why.
void warn_of_no_weights(std::span<const OrderLine> orders);

}  // namespace hwgcn::cli
