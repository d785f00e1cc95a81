#include "explanation/exact_explainer.hpp"

#include <algorithm>
#include <utility>

#include "operators/propagation.hpp"
#include "tensor/rows.hpp"
#include "tensor/transfer.hpp"

namespace hwgcn {

std::optional<NodeTerms> find_terms(const PreparedGraph& graph, const Propagation& propagation,
                                    const Network& network, std::span<const TrainableMatrix> parameters,
                                    const ExecutionControl& control) {
    const ReceptiveField field = whole_field(propagation, graph.features.scaled, network.steps());
    Workspace workspace;
    Tape tape(workspace, control, false);
    Pass pass(tape, field, constants_on(tape, parameters), std::nullopt);
    const std::optional<PropagatedTerms> found = network.propagated_terms(pass);
    if (!found) return std::nullopt;
    const ConstMatrixView value = tape.value(found->terms);
    NodeTerms terms{DenseMatrix(value.rows, value.columns), found->coefficients, {}, {}};
    copy(value, terms.terms);
    terms.offset.assign(static_cast<std::size_t>(value.columns), 0.0);
    if (found->offset) std::ranges::copy(download(tape.value(*found->offset)), terms.offset.begin());
    if (found->row_scale) terms.row_scale = download(*found->row_scale);
    return terms;
}

ExactExplainer::ExactExplainer(const PreparedGraph& graph, const Propagation& propagation, NodeTerms terms,
                               std::unique_ptr<InputGradient> gradient, ShownScores shown)
    : Explainer(graph, std::move(shown)),
      propagation_(&propagation),
      terms_(std::move(terms)),
      gradient_(std::move(gradient)) {}

// Row `node` of sum over s of c_s P^s, scaled: one sparse row times P after the other.
std::vector<double> ExactExplainer::weights_of(Index node) const {
    const CsrMatrix<float>& p = *propagation_->matrix;
    const std::vector<float>& coefficients = terms_.coefficients;
    std::vector<double> weights(static_cast<std::size_t>(terms_.terms.rows()), 0.0);
    std::vector<double> power = weights;
    power[node] = terms_.row_scale.empty() ? 1.0 : static_cast<double>(terms_.row_scale[node]);
    for (std::size_t s = 0; s < coefficients.size(); ++s) {
        for (std::size_t j = 0; j < weights.size(); ++j)
            weights[j] += static_cast<double>(coefficients[s]) * power[j];
        if (s + 1 == coefficients.size()) break;
        std::vector<double> next(power.size(), 0.0);
        for (Index i = 0; i < p.rows; ++i) {
            if (power[i] == 0.0) continue;
            const auto row = p.row(i);
            for (std::size_t e = 0; e < row.size(); ++e)
                next[row.indices[e]] += power[i] * static_cast<double>(row.values[e]);
        }
        power = std::move(next);
    }
    return weights;
}

std::vector<double> ExactExplainer::scores_of(const std::vector<double>& weights) const {
    std::vector<double> scores = terms_.offset;
    for (Index j = 0; j < terms_.terms.rows(); ++j) {
        for (Index c = 0; weights[j] != 0.0 && c < terms_.terms.columns(); ++c)
            scores[c] += weights[j] * static_cast<double>(terms_.terms.at(j, c));
    }
    return scores;
}

Explainer::Case ExactExplainer::case_of(Index node, const std::optional<Classes>& given) const {
    const std::vector<double> weights = weights_of(node);
    Case decided;
    decided.scores = scores_of(weights);
    std::tie(decided.predicted, decided.runner_up) = classes_of(decided.scores, given);
    decided.offset = terms_.offset[decided.predicted] - terms_.offset[decided.runner_up];
    for (Index j = 0; j < terms_.terms.rows(); ++j) {
        if (weights[j] == 0.0) continue;
        NeighborTerm& term = decided.terms.emplace_back();
        term.node = j;
        term.weight = weights[j];
        term.contribution = weights[j] * (static_cast<double>(terms_.terms.at(j, decided.predicted)) -
                                          static_cast<double>(terms_.terms.at(j, decided.runner_up)));
    }
    return decided;
}

std::vector<FeatureTerm> ExactExplainer::features_of(Index node, const Case& decided) const {
    return gradient_->features_at(node, {decided.predicted, decided.runner_up});
}

std::int64_t ExactExplainer::cost() const {
    const auto powers = static_cast<std::int64_t>(terms_.coefficients.size());
    const auto entries = static_cast<std::int64_t>(propagation_->matrix->values.size());
    return powers * terms_.terms.rows() + std::max<std::int64_t>(0, powers - 2) * entries;
}

}  // namespace hwgcn
