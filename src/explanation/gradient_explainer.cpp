#include "explanation/gradient_explainer.hpp"

#include <limits>
#include <utility>

namespace hwgcn {

GradientExplainer::GradientExplainer(const PreparedGraph& graph, std::unique_ptr<InputGradient> gradient,
                                     ShownScores shown)
    : Explainer(graph, std::move(shown)), gradient_(std::move(gradient)) {}

Explainer::Case GradientExplainer::case_of(Index node, const std::optional<Classes>& given) const {
    InputContributions found =
        gradient_->at(node, false, [&](const auto& scores) { return classes_of(scores, given); });
    Case decided{std::move(found.scores), found.predicted, found.runner_up, 0, {}};
    for (std::size_t k = 0; k < found.nodes.size(); ++k) {
        if (found.by_node[k] == 0 && found.nodes[k] != node) continue;
        NeighborTerm& term = decided.terms.emplace_back();
        term.node = found.nodes[k];
        term.weight = std::numeric_limits<double>::quiet_NaN();
        term.contribution = found.by_node[k];
    }
    return decided;
}

std::vector<FeatureTerm> GradientExplainer::features_of(Index node, const Case& decided) const {
    return gradient_->features_at(node, {decided.predicted, decided.runner_up});
}

}  // namespace hwgcn
