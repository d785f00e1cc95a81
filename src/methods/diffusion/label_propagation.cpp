#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "base/parameter.hpp"
#include "base/stopping.hpp"
#include "methods/diffusion/label_graph.hpp"
#include "methods/linear/rows.hpp"
#include "methods/method_definition.hpp"
#include "methods/shared_parameters.hpp"

namespace hwgcn {
namespace {

enum class PropagationRule {
    harmonic,   // every node without a label has the mean of its neighbors (Zhu et al. 2003)
    spreading,  // labels are spread and renewed: F = (1 - alpha) (I - alpha S)^-1 Y (Zhou et al. 2004)
};
enum class LinearSolver { conjugate_gradients, iteration };
enum class ClassMasses {
    labels,  // scaled: every class has its share of the training labels
    free,
};

struct LabelPropagationOptions {
    PropagationRule rule = PropagationRule::harmonic;
    LinearSolver solver = LinearSolver::conjugate_gradients;
    ClassMasses masses = ClassMasses::labels;
    double spreading_share = 0.99;   // alpha
    double solver_tolerance = 1e-6;  // of the residual, relative to the right side
    int solver_iterations = 10000;
};

// (diag(diagonal) - diag(c) W diag(c)) F = B, symmetric and, where every node with c > 0 is connected with a
// label, positive definite. Both rules are of this form; d are the row sums of W:
//   harmonic:   d_i f_i - sum over unlabelled j of w_ij f_j = sum over labelled j of w_ij y_j
//               (c = 1 and the diagonal d at the unlabelled nodes; c = 0 and the diagonal 1 elsewhere)
//   spreading:  f_i - alpha sum_j w_ij / sqrt(d_i d_j) f_j = (1 - alpha) y_i
//               (c = sqrt(alpha / d), the diagonal 1)
struct LabelSystem {
    std::vector<double> diagonal;
    std::vector<double> c;  // followed by that of neighbors elsewhere
    Columns right_side;
};

Columns one_hot(Index nodes, Index classes, const LabelledNodes& train) {
    Columns y(nodes, classes);
    for (std::size_t k = 0; k < train.nodes.size(); ++k)
        y.row(train.nodes[k])[train.labels[k]] = 1.0;
    return y;
}

LabelSystem harmonic_system(const LabelGraph& graph, Index classes, const LabelledNodes& train,
                            const std::vector<char>& reached, const ExecutionControl& control) {
    LabelSystem system{row_sums(graph.weights()), {}, Columns(graph.nodes(), classes)};
    const std::vector<double> everywhere(static_cast<std::size_t>(graph.weights().columns), 1.0);
    graph.add_neighbors(everywhere, one_hot(graph.nodes(), classes, train), system.right_side, control);
    std::vector<double> unknown(reached.begin(), reached.end());
    for (const Index node : train.nodes)
        unknown[node] = 0.0;
    for (Index i = 0; i < graph.nodes(); ++i) {
        if (unknown[i] != 0.0) continue;
        system.diagonal[i] = 1.0;
        std::ranges::fill(system.right_side.row(i), 0.0);
    }
    system.c = graph.with_neighbors(std::move(unknown));
    return system;
}

LabelSystem spreading_system(const LabelGraph& graph, Index classes, const LabelledNodes& train,
                             double alpha) {
    std::vector<double> c = row_sums(graph.weights());
    for (double& number : c)
        number = number > 0 ? std::sqrt(alpha / number) : 0.0;
    LabelSystem system{std::vector<double>(c.size(), 1.0), graph.with_neighbors(std::move(c)),
                       one_hot(graph.nodes(), classes, train)};
    for (double& y : system.right_side.numbers)
        y *= 1.0 - alpha;
    return system;
}

// F <- (B + c W c F) / diagonal until it stands still: the published iterations of both rules, which are
// Jacobi's. The residual of the step before is the diagonal times the change.
SolverResult iterate(const LabelSystem& system, const LabelGraph& graph, Columns& f,
                     const SolverOptions& options, const ExecutionControl& control) {
    const ExecutionControl inner = until_agreement(graph.exchange(), control);
    Columns sums(f.rows, f.count);
    Columns residual(f.rows, f.count);
    SolverResult result;
    const std::vector<double> norms = column_products(system.right_side, system.right_side, graph.rows());
    while (!result.converged && result.iterations < options.iterations) {
        throw_if_any_is_stopped(graph.exchange(), control);
        ++result.iterations;
        graph.add_neighbors(system.c, f, sums, inner);
        for (Index i = 0; i < f.rows; ++i) {
            for (Index k = 0; k < f.count; ++k) {
                const double next = (system.right_side.row(i)[k] + sums.row(i)[k]) / system.diagonal[i];
                residual.row(i)[k] = system.diagonal[i] * (next - f.row(i)[k]);
                f.row(i)[k] = next;
            }
        }
        result.residual = worst_residual(column_products(residual, residual, graph.rows()), norms);
        result.converged = result.residual <= options.tolerance;
    }
    return result;
}

SolverResult solve_closed_form(const LabelSystem& system, const LabelGraph& graph, Columns& f,
                               const SolverOptions& options, const ExecutionControl& control) {
    const ExecutionControl inner = until_agreement(graph.exchange(), control);
    std::vector<double> inverse = system.diagonal;
    for (double& number : inverse)
        number = 1.0 / number;
    const Apply apply = [&](const Columns& x, Columns& out) {
        graph.add_neighbors(system.c, x, out, inner);
        for (Index i = 0; i < x.rows; ++i) {
            for (Index k = 0; k < x.count; ++k)
                out.row(i)[k] = system.diagonal[i] * x.row(i)[k] - out.row(i)[k];
        }
    };
    return conjugate_gradients(apply, inverse, system.right_side, f, options, control, graph.rows());
}

std::vector<double> label_shares(const LabelledNodes& train, Index classes) {
    std::vector<double> shares(static_cast<std::size_t>(classes));
    for (const Index label : train.labels)
        shares[label] += 1.0 / static_cast<double>(train.labels.size());
    return shares;
}

// Class mass normalisation (Zhu et al. 2003): each class is scaled; its sum over the unlabelled nodes has
// the class's share of the training labels. Where labels are few, f is nearly the same everywhere, and
// without this one class would take almost all nodes.
void normalize_masses(const LabelGraph& graph, const std::vector<double>& prior, const LabelledNodes& train,
                      Columns& f) {
    std::vector<char> is_known(static_cast<std::size_t>(f.rows), 0);
    for (const Index node : train.nodes)
        is_known[node] = 1;
    const std::vector<double> masses =
        sum_over_rows(graph.rows(), f.rows, prior.size(), [&](RowRange rows, std::span<double> sums) {
            for (Index i = rows.begin; i < rows.end; ++i) {
                for (Index k = 0; is_known[i] == 0 && k < f.count; ++k)
                    sums[k] += f.row(i)[k];
            }
        });
    for (Index i = 0; i < f.rows; ++i) {
        for (Index k = 0; k < f.count; ++k)
            f.row(i)[k] *= masses[k] > 0 ? prior[k] / masses[k] : 1.0;
    }
}

// Rows that sum to one. Where no label arrives, the shares of the training labels are the best guess.
DenseMatrix shares_of(const Columns& f, const std::vector<double>& prior, const std::vector<char>& reached) {
    DenseMatrix shares(f.rows, f.count);
    for (Index i = 0; i < f.rows; ++i) {
        double sum = 0;
        for (const double number : f.row(i))
            sum += std::max(number, 0.0);
        const bool known = reached[i] != 0 && sum > 0;
        for (Index k = 0; k < f.count; ++k)
            shares.at(i, k) = static_cast<float>(known ? std::max(f.row(i)[k], 0.0) / sum
                                                       : prior[static_cast<std::size_t>(k)]);
    }
    return shares;
}

class LabelPropagation final : public ClassicMethod {
  public:
    explicit LabelPropagation(const LabelPropagationOptions& options) : options_(options) {}

