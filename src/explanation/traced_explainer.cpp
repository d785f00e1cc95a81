#include "explanation/traced_explainer.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "explanation/input_gradient.hpp"
#include "models/method_table.hpp"
#include "operators/propagation.hpp"

namespace hwgcn {

TracedExplainer::TracedExplainer(const PreparedGraph& graph, std::shared_ptr<const CsrMatrix<float>> features,
                                 std::unique_ptr<ScoreTracer> tracer, ShownScores shown)
    : Explainer(graph, std::move(shown)),
      graph_(graph),
      features_(std::move(features)),
      tracer_(std::move(tracer)) {}

Explainer::Case TracedExplainer::case_of(Index node, const std::optional<Classes>& given) const {
    Case decided;
    decided.scores = tracer_->scores(node);
    std::tie(decided.predicted, decided.runner_up) = classes_of(decided.scores, given);
    decided.offset = tracer_->offset(decided.predicted, decided.runner_up);
    std::map<Index, double> by_node = {{node, 0.0}};
    for (const TracedTerm& term : tracer_->terms(node, decided.predicted, decided.runner_up))
        by_node[term.node] += term.contribution;
    for (const auto& [from, sum] : by_node) {
        NeighborTerm& term = decided.terms.emplace_back();
        term.node = from;
        term.weight = std::numeric_limits<double>::quiet_NaN();
        term.contribution = sum;
    }
    return decided;
}

std::vector<FeatureTerm> TracedExplainer::features_of(Index node, const Case& decided) const {
    std::map<Index, FeatureTerm> sums;
    for (const TracedTerm& part : tracer_->terms(node, decided.predicted, decided.runner_up)) {
        FeatureTerm& term = sums[part.feature];
        term.contribution += part.contribution;
        if (part.node == node) term.own += part.contribution;
    }
    std::vector<FeatureTerm> terms;
    for (auto& [feature, term] : sums) {
        term.feature = feature;
        term.name = feature == TracedTerm::of_the_graph ? "number of neighbors"
                                                        : feature_name(graph_.dataset, feature);
        terms.push_back(std::move(term));
    }
    std::ranges::stable_sort(terms, std::greater(),
                             [](const FeatureTerm& term) { return std::abs(term.contribution); });
    return terms;
}

std::unique_ptr<Explainer> make_traced_explainer(const PreparedGraph& graph, const Propagation& propagation,
                                                 const MethodSettings& settings,
                                                 std::span<const TrainableMatrix> parameters,
                                                 ShownScores shown, const ExecutionControl& control) {
    auto features = features_for(graph.features, settings);
    auto tracer =
        make_classic_method(settings)->tracer(classic_view(propagation, *features, graph.dataset.classes()),
                                              parameters, {1, nullptr, control.stop});
    if (!tracer) return nullptr;
    return std::make_unique<TracedExplainer>(graph, std::move(features), std::move(tracer), std::move(shown));
}

}  // namespace hwgcn
