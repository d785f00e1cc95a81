#include "explanation/input_gradient.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "models/network_training.hpp"
#include "operators/propagation.hpp"
#include "tensor/transfer.hpp"

namespace hwgcn {
namespace {

double dot(std::span<const float> a, std::span<const float> b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k)
        sum += static_cast<double>(a[k]) * static_cast<double>(b[k]);
    return sum;
}

std::span<const float> row_of(ConstMatrixView matrix, Index row) {
    return {matrix.row(row), static_cast<std::size_t>(matrix.columns)};
}

// Where the tape gets the margin from: z_predicted - z_runner-up of one row, as a product.
DenseMatrix difference(Index classes, std::pair<Index, Index> two) {
    DenseMatrix column(classes, 1);
    column.at(two.first, 0) += 1.0F;
    column.at(two.second, 0) -= 1.0F;
    return column;
}

void add_nodes(const Tape& tape, const InputProduct& input, std::vector<double>& by_node) {
    const ConstMatrixView product = tape.value(input.product);
    for (Index j = 0; j < product.rows; ++j)
        by_node[j] += dot(row_of(product, j), row_of(input.gradient, j));
}

void add_features(const Tape& tape, const InputProduct& input, const ReceptiveField& field, Index node,
                  InputContributions& result) {
    const ConstMatrixView theta = tape.value(input.theta);
    for (Index j = 0; j < field.features.matrix->rows; ++j) {
        const std::span<const float> gradient = row_of(input.gradient, j);
        if (std::ranges::all_of(gradient, [](float number) { return number == 0; })) continue;
        const double scale =
            input.row_scale.columns > 0 ? static_cast<double>(input.row_scale.at(0, j)) : 1.0;
        const SparseRow<float> row = field.features.matrix->row(j);
        for (std::size_t e = 0; e < row.size(); ++e) {
            const Index f = row.indices[e];
            const double part = scale * static_cast<double>(row.values[e]) * dot(row_of(theta, f), gradient);
            result.by_feature[f] += part;
            if ((*field.inputs)[j] == node) result.own[f] += part;
        }
    }
}

}  // namespace

std::string feature_name(const Dataset& dataset, Index feature) {
    return dataset.feature_names.empty() ? fmt::format("feature {}", feature)
                                         : dataset.feature_names[feature];
}

std::pair<Index, Index> first_two(const std::vector<double>& scores) {
    std::vector<Index> order(scores.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::stable_sort(order, std::greater(), [&](Index c) { return scores[c]; });
    return {order[0], order[std::min<std::size_t>(1, order.size() - 1)]};
}

std::vector<Variable> constants_on(Tape& tape, std::span<const TrainableMatrix> parameters) {
    std::vector<Variable> constants;
    for (const TrainableMatrix& parameter : parameters)
        constants.push_back(tape.constant(parameter.value));
    return constants;
}

InputGradient::InputGradient(const PreparedGraph& graph, const Propagation& propagation,
                             const MethodSettings& settings, std::span<const TrainableMatrix> parameters,
                             const ExecutionControl& control)
    : graph_(graph),
      propagation_(propagation),
      parameters_(parameters),
      control_{1, nullptr, control.stop},
      features_(features_for(graph.features, settings)),
      network_(network_for(graph, settings)) {}

ReceptiveField InputGradient::field_of(Index node) const {
    return hwgcn::field_of(*network_, propagation_, features_, std::array{node});
}

InputContributions InputGradient::at(Index node, bool with_features, const Decide& decide) const {
    const ReceptiveField field = field_of(node);
    Workspace workspace;
    Tape tape(workspace, control_, true);
    Pass pass(tape, field, constants_on(tape, parameters_), std::nullopt);
    pass.keep_inputs();
    const auto place = std::ranges::lower_bound(*field.outputs, node) - field.outputs->begin();
    const std::array rows{static_cast<Index>(place)};
    const Variable scores = select_rows(tape, network_->scores(pass), rows);

    InputContributions result;
    const std::vector<float> numbers = download(tape.value(scores));
    result.scores.assign(numbers.begin(), numbers.end());
    const std::pair<Index, Index> two = decide(result.scores);
    std::tie(result.predicted, result.runner_up) = two;
    const DenseMatrix column = difference(static_cast<Index>(numbers.size()), two);
    tape.backward(multiply(tape, scores, tape.constant(column)));

    result.nodes = *field.inputs;
    result.by_node.assign(result.nodes.size(), 0.0);
    const auto features = static_cast<std::size_t>(with_features ? graph_.features.scaled->columns : 0);
    result.by_feature.assign(features, 0.0);
    result.own = result.by_feature;
    for (const InputProduct& input : pass.inputs()) {
        add_nodes(tape, input, result.by_node);
        if (with_features) add_features(tape, input, field, node, result);
    }
    return result;
}

std::vector<FeatureTerm> InputGradient::features_at(Index node, std::pair<Index, Index> classes) const {
    const InputContributions found = at(node, true, [&](const auto&) { return classes; });
    std::vector<FeatureTerm> terms;
    for (Index f = 0; f < graph_.features.scaled->columns; ++f) {
        if (found.by_feature[f] == 0 && found.own[f] == 0) continue;
        terms.push_back({f, feature_name(graph_.dataset, f), found.by_feature[f], found.own[f]});
    }
    std::ranges::stable_sort(terms, std::greater(),
                             [](const FeatureTerm& term) { return std::abs(term.contribution); });
    return terms;
}

// Forward once, back twice that: each entry of a sparse matrix times the units of a layer, and the products
// of the layers.
std::int64_t InputGradient::cost_of(const ReceptiveField& field) const {
    std::int64_t entries = field.features.matrix->entries(), units = 1, weights = 0;
    for (const Step& step : field.steps)
        entries += step.forward.matrix->entries();
    for (const TrainableMatrix& parameter : parameters_) {
        const DenseMatrix& value = parameter.value;
        units = std::max<std::int64_t>(units, value.columns());
        if (value.rows() != graph_.features.scaled->columns && value.rows() != graph_.graph.nodes())
            weights += std::int64_t{value.rows()} * value.columns();
    }
    return 3 * (entries * units + static_cast<std::int64_t>(field.inputs->size()) * weights) / 8;
}

// A few nodes stand for all.
std::int64_t InputGradient::cost() const {
    const Index nodes = graph_.graph.nodes();
    if (network_->needs_all_nodes()) return cost_of(field_of(0));
    constexpr Index most = 16;
    const Index count = std::min(most, nodes);
    std::int64_t sum = 0;
    for (Index k = 0; k < count; ++k) {
        const auto node = static_cast<Index>(std::int64_t{k} * nodes / count);
        sum += cost_of(field_of(node));
    }
    return sum / count + std::int64_t{network_->steps()} * nodes;
}

}  // namespace hwgcn
