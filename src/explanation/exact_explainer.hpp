#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "hwgcn/explanation/explain.hpp"

#include "explanation/input_gradient.hpp"
#include "operators/propagation.hpp"

namespace hwgcn {

/// Scores as a polynomial of the operator P in terms that every node has alone: sum over s of c_s P^s T, each
/// row times a number of its own, plus an offset.
struct NodeTerms {
    DenseMatrix terms;                ///< T: a row per node, a column per class
    std::vector<float> coefficients;  ///< c_s
    std::vector<double> offset;       ///< per class
    std::vector<float> row_scale;     ///< per node; empty: 1
};

/// The terms of a trained network; nothing where its scores are no such polynomial.
std::optional<NodeTerms> find_terms(const PreparedGraph& graph, const Propagation& propagation,
                                    const Network& network, std::span<const TrainableMatrix> parameters,
                                    const ExecutionControl& control);

/// The row of the polynomial at the explained node says how much the terms of each node count.
class ExactExplainer final : public Explainer {
  public:
    ExactExplainer(const PreparedGraph& graph, const Propagation& propagation, NodeTerms terms,
                   std::unique_ptr<InputGradient> gradient, ShownScores shown);

    ExplanationKind kind() const override { return ExplanationKind::exact; }
    std::int64_t cost() const override;

  private:
    Case case_of(Index node, const std::optional<Classes>& given) const override;
    std::vector<FeatureTerm> features_of(Index node, const Case& decided) const override;
    std::vector<double> weights_of(Index node) const;
    std::vector<double> scores_of(const std::vector<double>& weights) const;

    const Propagation* propagation_;
    NodeTerms terms_;
    std::unique_ptr<InputGradient> gradient_;
};

}  // namespace hwgcn
