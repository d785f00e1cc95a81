#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/parameter.hpp"
#include "methods/linear/logistic_regression.hpp"
#include "methods/linear/softmax_loss.hpp"
#include "methods/method_definition.hpp"
#include "methods/shared_parameters.hpp"
#include "operators/propagation.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/row_ranges.hpp"
#include "tensor/solvers/conjugate_gradients.hpp"
#include "tensor/solvers/lbfgs.hpp"

namespace hwgcn {
namespace {

enum class RegressionLoss { squares, logistic };

// Lists are candidates: the best one on the validation nodes is taken, the first one where there are none.
struct ManiRegOptions {
    RegressionLoss loss = RegressionLoss::squares;
    std::vector<double> smoothness = {1, 0.1, 10, 100};            // weight of the graph's penalty
    std::vector<double> classifier_l2 = {1e-3, 1e-4, 1e-2, 1e-1};  // loss + l2/2 |Theta|^2
    double solver_tolerance = 1e-6;  // of the residual, relative to the right side
    int solver_iterations = 10000;
};

// Predictions of the squared loss are shares up to noise; none is taken for less than this, or half an even
// share, which the largest one always is above.
constexpr float least_share = 0.01F;

// f = X theta + bias at every node, and the way back. The last row of `theta` is the bias.
class LinearMap {
  public:
    LinearMap(const CsrMatrix<float>& features, const ExecutionControl& control)
        : rows_(unit_rows(features)), columns_(transposed(rows_)), control_(control) {}

    Index unknowns() const { return rows_.columns + 1; }
    const CsrMatrix<float>& columns() const { return columns_; }

    void forward(const Columns& theta, Columns& f) const {
        product(rows_, theta, f);
        const std::span<const double> bias = theta.row(theta.rows - 1);
        for (Index i = 0; i < f.rows; ++i) {
            for (Index c = 0; c < f.count; ++c)
                f.row(i)[c] += bias[c];
        }
    }

    void backward(const Columns& g, Columns& theta) const {
        product(columns_, g, theta);
        const std::span<double> bias = theta.row(theta.rows - 1);
        std::fill(bias.begin(), bias.end(), 0.0);
        for (Index i = 0; i < g.rows; ++i) {
            for (Index c = 0; c < g.count; ++c)
                bias[c] += g.row(i)[c];
        }
    }

  private:
    void product(const CsrMatrix<float>& m, const Columns& in, Columns& out) const {
        for_row_ranges(m.rows, m.entries() * in.count, control_, [&](RowRange rows) {
            for (Index i = rows.begin; i < rows.end; ++i) {
                const std::span<double> sum = out.row(i);
                std::fill(sum.begin(), sum.end(), 0.0);
                const SparseRow<float> row = m.row(i);
                for (std::size_t e = 0; e < row.size(); ++e) {
                    const std::span<const double> other = in.row(row.indices[e]);
                    for (std::size_t c = 0; c < sum.size(); ++c)
                        sum[c] += static_cast<double>(row.values[e]) * other[c];
                }
            }
        });
    }

    CsrMatrix<float> rows_;
    CsrMatrix<float> columns_;
    ExecutionControl control_;
};

// out = factor * (D - W) f
void apply_laplacian(const CsrMatrix<float>& weights, double factor, const Columns& f, Columns& out,
                     const ExecutionControl& control) {
    for_row_ranges(weights.rows, weights.entries() * f.count, control, [&](RowRange rows) {
        for (Index i = rows.begin; i < rows.end; ++i) {
            const std::span<double> sum = out.row(i);
            std::fill(sum.begin(), sum.end(), 0.0);
            const std::span<const double> own = f.row(i);
            const SparseRow<float> row = weights.row(i);
            for (std::size_t e = 0; e < row.size(); ++e) {
                const double weight = factor * static_cast<double>(row.values[e]);
                const std::span<const double> other = f.row(row.indices[e]);
                for (std::size_t c = 0; c < sum.size(); ++c)
                    sum[c] += weight * (own[c] - other[c]);
            }
        }
    });
}

// One classifier: both losses have the penalties  l2/2 |theta|^2 + smoothness/(2 n) tr F'(D - W)F,  with
// F = X theta + bias; the bias is free, and so is whatever is constant over a component.
class ManifoldRegression {
  public:
    ManifoldRegression(const ClassicGraph& graph, const LabelledNodes& train, const LinearMap& map,
                       const ExecutionControl& control)
        : graph_(&graph), train_(&train), map_(&map), control_(control) {}

    double l2 = 0;
    double smoothness = 0;

