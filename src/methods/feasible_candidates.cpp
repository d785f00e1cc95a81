#include <algorithm>

#include <fmt/format.h>

#include "hwgcn/methods/choose_method.hpp"
#include "hwgcn/neighbor_weights/estimate.hpp"
#include "hwgcn/support/error.hpp"

namespace hwgcn {
namespace {

// Of learning_work: about two minutes of learning on two cores.
constexpr double ring_budget = 1e10;
constexpr Index sampled_nodes = 64;

// The largest of the wanted orders whose rings, and those of all orders below, fit into the budget. Rings
// are searched order by order: where they explode, high orders are too long even to be searched.
int affordable_order(const PreparedGraph& graph, const WeightOptions& options, int wanted,
                     const ExecutionControl& control) {
    const ExecutionControl silent{control.threads, nullptr, control.stop};
    double work = 0;
    for (int order = 2; order <= wanted; ++order) {
        const RingSummary rings =
            summarize_rings(graph.graph, {order, options.neighborhood, sampled_nodes}, silent).back();
        work += learning_work(graph.graph, *graph.features, rings, options);
        if (work > ring_budget) return order - 1;
    }
    return wanted;
}

bool needs_features(const MethodSettings& settings) {
    return method_info(settings.method()).uses_features ||
           settings.operator_kind() == OperatorKind::higher_order;
}

bool is_classic(const MethodSettings& settings) {
    return method_info(settings.method()).kind == MethodKind::classic;
}

// Candidates that become equal are one. Those on the plain graph are there already.
void lower_orders(Automatic& automatic, int highest) {
    const auto too_high = [&](const MethodSettings& candidate) { return order_of(candidate) > highest; };
    if (highest == 1) std::erase_if(automatic.candidates, too_high);
    for (MethodSettings& candidate : automatic.candidates) {
        if (too_high(candidate)) candidate.apply({{"order", fmt::to_string(highest)}});
    }
    merge_equal_candidates(automatic);
}

}  // namespace

Automatic feasible_candidates(const PreparedGraph& graph, Automatic automatic,
                              const ExecutionControl& control, std::vector<std::string>& notes) {
    std::vector<MethodSettings>& candidates = automatic.candidates;
    if (graph.features->columns == 0) {
        std::erase_if(candidates, needs_features);
        notes.push_back(
            fmt::format("{}: without features, there is only the graph to learn from", graph.dataset.name));
    }
    if (!graph.label_weights.empty() && std::erase_if(candidates, is_classic) > 0) {
        notes.push_back(
            fmt::format("{}: auto tries only networks, because labels have weights", graph.dataset.name));
    }
    int wanted = 1;
    WeightOptions options;
    for (const MethodSettings& candidate : candidates) {
        if (order_of(candidate) <= wanted) continue;
        wanted = order_of(candidate);
        options = candidate.weights();
    }
    const int affordable = affordable_order(graph, options, wanted, control);
    if (affordable < wanted) {
        lower_orders(automatic, affordable);
        notes.push_back(
            fmt::format("{}: auto tries no orders above {}: their rings are too large; `max_ring` makes "
                        "them smaller, `method=hwgcn` with `order={}` learns them nevertheless",
                        graph.dataset.name, affordable, wanted));
    }
    if (candidates.empty())
        fail_in_file(graph.dataset.name, "with these settings, auto has nothing to choose from");
    return automatic;
}

AskedMethod feasible(const PreparedGraph& graph, AskedMethod method, const ExecutionControl& control,
                     std::vector<std::string>& notes) {
    if (auto* automatic = std::get_if<Automatic>(&method))
        return feasible_candidates(graph, std::move(*automatic), control, notes);
    return method;
}

}  // namespace hwgcn
