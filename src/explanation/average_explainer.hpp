#pragma once

#include <memory>
#include <span>
#include <vector>

#include "hwgcn/explanation/explain.hpp"

namespace hwgcn {

/// For averages of several methods. The average is one of probabilities, not of scores. What can be added up
/// are margins: those of the members between the two classes that the average puts first, each divided by the
/// member's temperature, which puts them on one scale, and times its weight.
class AverageExplainer final : public Explainer {
  public:
    struct Part {
        const Member* member = nullptr;
        std::unique_ptr<Explainer> explainer = {};  ///< null: what it says cannot be traced back
        DenseMatrix probabilities = {};             ///< of all nodes, in that case
    };

    AverageExplainer(const PreparedGraph& graph, std::vector<Part> parts, const ShownScores& shown);

    ExplanationKind kind() const override { return ExplanationKind::average; }
    std::int64_t cost() const override;

  private:
    Case case_of(Index node, const std::optional<Classes>& given) const override;
    std::vector<FeatureTerm> features_of(Index node, const Case& decided) const override;
    static Case case_of_part(const Part& part, Index node, const std::optional<Classes>& given);

    std::vector<Part> parts_;
    std::vector<double> class_weights_;
};

/// Null where no member has an explanation.
std::unique_ptr<Explainer> make_average_explainer(const PreparedGraph& graph, const OperatorSource& operators,
                                                  std::span<const Member> members, const ShownScores& shown,
                                                  const ExecutionControl& control);

}  // namespace hwgcn
