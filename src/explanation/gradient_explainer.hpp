#pragma once

#include <memory>
#include <vector>

#include "explanation/input_gradient.hpp"

namespace hwgcn {

/// For networks whose scores are no sum over nodes: gradient times input.
class GradientExplainer final : public Explainer {
  public:
    GradientExplainer(const PreparedGraph& graph, std::unique_ptr<InputGradient> gradient, ShownScores shown);

    ExplanationKind kind() const override { return ExplanationKind::gradient; }
    std::int64_t cost() const override { return gradient_->cost(); }

  private:
    Case case_of(Index node, const std::optional<Classes>& given) const override;
    std::vector<FeatureTerm> features_of(Index node, const Case& decided) const override;

    std::unique_ptr<InputGradient> gradient_;
};

}  // namespace hwgcn