    std::vector<TrainableMatrix> empty_parameters(NetworkShape shape) const override {
        return {{"shares", DenseMatrix(shape.nodes, shape.classes), false}};
    }

    ClassicModel learn(const ClassicGraph& given, const KnownLabels& known, std::uint64_t,
                       const ExecutionControl& control) const override {
        const LabelGraph graph(given);
        const LabelledNodes train = graph.here(known.train);
        const std::vector<char> reached = graph.reached_from(train.nodes);
        const bool harmonic = options_.rule == PropagationRule::harmonic;
        const LabelSystem system =
            harmonic ? harmonic_system(graph, given.classes, train, reached,
                                       until_agreement(graph.exchange(), control))
                     : spreading_system(graph, given.classes, train, options_.spreading_share);
        Columns f(graph.nodes(), given.classes);
        const SolverOptions limits{options_.solver_tolerance, options_.solver_iterations};
        const bool closed = options_.solver == LinearSolver::conjugate_gradients;
        const SolverResult result = closed ? solve_closed_form(system, graph, f, limits, control)
                                           : iterate(system, graph, f, limits, control);
        const std::vector<double> prior = label_shares(known.train, given.classes);
        if (options_.masses == ClassMasses::labels) normalize_masses(graph, prior, train, f);
        if (harmonic) clamp(f, train);
        const std::int64_t unreached = std::ranges::count(reached, 0);
        return describe(shares_of(f, prior, reached), result,
                        graph.exchange() == nullptr ? unreached : graph.exchange()->total(unreached));
    }

