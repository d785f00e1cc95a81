#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/parameter.hpp"
#include "methods/linear/chosen_regression.hpp"
#include "methods/method_definition.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/products.hpp"
#include "tensor/rows.hpp"

// Multinomial logistic regression on a node's features and the mean of its neighbors': with the operators
// P_b next to each other (I and D^-1 A; of a directed graph the means over in- and over out-neighbors),
//
//   Z = sum over b of P_b X Theta_b + bias,     P = softmax(Z).
//
// The Theta_b stand next to each other, and X is read once: of P_b H, the columns of Theta_b count.

namespace hwgcn {
namespace {

enum Slot : std::size_t { theta_slot, bias_slot };

// Rows of products with several operators are whole vectors.
constexpr Index vector_width = 16;

Index width_of(Index blocks, Index classes) {
    return (blocks * classes + vector_width - 1) / vector_width * vector_width;
}

std::vector<TrainableMatrix> no_parameters(NetworkShape shape) {
    return {{"theta", DenseMatrix(shape.features, width_of(shape.blocks, shape.classes)), true},
            {"bias", DenseMatrix(1, shape.classes), false}};
}

class NeighborsNetwork final : public Network {
  public:
    explicit NeighborsNetwork(NetworkShape shape) : shape_(shape) {}

    int steps() const override { return 1; }

    bool propagates_scores() const override { return true; }

    std::vector<TrainableMatrix> initial_parameters(std::uint64_t) const override {
        return no_parameters(shape_);
    }

    Variable scores(Pass& pass) const override {
        Tape& tape = pass.tape();
        const Index width = width_of(shape_.blocks, shape_.classes);
        const Variable all = pass.propagate(pass.features_times(pass.parameter(theta_slot), 0.0));
        Variable z = select_columns(tape, all, 0, shape_.classes);
        for (Index b = 1; b < shape_.blocks; ++b) {
            const Index first = b * width + b * shape_.classes;
            z = combine(tape, 1.0F, z, 1.0F, select_columns(tape, all, first, shape_.classes));
        }
        return add_row(tape, z, pass.parameter(bias_slot));
    }

  private:
    NetworkShape shape_;
};

// The rows [P_0 X, P_1 X, ..] of some nodes.
CsrMatrix<float> rows_with_neighbors(const CsrMatrix<float>& p, const CsrMatrix<float>& x,
                                     std::span<const Index> nodes) {
    const Index blocks = p.rows / p.columns;
    CsrMatrix<float> rows{static_cast<Index>(nodes.size()), blocks * x.columns, {0}, {}, {}};
    std::vector<double> sums(static_cast<std::size_t>(x.columns), 0.0);
    std::vector<Index> touched;
    for (const Index node : nodes) {
        for (Index b = 0; b < blocks; ++b) {
            const SparseRow<float> weights = p.row(node * blocks + b);
            for (std::size_t k = 0; k < weights.size(); ++k) {
                const SparseRow<float> row = x.row(weights.indices[k]);
                for (std::size_t e = 0; e < row.size(); ++e) {
                    if (sums[row.indices[e]] == 0) touched.push_back(row.indices[e]);
                    sums[row.indices[e]] +=
                        static_cast<double>(weights.values[k]) * static_cast<double>(row.values[e]);
                }
            }
            std::ranges::sort(touched);
            for (const Index f : touched) {
                const double sum = std::exchange(sums[f], 0.0);
                if (sum == 0) continue;  // numbers that cancel, or a column that was touched twice
                rows.indices.push_back(b * x.columns + f);
                rows.values.push_back(static_cast<float>(sum));
            }
            touched.clear();
        }
        rows.offsets.push_back(rows.entries());
    }
    return rows;
}

struct NoOptions {};

class LinearOnNeighbors final : public ClassicMethod {
  public:
    explicit LinearOnNeighbors(NoOptions) {}

    std::vector<TrainableMatrix> empty_parameters(NetworkShape shape) const override {
        return no_parameters(shape);
    }

    ClassicModel learn(const ClassicGraph& graph, const KnownLabels& known, std::uint64_t,
                       const ExecutionControl& control) const override {
        const auto rows_at = [&](std::span<const Index> nodes) {
            return rows_with_neighbors(graph.weights, graph.features, nodes);
        };
        const CsrMatrix<float> learned = rows_at(known.train.nodes);
        const EvenColumns columns(learned, all_indices(learned.rows));
        const auto rows_of = [&](std::span<const Index> nodes) {
            const CsrMatrix<float> rows = rows_at(nodes);
            return columns.rows(rows, all_indices(rows.rows));
        };
        auto [theta, model] = choose_regression(columns, rows_of, graph.classes, known, control);
        const Index blocks = graph.weights.rows / graph.weights.columns;
        model.parameters = no_parameters({graph.features.columns, graph.classes, 0, blocks});
        for (Index b = 0; b < blocks; ++b) {
            for (Index f = 0; f < graph.features.columns; ++f) {
                std::copy_n(theta.row(b * graph.features.columns + f), graph.classes,
                            model.parameters[theta_slot].value.row(f) + b * graph.classes);
            }
        }
        std::copy_n(theta.row(theta.rows() - 1), graph.classes, model.parameters[bias_slot].value.row(0));
        return model;
    }

    DenseMatrix probabilities(const ClassicGraph& graph, std::span<const TrainableMatrix> parameters,
                              const ExecutionControl& control) const override {
        const Index nodes = graph.weights.columns, blocks = graph.weights.rows / nodes;
        const DenseMatrix& theta = parameters[theta_slot].value;
        DenseMatrix h(nodes, theta.columns()), propagated(graph.weights.rows, theta.columns());
        multiply(graph.features, nullptr, theta, h, Write::replace, control);
        multiply(graph.weights, nullptr, h, propagated, Write::replace, control);
        DenseMatrix scores(nodes, graph.classes);
        for (Index i = 0; i < nodes; ++i) {
            for (Index b = 0; b < blocks; ++b) {
                const float* own = propagated.row(i * blocks + b) + b * graph.classes;
                for (Index c = 0; c < graph.classes; ++c)
                    scores.at(i, c) += own[c];
            }
        }
        add_row(ConstMatrixView(scores), parameters[bias_slot].value, scores, control);
        activate(Activation::softmax, scores, scores);
        return scores;
    }
};

}  // namespace

MethodDefinition linear_neighbors_method() {
    return classic_method<LinearOnNeighbors>(
        {.name = "linear-neighbors",
         .title = "Linear+neighbors",
         .description = "logistic regression on the features and the mean of the neighbors' (baseline)",
         .separate_operators = true,
         .weighs_labels = true},
        std::vector<Parameter<NoOptions>>(),
        [](const NoOptions&, NetworkShape shape) { return std::make_unique<NeighborsNetwork>(shape); });
}

}  // namespace hwgcn
