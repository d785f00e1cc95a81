#include "hwgcn/methods/prepared_graph.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/graph/structural_features.hpp"
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

// Each column to deviation 1 and a least value of 0; columns without deviation become 0.
CsrMatrix<float> standardized(const CsrMatrix<float>& matrix) {
    const auto columns = static_cast<std::size_t>(matrix.columns);
    std::vector<double> sum(columns, 0.0), squares(columns, 0.0), least(columns, 0.0);
    std::vector<std::int64_t> stored(columns, 0);
    for (std::size_t e = 0; e < matrix.values.size(); ++e) {
        const Index column = matrix.indices[e];
        const double value = matrix.values[e];
        sum[column] += value;
        squares[column] += value * value;
        least[column] = stored[column] == 0 ? value : std::min(least[column], value);
        ++stored[column];
    }
    std::vector<double> factor(columns, 0.0);
    for (std::size_t column = 0; column < columns; ++column) {
        if (stored[column] < matrix.rows) least[column] = std::min(least[column], 0.0);
        const double mean = sum[column] / matrix.rows;
        const double variance = squares[column] / matrix.rows - mean * mean;
        if (variance > 1e-12 * squares[column] / matrix.rows) factor[column] = 1 / std::sqrt(variance);
    }
    std::vector<Triplet<float>> entries;
    for (Index node = 0; node < matrix.rows; ++node) {
        std::vector<double> row(columns, 0.0);
        const SparseRow<float> given = matrix.row(node);
        for (std::size_t e = 0; e < given.size(); ++e)
            row[given.indices[e]] = given.values[e];
        for (Index column = 0; column < matrix.columns; ++column) {
            const auto value = static_cast<float>((row[column] - least[column]) * factor[column]);
            if (value != 0) entries.push_back({node, column, value});
        }
    }
    return csr_from_triplets(matrix.rows, matrix.columns, std::move(entries));
}

CsrMatrix<float> no_features(Index nodes) {
    return {nodes, 0, std::vector<std::int64_t>(static_cast<std::size_t>(nodes) + 1, 0), {}, {}};
}

// What is learned from: the features of the dataset, which has none afterwards.
CsrMatrix<float> prepared_features(Dataset& dataset, bool structural) {
    CsrMatrix<float> given = std::exchange(dataset.features, {});
    return structural ? standardized(given) : row_normalized(std::move(given));
}

std::vector<std::string> notes_on_structure(Dataset& dataset, const Graph& graph, bool structural,
                                            const ExecutionControl& control) {
    return structural ? use_structural_features(dataset, graph, control) : std::vector<std::string>();
}

}  // namespace

const std::vector<Parameter<FeatureOptions>>& feature_parameters() {
    static const std::vector<Parameter<FeatureOptions>> table = {
        choice_parameter("structural_features", &FeatureOptions::structural, {{"auto", true}, {"off", false}},
                         "made from the graph if there are none")};
    return table;
}

PreparedGraph::PreparedGraph(Dataset source, FeatureOptions options, const ExecutionControl& control)
    : dataset(std::move(source)),
      graph(dataset.nodes, std::exchange(dataset.edges, {})),
      structural(options.structural && dataset.features.columns == 0),
      feature_notes(notes_on_structure(dataset, graph, structural, control)),
      features(std::make_shared<const CsrMatrix<float>>(prepared_features(dataset, structural))),
      content_hash(WeightCache::content_hash(graph, structural ? no_features(dataset.nodes) : *features)) {}

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