    // The normal equations of 1/(2 m) sum over the m training nodes of |y_i - f_i|^2:
    //   (X'(E/m + smoothness/n L) X + l2) theta = X' E Y / m,   E = the training nodes' rows.
    SolverResult fit_squares(Columns& theta, const SolverOptions& options) const {
        const double share = 1.0 / static_cast<double>(train_->nodes.size());
        Columns f(graph_->nodes(), graph_->classes), g(graph_->nodes(), graph_->classes);
        Columns right_side(theta.rows, theta.count);
        for (std::size_t k = 0; k < train_->nodes.size(); ++k)
            g.row(train_->nodes[k])[train_->labels[k]] = share;
        map_->backward(g, right_side);
        const Apply apply = [&](const Columns& x, Columns& out) {
            map_->forward(x, f);
            smooth(f, g);
            for (const Index node : train_->nodes) {
                for (Index c = 0; c < f.count; ++c)
                    g.row(node)[c] += share * f.row(node)[c];
            }
            map_->backward(g, out);
            for (Index j = 0; j + 1 < x.rows; ++j) {
                for (Index c = 0; c < x.count; ++c)
                    out.row(j)[c] += l2 * x.row(j)[c];
            }
        };
        return conjugate_gradients(apply, inverse_diagonal(share), right_side, theta, options, control_);
    }

    // mean of -log softmax(f_i)[y_i]
    SolverResult fit_logistic(Columns& theta, const SolverOptions& options) const {
        Columns x(theta.rows, theta.count), f(graph_->nodes(), graph_->classes), g(f.rows, f.count);
        Columns back(theta.rows, theta.count);
        const Objective objective = [&](std::span<const double> numbers, std::span<double> gradient) {
            std::ranges::copy(numbers, x.numbers.begin());
            const double value = logistic_value(x, f, g);
            map_->backward(g, back);
            for (std::size_t k = 0; k < numbers.size(); ++k)
                gradient[k] = back.numbers[k] + (is_bias(k, theta) ? 0.0 : l2 * numbers[k]);
            return value;
        };
        Minimum minimum =
            minimize(objective, std::move(theta.numbers), {options.tolerance, options.iterations}, control_);
        theta.numbers = std::move(minimum.x);
        return {minimum.iterations, minimum.gradient, minimum.converged};
    }

  private:
    static bool is_bias(std::size_t k, const Columns& theta) {
        return k >= static_cast<std::size_t>(theta.rows - 1) * static_cast<std::size_t>(theta.count);
    }

    void smooth(const Columns& f, Columns& g) const {
        apply_laplacian(graph_->weights, smoothness / graph_->nodes(), f, g, control_);
    }

    // The objective at x; g is its gradient with respect to f, without the l2 term.
    double logistic_value(const Columns& x, Columns& f, Columns& g) const {
        const double share = 1.0 / static_cast<double>(train_->nodes.size());
        map_->forward(x, f);
        smooth(f, g);
        double value = 0;
        for (std::size_t k = 0; k < f.numbers.size(); ++k)
            value += 0.5 * f.numbers[k] * g.numbers[k];
        for (std::size_t k = 0; k < x.numbers.size(); ++k)
            value += is_bias(k, x) ? 0.0 : 0.5 * l2 * x.numbers[k] * x.numbers[k];
        for (std::size_t k = 0; k < train_->nodes.size(); ++k) {
            const std::span<double> scores = f.row(train_->nodes[k]);
            value += share * softmax_loss(scores, train_->labels[k]);
            for (std::size_t c = 0; c < scores.size(); ++c)
                g.row(train_->nodes[k])[c] += share * scores[c];
        }
        return value;
    }

    // Of l2 + sum over nodes of (E/m + smoothness/n D) x^2: near the diagonal, where neighbors differ.
    std::vector<double> inverse_diagonal(double share) const {
        std::vector<double> factor = row_sums(graph_->weights);
        for (double& number : factor)
            number *= smoothness / graph_->nodes();
        for (const Index node : train_->nodes)
            factor[node] += share;
        std::vector<double> diagonal(static_cast<std::size_t>(map_->unknowns()), l2);
        diagonal.back() = 1.0;
        for (Index j = 0; j < map_->columns().rows; ++j) {
            const SparseRow<float> column = map_->columns().row(j);
            for (std::size_t e = 0; e < column.size(); ++e) {
                const auto x = static_cast<double>(column.values[e]);
                diagonal[j] += factor[column.indices[e]] * x * x;
            }
        }
        for (double& number : diagonal)
            number = 1.0 / number;
        return diagonal;
    }

