#include "hwgcn/models/prepared_graph.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/graph/structural_features.hpp"
#include "hwgcn/operators/propagation_parameters.hpp"
#include "hwgcn/weights/weight_parameters.hpp"

#include "base/hash.hpp"
#include "operators/propagated_features.hpp"

namespace hwgcn {
namespace {

// The settings that the operator depends on.
std::string operator_key(const MethodSettings& settings) {
    const MethodInfo& info = method_info(settings.method());
    const std::string blocks = info.takes_blocks ? "blocks;" : "";  // of which a dataset may have one
    std::string key = blocks + (info.separate_operators ? "separate;"
                                : info.takes_weights    ? "weights;"
                                                        : "operator;");
    if (settings.operator_kind() == OperatorKind::in) key += "in;";
    if (settings.operator_kind() == OperatorKind::out) key += "out;";
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

// The new nodes and, where wanted, the old ones with a ring that something new is in.
std::vector<Index> nodes_to_solve(const PreparedGraph& graph, int order) {
    const Graph& before = graph.original->graph;
    std::vector<char> reached(static_cast<std::size_t>(graph.graph.nodes()), 0);
    std::vector<Index> frontier;
    for (Index node = 0; node < graph.graph.nodes(); ++node) {
        const bool old = node < before.nodes();
        if (!old) reached[node] = 1;
        if (old && graph.graph.neighbors(node).size() != before.neighbors(node).size())
            frontier.push_back(node);
    }
    for (int step = 0; step <= order && graph.update_neighbors; ++step) {
        std::vector<Index> next;
        for (const Index node : frontier) {
            if (std::exchange(reached[node], 1) != 0) continue;
            const auto neighbors = graph.graph.neighbors(node);
            next.insert(next.end(), neighbors.begin(), neighbors.end());
        }
        frontier = std::move(next);
    }
    std::vector<Index> nodes;
    for (Index node = 0; node < graph.graph.nodes(); ++node) {
        if (reached[node] != 0) nodes.push_back(node);
    }
    return nodes;
}

// The weights of old edges stay what they were in the training, whatever those of new ones are.
Graph graph_in_units(const Dataset& dataset, double weight_unit) {
    return {dataset.nodes, dataset.edges, dataset.edge_weights, weight_unit};
}

CsrMatrix<float> no_features(Index nodes) {
    return {nodes, 0, std::vector<std::int64_t>(static_cast<std::size_t>(nodes) + 1, 0), {}, {}};
}

std::vector<std::string> notes_on_structure(Dataset& dataset, const Graph& graph, bool structural,
                                            const ExecutionControl& control) {
    return structural ? use_structural_features(dataset, graph, control) : std::vector<std::string>();
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

// Words in units of `unit` where their rows are divided by sums; else the features as they are scaled.
std::shared_ptr<const CsrMatrix<float>> given_words(const PreparedGraph& graph) {
    if (graph.scaling.scale != Scale::rows) return graph.features;
    CsrMatrix<float> words = *graph.given_features;
    for (float& value : words.values)
        value = std::isnan(value) ? 0.0F : static_cast<float>(static_cast<double>(value) / graph.word_unit);
    return shared(std::move(words));
}

// That of the shards that the data were read from, where it is known: structural features have none.
std::string content_of(const PreparedGraph& graph) {
    if (!graph.dataset.content.empty()) return graph.dataset.content;
    return WeightCache::content_hash(graph.graph,
                                     graph.structural ? no_features(graph.dataset.nodes) : *graph.features);
}

// Of structural features their own notes tell.
FeatureScaling fit_and_scale(Dataset& dataset, bool structural) {
    FeatureScaling scaling = scale_features(dataset);
    if (structural) scaling.note.clear();
    return scaling;
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
      graph(graph_of(dataset)),
      structural(options.structural && dataset.features.columns == 0),
      feature_notes(notes_on_structure(dataset, graph, structural, control)),
      given_features(shared(dataset.features)),
      word_unit(root_mean_square(dataset.features)),
      scaling(fit_and_scale(dataset, structural)),
      features(shared(std::exchange(dataset.features, {}))),
      arcs(dataset.directed ? shared(arcs_of(dataset, graph.weight_unit())) : nullptr),
      content_hash(content_of(*this)) {
    given_features = given_words(*this);
    if (dataset.blocks.count() > 0) partition = whole_partition(dataset.blocks);
    dataset.edges = {};
    dataset.edge_weights = {};
}

PreparedGraph::PreparedGraph(Dataset outline, std::shared_ptr<const Partition> own,
                             CsrMatrix<float> own_adjacency, CsrMatrix<float> own_features)
    : dataset(std::move(outline)),
      graph(0, {}),
      scaling(dataset.fitted_scaling ? *dataset.fitted_scaling : FeatureScaling{}),
      features(shared(std::move(own_features))),
      content_hash(dataset.content),
      partition(std::move(own)),
      adjacency(shared(std::move(own_adjacency))) {
    given_features = features;
}

PreparedGraph::PreparedGraph(Dataset source, std::shared_ptr<const PreparedGraph> before, bool update,
                             const ExecutionControl& control)
    : dataset(std::move(source)),
      graph(graph_in_units(dataset, before->graph.weight_unit())),
      structural(before->structural),
      feature_notes(notes_on_structure(dataset, graph, structural, control)),
      given_features(shared(dataset.features)),
      word_unit(before->word_unit),
      scaling(before->scaling),
      features(shared(scaled(std::exchange(dataset.features, {}), scaling))),
      arcs(dataset.directed ? shared(arcs_of(dataset, graph.weight_unit())) : nullptr),
      content_hash(content_of(*this)),
      original(std::move(before)),
      update_neighbors(update) {
    given_features = given_words(*this);
    dataset.edges = {};
    dataset.edge_weights = {};
    dataset.feature_names = original->dataset.feature_names;
}

std::shared_ptr<const CsrMatrix<float>> features_for(const PreparedGraph& graph,
                                                     const MethodSettings& settings) {
    if (settings.reads("feature_values") && settings.value("feature_values") == "binary") {
        CsrMatrix<float> binary = *graph.features;
        for (float& value : binary.values)
            value = value == 0.0F ? 0.0F : 1.0F;
        return std::make_shared<const CsrMatrix<float>>(std::move(binary));
    }
    return method_info(settings.method()).takes_given_features ? graph.given_features : graph.features;
}

std::string weight_content(const PreparedGraph& graph) {
    return graph.structural ? WeightCache::content_hash(graph.graph, *graph.features) : graph.content_hash;
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
    LearnedWeights weights;
    if (graph.original) {
        const LearnedWeights known = learn_weights_for(*graph.original, settings, control, cache);
        weights =
            extend_weights(known, graph.graph, *graph.features, options, nodes_to_solve(graph, options.order),
                           control, facts_of(*graph.original->features).largest_norm);
    } else {
        weights = learn_weights(graph.graph, *graph.features, options, control, cache, weight_content(graph));
    }
    check_solved(weights, options);
    return weights;
}

Propagation make_operator(const PreparedGraph& graph, const MethodSettings& settings,
                          const LearnedWeights& weights, const ExecutionControl& control) {
    const OperatorKind kind = settings.operator_kind();
    if (kind == OperatorKind::in || kind == OperatorKind::out) {
        expect_directions(graph, settings);
        Propagation result = build_directed_propagation(
            *graph.arcs, kind == OperatorKind::in ? Direction::in : Direction::out, control);
        if (method_info(settings.method()).takes_blocks) result.partition = graph.partition;
        return result;
    }
    const MethodInfo& info = method_info(settings.method());
    if (info.separate_operators) {
        return build_separate_operators(graph.graph, graph.arcs.get(), weights, settings.propagation(),
                                        control);
    }
    if (graph.adjacency) {
        if (info.takes_weights) return shared_weighted_graph(graph.partition, *graph.adjacency, weights);
        return build_shared_propagation(graph.partition, *graph.adjacency, weights, settings.propagation());
    }
    Propagation result = info.takes_weights
                             ? weighted_graph(graph.graph, weights, control)
                             : build_propagation(graph.graph, weights, settings.propagation(), control);
    if (info.takes_blocks) result.partition = graph.partition;
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
    Propagation made = make_operator(*graph_, settings, weights, control);
    made.features = std::make_shared<PropagatedFeatures>();
    return operators_.emplace(key, std::move(made)).first->second;
}

}  // namespace hwgcn