    DenseMatrix probabilities(const ClassicGraph&, std::span<const TrainableMatrix> parameters,
                              const ExecutionControl&) const override {
        return parameters[0].value;
    }

  private:
    static void clamp(Columns& f, const LabelledNodes& train) {
        for (std::size_t k = 0; k < train.nodes.size(); ++k) {
            std::ranges::fill(f.row(train.nodes[k]), 0.0);
            f.row(train.nodes[k])[train.labels[k]] = 1.0;
        }
    }

    ClassicModel describe(DenseMatrix shares, const SolverResult& result, std::int64_t unreached) const {
        const bool closed = options_.solver == LinearSolver::conjugate_gradients;
        ClassicModel model;
        model.parameters.push_back({"shares", std::move(shares), false});
        model.summary = fmt::format("{} {}, residual {:.1e}.", result.iterations,
                                    closed ? "steps of conjugate gradients" : "iterations", result.residual);
        if (!result.converged) {
            model.notes.push_back(
                fmt::format("label propagation: the residual {:.1e} is above {:.1e} after {} "
                            "iterations; `solver_iterations` allows more",
                            result.residual, options_.solver_tolerance, result.iterations));
        }
        if (unreached > 0) {
            model.notes.push_back(
                fmt::format("label propagation: {} nodes are not connected with any training "
                            "node; they get the shares of the training labels",
                            unreached));
        }
        return model;
    }

    LabelPropagationOptions options_;
};

std::vector<Parameter<LabelPropagationOptions>> parameters() {
    using Options = LabelPropagationOptions;
    return {
        choice_parameter("lp_rule", &Options::rule,
                         {{"harmonic", PropagationRule::harmonic}, {"spreading", PropagationRule::spreading}},
                         "the mean of the neighbors everywhere, or labels that are spread and renewed"),
        choice_parameter("lp_solver", &Options::solver,
                         {{"conjugate-gradients", LinearSolver::conjugate_gradients},
                          {"iteration", LinearSolver::iteration}},
                         "the closed form, or step by step; both have the same limit"),
        choice_parameter("lp_masses", &Options::masses,
                         {{"labels", ClassMasses::labels}, {"free", ClassMasses::free}},
                         "scale each class to its share of the training labels, or leave it"),
        number_parameter("lp_share", &Options::spreading_share, Range<double>{0.0, 0.9999, true}, "SHARE",
                         "what a node takes from its neighbors in each step")
            .only_with("lp_rule", "spreading"),
        solver_tolerance_parameter<Options>("largest residual, relative to the right side"),
        solver_iterations_parameter<Options>(),
    };
}

}  // namespace

MethodDefinition lp_method() {
    return classic_method<LabelPropagation>(
        {.name = "lp",
         .title = "LP",
         .description = "label propagation over the graph, without features (baseline)",
         .uses_features = false,
         .takes_weights = true,
         .knows_nodes = true,
         .takes_blocks = true},
        parameters());
}

}  // namespace hwgcn
