#include "hwgcn/models/prepared_graph.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/dataset/feature_scaling.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "base/fail.hpp"
#include "base/hash.hpp"
#include "base/parameter.hpp"
#include "graph/structural_features.hpp"
#include "models/feature_parameters.hpp"
#include "operators/propagated_features.hpp"
#include "operators/propagation.hpp"
#include "operators/propagation_parameters.hpp"
#include "tensor/blocks/node_blocks.hpp"
#include "weights/weight_parameters.hpp"

namespace hwgcn {
namespace {

// How operators side by side take the neighbors of a node.
Neighbors neighbors_of(const MethodSettings& settings) {
    const bool symmetric = settings.reads("neighbors") && settings.value("neighbors") == "symmetric";
    return symmetric ? Neighbors::symmetric : Neighbors::mean;
}

// The settings that the operator depends on.
std::string operator_key(const MethodSettings& settings) {
    const MethodInfo& info = method_info(settings.method());
    const std::string blocks = info.takes_blocks ? "blocks;" : "";  // of which a dataset may have one
    std::string key = blocks + (info.separate_operators ? "separate;"
                                : info.takes_weights    ? "weights;"
                                                        : "operator;");
    if (settings.operator_kind() == OperatorKind::in) key += "in;";
    if (settings.operator_kind() == OperatorKind::out) key += "out;";
    if (neighbors_of(settings) == Neighbors::symmetric) key += "symmetric;";
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

// The new nodes and, where wanted, the old ones with a ring that something new is in.
std::vector<Index> nodes_to_solve(const Graph& graph, const Graph& before, int order, bool update_neighbors) {
    std::vector<char> reached(static_cast<std::size_t>(graph.nodes()), 0);
    std::vector<Index> frontier;
    for (Index node = 0; node < graph.nodes(); ++node) {
        const bool old = node < before.nodes();
        if (!old) reached[node] = 1;
        if (old && graph.neighbors(node).size() != before.neighbors(node).size()) frontier.push_back(node);
    }
    for (int step = 0; step <= order && update_neighbors; ++step) {
        std::vector<Index> next;
        for (const Index node : frontier) {
            if (std::exchange(reached[node], 1) != 0) continue;
            const auto neighbors = graph.neighbors(node);
            next.insert(next.end(), neighbors.begin(), neighbors.end());
        }
        frontier = std::move(next);
    }
    std::vector<Index> nodes;
    for (Index node = 0; node < graph.nodes(); ++node) {
        if (reached[node] != 0) nodes.push_back(node);
    }
    return nodes;
}

CsrMatrix<float> no_features(Index nodes) {
    return {nodes, 0, std::vector<std::int64_t>(static_cast<std::size_t>(nodes) + 1, 0), {}, {}};
}

std::shared_ptr<const CsrMatrix<float>> shared(CsrMatrix<float> matrix) {
    return std::make_shared<const CsrMatrix<float>>(std::move(matrix));
}

double root_mean_square(const CsrMatrix<float>& matrix) {
    double squares = 0;
    for (const float value : matrix.values) {
        if (!std::isnan(value)) squares += static_cast<double>(value) * static_cast<double>(value);
    }
    return squares > 0 ? std::sqrt(squares / static_cast<double>(matrix.entries())) : 1.0;
}

// Words in their unit where their rows are divided by sums; else the features as they are scaled.
std::shared_ptr<const CsrMatrix<float>> given_words(const PreparedFeatures& features,
                                                    CsrMatrix<float> words) {
    if (features.scaling.scale != Scale::rows) return features.scaled;
    for (float& value : words.values)
        value =
            std::isnan(value) ? 0.0F : static_cast<float>(static_cast<double>(value) / features.word_unit);
    return shared(std::move(words));
}

// That of the shards that the data were read from, where it is known: structural features have none.
std::string content_of(const Dataset& dataset, const Graph& graph, const PreparedFeatures& features) {
    if (!dataset.content.empty()) return dataset.content;
    return WeightCache::content_hash(graph,
                                     features.structural ? no_features(dataset.nodes) : *features.scaled);
}

PreparedGraph put_together(Dataset source, Graph graph, PreparedFeatures features) {
    auto arcs = source.directed ? shared(arcs_of(source, graph.weight_unit())) : nullptr;
    std::string content = content_of(source, graph, features);
    source.edges = {};
    source.edge_weights = {};
    return {std::move(source), std::move(graph), std::move(arcs), std::move(features), std::move(content)};
}

}  // namespace

const std::vector<Parameter<FeatureOptions>>& feature_parameters() {
    static const std::vector<Parameter<FeatureOptions>> table = {
        choice_parameter("structural_features", &FeatureOptions::structural, {{"auto", true}, {"off", false}},
                         "made from the graph if there are none")};
    return table;
}

PreparedGraph prepare_graph(Dataset source, FeatureOptions options, const ExecutionControl& control) {
    Graph graph = graph_of(source);
    PreparedFeatures features;
    features.structural = options.structural && source.features.columns == 0;
    if (features.structural) features.notes = use_structural_features(source, graph, control);
    CsrMatrix<float> given = source.features;
    features.word_unit = root_mean_square(given);
    features.scaling = scale_features(source);
    if (features.structural) features.scaling.note.clear();  // their own notes tell
    features.scaled = shared(std::exchange(source.features, {}));
    features.given = given_words(features, std::move(given));
    PreparedGraph result = put_together(std::move(source), std::move(graph), std::move(features));
    if (result.dataset.blocks.count() > 0) result.layout = whole_layout(result.dataset.blocks);
    return result;
}

PreparedGraph prepare_addition(Dataset source, Addition addition, const ExecutionControl& control) {
    const PreparedGraph& original = *addition.original;
    // The weights of old edges stay what they were in the training, whatever those of new ones are.
    Graph graph(source.nodes, source.edges, source.edge_weights, original.graph.weight_unit());
    PreparedFeatures features;
    features.structural = original.features.structural;
    if (features.structural) features.notes = use_structural_features(source, graph, control);
    features.word_unit = original.features.word_unit;
    features.scaling = original.features.scaling;
    CsrMatrix<float> given = source.features;
    features.scaled = shared(scaled(std::exchange(source.features, {}), features.scaling));
    features.given = given_words(features, std::move(given));
    PreparedGraph result = put_together(std::move(source), std::move(graph), std::move(features));
    result.dataset.feature_names = original.dataset.feature_names;
    result.addition = std::move(addition);
    return result;
}

std::shared_ptr<const CsrMatrix<float>> features_for(const PreparedFeatures& features,
                                                     const MethodSettings& settings) {
    if (settings.reads("feature_values") && settings.value("feature_values") == "binary") {
        CsrMatrix<float> binary = *features.scaled;
        for (float& value : binary.values)
            value = value == 0.0F ? 0.0F : 1.0F;
        return shared(std::move(binary));
    }
    return method_info(settings.method()).takes_given_features ? features.given : features.scaled;
}

std::string weight_content(const PreparedGraph& graph) {
    const PreparedFeatures& features = graph.features;
    return features.structural ? WeightCache::content_hash(graph.graph, *features.scaled)
                               : graph.content_hash;
}

std::string dataset_hash(const PreparedGraph& graph) {
    Sha256 hash;
    if (graph.dataset.directed) hash.text("directed");
    if (graph.arcs && graph.dataset.content.empty())  // the hash of shards covers them
        hash.array(graph.arcs->indices).array(graph.arcs->offsets).array(graph.arcs->values);
    hash.text(graph.content_hash).array(graph.dataset.labels);
    for (const std::string& name : graph.dataset.class_names)
        hash.text(name);
    for (const std::string& id : graph.dataset.node_ids)
        hash.text(id);
    return hash.hex();
}

void expect_directions(const PreparedGraph& graph, const MethodSettings& settings) {
    const OperatorKind kind = settings.operator_kind();
    if (graph.arcs || (kind != OperatorKind::in && kind != OperatorKind::out)) return;
    fail_in_file(graph.dataset.name,
                 fmt::format("the edges have no directions, and `operator={}` needs them; `directed` keeps "
                             "those of an edge list",
                             settings.value("operator")));
}

LearnedWeights learn_weights_for(const PreparedGraph& graph, const MethodSettings& settings,
                                 const ExecutionControl& control, const WeightCache* cache) {
    if (order_of(settings) == 1) return {};
    const WeightOptions& options = settings.weights();
    const CsrMatrix<float>& features = *graph.features.scaled;
    LearnedWeights weights;
    if (const auto& [original, update_neighbors] = graph.addition; original) {
        weights = extend_weights(
            learn_weights_for(*original, settings, control, cache), graph.graph, features, options,
            nodes_to_solve(graph.graph, original->graph, options.order, update_neighbors), control,
            facts_of(*original->features.scaled).largest_norm);
    } else {
        weights = learn_weights(graph.graph, features, options, control, cache, weight_content(graph));
    }
    for (const OrderWeights& order : weights.orders)
        check_solved(order.summary, options);
    return weights;
}

Propagation make_operator(const PreparedGraph& graph, const MethodSettings& settings,
                          const LearnedWeights& weights, const ExecutionControl& control) {
    const OperatorKind kind = settings.operator_kind();
    if (kind == OperatorKind::in || kind == OperatorKind::out) {
        expect_directions(graph, settings);
        Propagation result = build_directed_propagation(
            *graph.arcs, kind == OperatorKind::in ? Direction::in : Direction::out, control);
        if (method_info(settings.method()).takes_blocks) result.layout = graph.layout;
        return result;
    }
    const MethodInfo& info = method_info(settings.method());
    if (info.separate_operators) {
        PropagationOptions options = settings.propagation();
        options.neighbors = neighbors_of(settings);
        return build_separate_operators(graph.graph, graph.arcs.get(), weights, options, control);
    }
    Propagation result = info.takes_weights
                             ? weighted_graph(graph.graph, weights, control)
                             : build_propagation(graph.graph, weights, settings.propagation(), control);
    if (info.takes_blocks) result.layout = graph.layout;
    return result;
}

Index operator_blocks(const PreparedGraph& graph, const MethodSettings& settings) {
    if (!method_info(settings.method()).separate_operators) return 1;
    return count_separate_operators(graph.arcs != nullptr, order_of(settings));
}

OperatorPool::OperatorPool(const PreparedGraph& graph, const WeightCache* cache)
    : graph_(&graph), cache_(cache) {}

std::vector<std::string> OperatorPool::fresh_notes() {
    const std::scoped_lock lock(access_);
    const std::size_t first = std::exchange(told_, notes_.size());
    return {notes_.begin() + static_cast<std::ptrdiff_t>(first), notes_.end()};
}

void OperatorPool::keep_only(const std::vector<MethodSettings>& methods) {
    const std::scoped_lock lock(access_);
    std::erase_if(operators_, [&](const auto& made) {
        return std::ranges::none_of(
            methods, [&](const MethodSettings& one) { return operator_key(one) == made.first; });
    });
}

const Propagation& OperatorPool::get(const MethodSettings& settings, const ExecutionControl& control) {
    const std::scoped_lock lock(access_);
    const std::string key = operator_key(settings);
    const auto found = operators_.find(key);
    if (found != operators_.end()) return *found->second;
    const LearnedWeights weights = learn_weights_for(*graph_, settings, control, cache_);
    notes_.insert(notes_.end(), weights.notes.begin(), weights.notes.end());
    Propagation made = make_operator(*graph_, settings, weights, control);
    made.features = std::make_shared<PropagatedFeatures>();
    return *operators_.emplace(key, std::make_shared<const Propagation>(std::move(made))).first->second;
}

}  // namespace hwgcn
