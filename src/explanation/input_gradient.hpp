#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "hwgcn/explanation/explain.hpp"

#include "methods/network.hpp"
#include "operators/propagation.hpp"

namespace hwgcn {

/// What features and nodes add to a margin, to first order.
struct InputContributions {
    std::vector<double> scores;  ///< per class
    Index predicted = 0;
    Index runner_up = 0;
    std::vector<Index> nodes;        ///< those that the network looks at, ascending
    std::vector<double> by_node;     ///< one per node of these
    std::vector<double> by_feature;  ///< over all of these nodes; empty where they were not asked for
    std::vector<double> own;         ///< by feature, the part of the node itself
};

/// The largest and the second largest number, the first of equals; the same where there is only one.
std::pair<Index, Index> first_two(const std::vector<double>& scores);

/// What a feature is called.
std::string feature_name(const Dataset& dataset, Index feature);

/// The parameters of a trained network on a tape, to be computed with.
std::vector<Variable> constants_on(Tape& tape, std::span<const TrainableMatrix> parameters);

/// Gradient times input. A network takes the features X as products X Theta. With G the gradient of the
/// margin m = z_predicted - z_runner-up at one node with respect to such a product,
///   <(X Theta)_j, G_j> = sum over f of x_jf <Theta_f, G_j>
/// is what node j, and each of its features f, adds to m to first order: exactly so where m is linear in X.
class InputGradient {
  public:
    /// All but `control` must outlive it.
    InputGradient(const PreparedGraph& graph, const Propagation& propagation, const MethodSettings& settings,
                  std::span<const TrainableMatrix> parameters, const ExecutionControl& control);

    /// From the scores of a node to the predicted class and the runner-up.
    using Decide = std::function<std::pair<Index, Index>(const std::vector<double>&)>;

    /// At one node.
    InputContributions at(Index node, bool with_features, const Decide& decide = first_two) const;

    /// The features of `at` with their names, largest contributions first.
    std::vector<FeatureTerm> features_at(Index node, std::pair<Index, Index> classes) const;

    /// Roughly how many multiplications one node takes, eight of a vector counting as one.
    std::int64_t cost() const;

    const Network& network() const { return *network_; }

  private:
    ReceptiveField field_of(Index node) const;
    std::int64_t cost_of(const ReceptiveField& field) const;

    const PreparedGraph& graph_;
    const Propagation& propagation_;
    std::span<const TrainableMatrix> parameters_;
    ExecutionControl control_;
    std::shared_ptr<const CsrMatrix<float>> features_;
    std::unique_ptr<Network> network_;
};

}  // namespace hwgcn
