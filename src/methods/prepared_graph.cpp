#include "hwgcn/methods/prepared_graph.hpp"

#include <utility>

#include <fmt/format.h>

#include "hwgcn/neighbor_weights/weight_parameters.hpp"
#include "hwgcn/propagation/propagation_parameters.hpp"
#include "hwgcn/support/error.hpp"

#include "support/hash.hpp"

namespace hwgcn {
namespace {

// The settings that the operator depends on.
std::string operator_key(const MethodSettings& settings) {
    std::string key = method_info(settings.method()).takes_weights ? "weights;" : "operator;";
    const auto add = [&](const auto& table) {
        for (const auto& parameter : table) {
            if (settings.reads(parameter.name))
                key += parameter.name + "=" + settings.value(parameter.name) + ";";
        }
    };
    add(weight_parameters());
    add(propagation_parameters());
    return key;
}

// An operator is as good as its solves.
void check_solved(const LearnedWeights& weights, const WeightOptions& options) {
    for (const OrderWeights& order : weights.orders) {
        if (order.summary.unfinished == 0) continue;
        throw ExecutionError(fmt::format(
            "order {}: {} solves did not reach the tolerance {}; the worst gap is {:.1e}",
            order.summary.order, order.summary.unfinished, options.tolerance, order.summary.worst_gap));
    }
}

}  // namespace

PreparedGraph::PreparedGraph(Dataset source)
    : dataset(std::move(source)),
      graph(dataset.nodes, std::exchange(dataset.edges, {})),
      features(std::make_shared<const CsrMatrix<float>>(row_normalized(std::exchange(dataset.features, {})))),
      content_hash(WeightCache::content_hash(graph, *features)) {}

std::string dataset_hash(const PreparedGraph& graph) {
    Sha256 hash;
    hash.text(graph.content_hash).array(graph.dataset.labels);
    for (const std::string& name : graph.dataset.class_names)
        hash.text(name);
    for (const std::string& id : graph.dataset.node_ids)
        hash.text(id);
    return hash.hex();
}

LearnedWeights learn_weights_for(const PreparedGraph& graph, const MethodSettings& settings,
                                 const ExecutionControl& control, const WeightCache* cache) {
    if (order_of(settings) == 1) return {};
    const WeightOptions options = settings.weights();
    LearnedWeights weights = learn_weights(graph.graph, *graph.features, options, control, cache);
    check_solved(weights, options);
    return weights;
}

Propagation make_operator(const PreparedGraph& graph, const MethodSettings& settings,
                          const LearnedWeights& weights, const ExecutionControl& control) {
    return method_info(settings.method()).takes_weights
               ? weighted_graph(graph.graph, weights, control)
               : build_propagation(graph.graph, weights, settings.propagation(), control);
}

OperatorPool::OperatorPool(const PreparedGraph& graph, const WeightCache* cache)
    : graph_(&graph), cache_(cache) {}

std::vector<std::string> OperatorPool::fresh_notes() {
    const std::scoped_lock lock(access_);
    const std::size_t first = std::exchange(told_, notes_.size());
    return {notes_.begin() + static_cast<std::ptrdiff_t>(first), notes_.end()};
}

void OperatorPool::keep_only(const MethodSettings& settings) {
    const std::scoped_lock lock(access_);
    std::erase_if(operators_, [key = operator_key(settings)](const auto& made) { return made.first != key; });
}

const Propagation& OperatorPool::get(const MethodSettings& settings, const ExecutionControl& control) {
    const std::scoped_lock lock(access_);
    const std::string key = operator_key(settings);
    const auto found = operators_.find(key);
    if (found != operators_.end()) return found->second;
    const LearnedWeights weights = learn_weights_for(*graph_, settings, control, cache_);
    notes_.insert(notes_.end(), weights.notes.begin(), weights.notes.end());
    return operators_.emplace(key, make_operator(*graph_, settings, weights, control)).first->second;
}

}  // namespace hwgcn
