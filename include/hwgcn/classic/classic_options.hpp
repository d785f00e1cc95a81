#pragma once

#include <vector>

#include "hwgcn/support/parameter.hpp"

namespace hwgcn {

enum class PropagationRule {
    harmonic,   ///< every node without a label has the mean of its neighbours (Zhu et al. 2003)
    spreading,  ///< labels are spread and renewed: F = (1 - alpha) (I - alpha S)^-1 Y (Zhou et al. 2004)
};
enum class LinearSolver { conjugate_gradients, iteration };
enum class ClassMasses {
    labels,  ///< scaled so that every class has its share of the training labels
    free,
};
enum class NeighborCounts {
    chosen,  ///< whichever does better on the validation nodes
    count,   ///< neighbours of each class
    share,   ///< the same divided by their sum
};
enum class RegressionLoss { squares, logistic };
enum class SkipGramObjective { negative_sampling, hierarchical_softmax };

/// The settings of the classic methods. Each reads those that its page names; the others are ignored. Lists
/// are candidates: the best one on the validation nodes is taken, the first one where there are none.
struct ClassicOptions {
    // Label propagation
    PropagationRule rule = PropagationRule::harmonic;
    LinearSolver solver = LinearSolver::conjugate_gradients;
    ClassMasses masses = ClassMasses::labels;
    double spreading_share = 0.99;  ///< alpha

    // Label propagation and manifold regularisation
    double solver_tolerance = 1e-6;  ///< of the residual, relative to the right side
    int solver_iterations = 10000;

    // ICA
    int sweeps = 10;
    NeighborCounts counts = NeighborCounts::chosen;

    // Manifold regularisation
    RegressionLoss loss = RegressionLoss::squares;
    std::vector<double> smoothness = {1, 0.1, 10, 100};  ///< weight of the graph's penalty

    // ICA, DeepWalk and manifold regularisation
    std::vector<double> classifier_l2 = {1e-3, 1e-4, 1e-2, 1e-1};  ///< loss + l2/2 |Theta|^2

    // DeepWalk
    int walks = 10;        ///< from every node
    int walk_length = 40;  ///< nodes of a walk
    int window = 5;        ///< nodes on each side that are the context of a node, at most
    int dimensions = 64;
    SkipGramObjective objective = SkipGramObjective::negative_sampling;
    int negatives = 5;         ///< drawn for every pair of the walks
    double walk_rate = 0.025;  ///< learning rate, falling to nothing
};

/// The parameters above, for the command line and the documentation.
const std::vector<Parameter<ClassicOptions>>& classic_parameters();

}  // namespace hwgcn
