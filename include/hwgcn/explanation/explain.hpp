#pragma once

#include <optional>
#include <vector>

#include "hwgcn/methods/train.hpp"

namespace hwgcn {

/// What one node adds to the score of another.
struct NeighborTerm {
    Index node = 0;
    int distance = 0;         ///< steps from the explained node; 0: itself
    double weight = 0;        ///< what the network multiplies its terms with
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

/// Why a node got its class, exactly: the contributions and the offset add up to the margin.
struct Explanation {
    Index node = 0;
    Index predicted = 0;
    Index runner_up = 0;                ///< the class that comes second; the same where there is only one
    std::vector<double> probabilities;  ///< per class, with the temperature
    /// Score of the predicted class minus that of the runner-up; weights of classes or a threshold may have
    /// decided against it.
    double margin = 0;
    double offset = 0;                  ///< the part of the margin that is the same for all nodes
    std::vector<NeighborTerm>
        neighbors;  ///< largest contributions first, by size; the node itself among them
    std::vector<DistanceShare> by_distance;
};

/// Scores as a polynomial of the operator P in terms that every node has alone: sum over s of c_s P^s T, plus
/// an offset.
struct NodeTerms {
    DenseMatrix terms;                ///< T: a row per node, a column per class
    std::vector<float> coefficients;  ///< c_s
    std::vector<double> offset;       ///< per class
};

/// The terms of a trained method; nothing where its scores are no such polynomial.
std::optional<NodeTerms> find_terms(const PreparedGraph& graph, const Propagation& propagation,
                                    const MethodSettings& settings,
                                    std::span<const TrainableMatrix> parameters,
                                    const ExecutionControl& control);

/// The same, or an InputError that names the methods that have an exact explanation.
NodeTerms expect_terms(const PreparedGraph& graph, const Propagation& propagation,
                       const MethodSettings& settings, std::span<const TrainableMatrix> parameters,
                       const ExecutionControl& control);

/// Explains predictions of one trained method: the row of the polynomial at the explained node says how much
/// the terms of each node count.
class Explainer {
  public:
    /// Graph and operator must outlive it.
    Explainer(const PreparedGraph& graph, const Propagation& propagation, NodeTerms terms, double temperature,
              Decision decision = {});

    /// The first `paths` neighbours have their paths, which all of a large graph would be too many.
    Explanation explain(Index node, std::size_t paths) const;

    /// The share of every node in the prediction of one, as `explain` has it: 0 for those that add nothing.
    std::vector<double> shares(Index node) const;

    /// Roughly how many multiplications an explanation takes.
    std::int64_t cost() const;

  private:
    /// What there is to say for a class and against the next one.
    struct Case {
        std::vector<double> weights;  ///< per node
        std::vector<double> scores;   ///< per class
        Index predicted = 0;
        Index runner_up = 0;
    };
    Case case_of(Index node) const;
    double contribution(const Case& decided, Index node) const;
    std::vector<double> weights_of(Index node) const;
    std::vector<double> scores_of(const std::vector<double>& weights) const;
    void add_paths(Explanation& explanation, std::size_t paths) const;

    const PreparedGraph* graph_;
    const Propagation* propagation_;
    double temperature_;
    Decision decision_;
    DenseMatrix terms_;
    std::vector<float> coefficients_;
    std::vector<double> offset_;
};

}  // namespace hwgcn
