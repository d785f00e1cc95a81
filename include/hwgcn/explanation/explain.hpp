#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hwgcn/models/members.hpp"
#include "hwgcn/models/train.hpp"

namespace hwgcn {

/// What contributions are.
enum class ExplanationKind {
    exact,     ///< terms of a sum that is the score
    gradient,  ///< the gradient of the margin times the features of each node: its change to first order
    shapley,   ///< Shapley values of the columns of a table, shared among the nodes that made them
    average,   ///< what the members of an average add to their own margins, times their weights
};

/// "exact", "gradient", "shapley" or "average".
std::string_view name_of(ExplanationKind kind);

/// What one node adds to the score of another.
struct NeighborTerm {
    Index node = 0;
    int distance = 0;   ///< steps from the explained node; 0: itself, -1: no way leads there
    double weight = 0;  ///< what the network multiplies its terms with; NaN where there is no such number
    double contribution = 0;  ///< to the margin of the predicted class over the runner-up
    double share = 0;         ///< contribution / sum of all absolute contributions
    std::vector<Index> path;  ///< a shortest one from the explained node, both ends included; see `explain`
};

/// All contributions of one distance together.
struct DistanceShare {
    int distance = 0;
    Index nodes = 0;
    double contribution = 0;
    double share = 0;
};

/// What one feature adds to the margin, over all nodes that have it: gradient times input, but of trees the
/// Shapley values.
struct FeatureTerm {
    Index feature = 0;  ///< -1: how many neighbors a node has
    std::string name;
    double contribution = 0;
    double own = 0;  ///< the part of it that the explained node has itself
};

/// What a member of an average says of two classes.
struct MemberMargin {
    std::string label;       ///< "SAGE"
    MemberShare share = {};  ///< its weight, and the temperature that its scores are divided by
    std::optional<ExplanationKind> kind = {};  ///< of its contributions; nothing: it has none
    double margin = 0;  ///< its own score of the one class minus that of the other, not divided
};

/// Why a node got its class: the contributions, the offset and the rest add up to the margin.
struct Explanation {
    ExplanationKind kind = ExplanationKind::exact;
    Index node = 0;
    Index predicted = 0;
    Index runner_up = 0;                ///< the class that comes second; the same where there is only one
    std::vector<double> probabilities;  ///< per class, with the temperature
    /// Score of the predicted class minus that of the runner-up; weights of classes or a threshold may have
    /// decided against it. Of an average, which has no scores, the weighted mean of its members' margins
    /// between the two classes that it puts first, each divided by the member's temperature: this is not the
    /// log-odds of its probabilities.
    double margin = 0;
    double offset = 0;  ///< the part of the margin that is the same for all nodes
    double rest = 0;    ///< of gradients: biases and all that is not linear; 0 where it is exact
    std::vector<NeighborTerm>
        neighbors;  ///< largest contributions first, by size; the node itself among them
    std::vector<DistanceShare> by_distance;
    std::vector<FeatureTerm> features;       ///< largest contributions first, by size
    std::vector<MemberMargin> members = {};  ///< of an average
};

/// How scores become the probabilities and classes that are shown.
struct ShownScores {
    double temperature = 1;
    Decision decision = {};
};

/// Explains predictions of one trained method.
class Explainer {
  public:
    virtual ~Explainer() = default;
    Explainer(const Explainer&) = delete;
    Explainer& operator=(const Explainer&) = delete;

    /// The first `paths` neighbors have their paths, which all of a large graph would be too many.
    Explanation explain(Index node, std::size_t paths) const;

    /// The share of every node in the prediction of one, as `explain` has it: 0 for those that add nothing.
    /// May be called by several threads.
    std::vector<double> shares(Index node) const;

    virtual ExplanationKind kind() const = 0;

    /// Roughly how many multiplications the shares of a node take.
    virtual std::int64_t cost() const = 0;

  protected:
    /// The predicted class and the runner-up.
    using Classes = std::pair<Index, Index>;

    /// What there is to say for a class and against the next one.
    struct Case {
        std::vector<double> scores;  ///< per class
        Index predicted = 0;
        Index runner_up = 0;
        double offset = 0;  ///< to the margin
        std::vector<NeighborTerm>
            terms;  ///< node, weight and contribution of those that are heard, by number
        std::optional<double> margin = {};       ///< where it is not the difference of two scores
        std::vector<MemberMargin> members = {};  ///< of an average
    };

    Explainer(const PreparedGraph& graph, ShownScores shown);

    /// The predicted class of a node with these scores, and the one that comes second, unless they are given.
    Classes classes_of(const std::vector<double>& scores, const std::optional<Classes>& given) const;

  private:
    friend class AverageExplainer;

    /// For the two classes that are given, or those that the scores put first.
    virtual Case case_of(Index node, const std::optional<Classes>& given) const = 0;
    virtual std::vector<FeatureTerm> features_of(Index node, const Case& decided) const = 0;
    void add_paths(Explanation& explanation, std::size_t paths) const;

    const PreparedGraph* graph_;
    ShownScores shown_;
};

/// Exact where the scores of a method are a sum of what single nodes add, by gradients for other networks, by
/// Shapley values for trees, null for other methods that are no network. Graph, operator and parameters must
/// outlive it; `control` can stop it.
std::unique_ptr<Explainer> make_explainer(const PreparedGraph& graph, const Propagation& propagation,
                                          const MethodSettings& settings,
                                          std::span<const TrainableMatrix> parameters, ShownScores shown,
                                          const ExecutionControl& control);

/// The same, or an InputError that says why there is none.
std::unique_ptr<Explainer> expect_explainer(const PreparedGraph& graph, const Propagation& propagation,
                                            const MethodSettings& settings,
                                            std::span<const TrainableMatrix> parameters, ShownScores shown,
                                            const ExecutionControl& control);

/// Of the members of a run, which must outlive it. A single one is explained as above. Of several, the
/// contributions to the margin of each, divided by its temperature and times its weight, are added up; the
/// part of a member that has no explanation counts as rest. Null where none of them has one.
std::unique_ptr<Explainer> make_explainer(const PreparedGraph& graph, const OperatorSource& operators,
                                          std::span<const Member> members, const ShownScores& shown,
                                          const ExecutionControl& control);
std::unique_ptr<Explainer> expect_explainer(const PreparedGraph& graph, const OperatorSource& operators,
                                            std::span<const Member> members, const ShownScores& shown,
                                            const ExecutionControl& control);

}  // namespace hwgcn
