#include "hwgcn/classic/classic_options.hpp"

namespace hwgcn {

const std::vector<Parameter<ClassicOptions>>& classic_parameters() {
    using Options = ClassicOptions;
    static const std::vector<Parameter<Options>> table = {
        choice_parameter("lp_rule", &Options::rule,
                         {{"harmonic", PropagationRule::harmonic}, {"spreading", PropagationRule::spreading}},
                         "LP: the mean of the neighbours everywhere, or labels that are spread and renewed"),
        choice_parameter("lp_solver", &Options::solver,
                         {{"conjugate-gradients", LinearSolver::conjugate_gradients},
                          {"iteration", LinearSolver::iteration}},
                         "LP: the closed form, or step by step; both have the same limit"),
        choice_parameter("lp_masses", &Options::masses,
                         {{"labels", ClassMasses::labels}, {"free", ClassMasses::free}},
                         "LP: scale each class to its share of the training labels, or leave it"),
        number_parameter("lp_share", &Options::spreading_share, Range<double>{0.0, 0.9999, true}, "SHARE",
                         "LP, spreading: what a node takes from its neighbours in each step"),
        number_parameter(
            "solver_tolerance", &Options::solver_tolerance, Range<double>{0.0, 0.1, true}, "T",
            "LP and ManiReg: largest residual, relative to the right side; logistic loss: largest gradient"),
        number_parameter("solver_iterations", &Options::solver_iterations, Range<int>{1, 10000000}, "N",
                         "LP and ManiReg: iterations at most"),
        number_parameter("sweeps", &Options::sweeps, Range<int>{1, 10000}, "N",
                         "ICA: sweeps over all nodes, each in a random order"),
        choice_parameter("ica_counts", &Options::counts,
                         {{"chosen", NeighborCounts::chosen},
                          {"count", NeighborCounts::count},
                          {"share", NeighborCounts::share}},
                         "ICA: neighbours of each class, their shares, or what validates better"),
        choice_parameter("manireg_loss", &Options::loss,
                         {{"squares", RegressionLoss::squares}, {"logistic", RegressionLoss::logistic}},
                         "ManiReg: what is fitted at the training nodes"),
        list_parameter("smoothness", &Options::smoothness, Range<double>{0.0, 1e12}, "G,G,..",
                       "ManiReg: weight of the graph's penalty; of several, the best on validation nodes", 1),
        list_parameter("classifier_l2", &Options::classifier_l2, Range<double>{0.0, 1e6, true}, "L,L,..",
                       "ICA, DeepWalk, ManiReg: weight of the penalty half the squared norm; of several, "
                       "the best on validation nodes",
                       1),
        number_parameter("walks", &Options::walks, Range<int>{1, 100000}, "N",
                         "DeepWalk: walks from every node"),
        number_parameter("walk_length", &Options::walk_length, Range<int>{2, 10000}, "N",
                         "DeepWalk: nodes of a walk"),
        number_parameter("window", &Options::window, Range<int>{1, 100}, "N",
                         "DeepWalk: how far apart in a walk two nodes are each other's context, at most"),
        number_parameter("dimensions", &Options::dimensions, Range<int>{1, 4096}, "N",
                         "DeepWalk: numbers per node"),
        choice_parameter("skip_gram", &Options::objective,
                         {{"negative-sampling", SkipGramObjective::negative_sampling},
                          {"hierarchical-softmax", SkipGramObjective::hierarchical_softmax}},
                         "DeepWalk: how the context of a node is told from other nodes"),
        number_parameter("negatives", &Options::negatives, Range<int>{1, 1000}, "N",
                         "DeepWalk: nodes drawn against every pair of the walks"),
        number_parameter("walk_rate", &Options::walk_rate, Range<double>{0.0, 10.0, true}, "RATE",
                         "DeepWalk: learning rate at the start; it falls evenly to nothing"),
    };
    return table;
}

}  // namespace hwgcn
