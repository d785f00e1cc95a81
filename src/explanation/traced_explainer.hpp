#pragma once

#include <memory>
#include <vector>

#include "hwgcn/explanation/explain.hpp"

#include "methods/classic_method.hpp"
#include "operators/propagation.hpp"

namespace hwgcn {

/// For methods that tell what their scores are made of.
class TracedExplainer final : public Explainer {
  public:
    TracedExplainer(const PreparedGraph& graph, std::shared_ptr<const CsrMatrix<float>> features,
                    std::unique_ptr<ScoreTracer> tracer, ShownScores shown);

    ExplanationKind kind() const override { return ExplanationKind::shapley; }
    std::int64_t cost() const override { return tracer_->cost(); }

  private:
    Case case_of(Index node, const std::optional<Classes>& given) const override;
    std::vector<FeatureTerm> features_of(Index node, const Case& decided) const override;

    const PreparedGraph& graph_;
    std::shared_ptr<const CsrMatrix<float>> features_;  // that the tracer looks at
    std::unique_ptr<ScoreTracer> tracer_;
};

/// Null for methods that do not.
std::unique_ptr<Explainer> make_traced_explainer(const PreparedGraph& graph, const Propagation& propagation,
                                                 const MethodSettings& settings,
                                                 std::span<const TrainableMatrix> parameters,
                                                 ShownScores shown, const ExecutionControl& control);

}  // namespace hwgcn