    const ClassicGraph* graph_;
    const LabelledNodes* train_;
    const LinearMap* map_;
    ExecutionControl control_;
};

DenseMatrix in_single_precision(const Columns& columns) {
    DenseMatrix matrix(columns.rows, columns.count);
    for (Index i = 0; i < columns.rows; ++i) {
        for (Index c = 0; c < columns.count; ++c)
            matrix.at(i, c) = static_cast<float>(columns.row(i)[c]);
    }
    return matrix;
}

// Rows of numbers that sum to one become probabilities, with the same largest one.
void make_shares(MatrixView f) {
    const float least = std::min(least_share, 0.5F / static_cast<float>(f.columns));
    for (Index i = 0; i < f.rows; ++i) {
        float sum = 0;
        for (Index c = 0; c < f.columns; ++c)
            sum += std::max(f.at(i, c), least);
        for (Index c = 0; c < f.columns; ++c)
            f.at(i, c) = std::max(f.at(i, c), least) / sum;
    }
}

class ManiReg final : public ClassicMethod {
  public:
    explicit ManiReg(const ManiRegOptions& options) : options_(options) {}

    std::vector<TrainableMatrix> empty_parameters(NetworkShape shape) const override {
        return {{"theta", DenseMatrix(shape.features + 1, shape.classes), true}};
    }

    ClassicModel learn(const ClassicGraph& graph, const KnownLabels& known, std::uint64_t,
                       const ExecutionControl& control) const override {
        const LinearMap map(graph.features, control);
        ManifoldRegression regression(graph, known.train, map, control);
        const SolverOptions limits{options_.solver_tolerance, options_.solver_iterations};
        ClassicModel model;
        double best = -1;
        Columns f(graph.nodes(), graph.classes);
        for (const double l2 : options_.classifier_l2) {
            Columns theta(map.unknowns(), graph.classes);  // each smoothness starts from the one before
            for (const double smoothness : options_.smoothness) {
                regression.l2 = l2;
                regression.smoothness = smoothness;
                const SolverResult result = fit(regression, theta, limits);
                map.forward(theta, f);
                const double validated = accuracy(in_single_precision(f), known.validation);
                if (validated > best) {
                    best = validated;
                    model = describe(theta, l2, smoothness, result);
                }
                if (known.validation.nodes.empty()) return model;
            }
        }
        return model;
    }

    DenseMatrix probabilities(const ClassicGraph& graph, std::span<const TrainableMatrix> parameters,
                              const ExecutionControl& control) const override {
        DenseMatrix f = linear_scores(unit_rows(graph.features), parameters[0].value, control);
        if (options_.loss == RegressionLoss::squares) {
            make_shares(f);
        } else {
            activate(Activation::softmax, f, f);
        }
        return f;
    }

  private:
    SolverResult fit(const ManifoldRegression& regression, Columns& theta,
                     const SolverOptions& limits) const {
        try {
            return options_.loss == RegressionLoss::squares ? regression.fit_squares(theta, limits)
                                                            : regression.fit_logistic(theta, limits);
        } catch (const Diverged& failure) {
            throw Diverged(
                fmt::format("{}; less `smoothness` or more `classifier_l2` is easier", failure.what()));
        }
    }

    ClassicModel describe(const Columns& theta, double l2, double smoothness,
                          const SolverResult& result) const {
        ClassicModel model;
        model.parameters.push_back({"theta", in_single_precision(theta), true});
        model.summary =
            fmt::format("Smoothness {}, l2 {}; {} steps of {}.", smoothness, l2, result.iterations,
                        options_.loss == RegressionLoss::squares ? "conjugate gradients" : "L-BFGS");
        if (!result.converged) {
            model.notes.push_back(
                fmt::format("ManiReg: stopped after {} steps at {:.1e}, above the tolerance "
                            "{:.1e}; less `smoothness` or more `classifier_l2` is easier",
                            result.iterations, result.residual, options_.solver_tolerance));
        }
        return model;
    }

    ManiRegOptions options_;
};

std::vector<Parameter<ManiRegOptions>> parameters() {
    using Options = ManiRegOptions;
    return {
        choice_parameter("manireg_loss", &Options::loss,
                         {{"squares", RegressionLoss::squares}, {"logistic", RegressionLoss::logistic}},
                         "what is fitted at the training nodes"),
        list_parameter("smoothness", &Options::smoothness, Range<double>{0.0, 1e12}, "G,G,..",
                       "weight of the graph's penalty; of several, the best on validation nodes", 1),
        classifier_l2_parameter<Options>(),
        solver_tolerance_parameter<Options>(
            "largest residual, relative to the right side; logistic loss: largest gradient"),
        solver_iterations_parameter<Options>(),
    };
}

}  // namespace

MethodDefinition manireg_method() {
    return classic_method<ManiReg>({.name = "manireg",
                                    .title = "ManiReg",
                                    .description = "a linear classifier that is smooth over the graph",
                                    .takes_weights = true},
                                   parameters());
}

}  // namespace hwgcn
