#include <algorithm>
#include <memory>
#include <utility>

#include "base/parameter.hpp"
#include "methods/linear/chosen_regression.hpp"
#include "methods/method_definition.hpp"

namespace hwgcn {
namespace {

// Z = X Theta + b, and P = softmax(Z): multinomial logistic regression.
class LinearNetwork final : public Network {
  public:
    explicit LinearNetwork(NetworkShape shape) : shape_(shape) {}

    int steps() const override { return 0; }

    std::vector<TrainableMatrix> initial_parameters(std::uint64_t) const override {
        return {{"theta", DenseMatrix(shape_.features, shape_.classes), true},
                {"bias", DenseMatrix(1, shape_.classes), false}};
    }

    Variable scores(Pass& pass) const override {
        return add_row(pass.tape(), pass.features_times(pass.parameter(0), 0.0), pass.parameter(1));
    }

    std::optional<PropagatedTerms> propagated_terms(Pass& pass) const override {
        return PropagatedTerms{pass.features_times(pass.parameter(0), 0.0), {1.0F}, pass.parameter(1)};
    }

  private:
    NetworkShape shape_;
};

struct NoOptions {};

class Linear final : public ClassicMethod {
  public:
    explicit Linear(NoOptions) {}

    std::vector<TrainableMatrix> empty_parameters(NetworkShape shape) const override {
        return LinearNetwork(shape).initial_parameters(0);
    }

    ClassicModel learn(const ClassicGraph& graph, const KnownLabels& known, std::uint64_t,
                       const ExecutionControl& control) const override {
        const EvenColumns columns(graph.features, known.train.nodes);
        const auto rows_of = [&](std::span<const Index> nodes) {
            return columns.rows(graph.features, nodes);
        };
        auto [all, model] = choose_regression(columns, rows_of, graph.classes, known, control);
        model.parameters = empty_parameters({graph.features.columns, graph.classes, 0, 1});
        for (Index f = 0; f < all.rows(); ++f) {
            float* target =
                f + 1 < all.rows() ? model.parameters[0].value.row(f) : model.parameters[1].value.row(0);
            std::copy_n(all.row(f), graph.classes, target);
        }
        return model;
    }

    DenseMatrix probabilities(const ClassicGraph& graph, std::span<const TrainableMatrix> parameters,
                              const ExecutionControl& control) const override {
        const DenseMatrix& theta = parameters[0].value;
        DenseMatrix with_bias(theta.rows() + 1, theta.columns());
        for (Index f = 0; f < with_bias.rows(); ++f) {
            std::copy_n(f < theta.rows() ? theta.row(f) : parameters[1].value.row(0), theta.columns(),
                        with_bias.row(f));
        }
        return classify(graph.features, with_bias, control);
    }
};

}  // namespace

MethodDefinition linear_method() {
    return classic_method<Linear>(
        {.name = "linear",
         .title = "Linear",
         .description = "logistic regression on the features, without the graph (baseline)",
         .uses_graph = false,
         .weighs_labels = true},
        std::vector<Parameter<NoOptions>>(),
        [](const NoOptions&, NetworkShape shape) { return std::make_unique<LinearNetwork>(shape); });
}

}  // namespace hwgcn
