#include "base/parameter.hpp"
#include "methods/layered_parameters.hpp"
#include "methods/method_definition.hpp"
#include "methods/shared_parameters.hpp"

namespace hwgcn {
namespace {

struct MlpOptions {
    int layers = 2;
    int hidden = 16;
    double input_dropout = 0.5;
    double hidden_dropout = 0.5;
};

// Z = drop(relu(drop(X) Theta_1)) Theta_2: the graph convolution without a graph.
class Mlp final : public Network {
  public:
    static constexpr bool takes_blocks = true;

    Mlp(const MlpOptions& options, NetworkShape shape) : options_(options), shape_(shape) {}

    int steps() const override { return 0; }

    std::vector<TrainableMatrix> initial_parameters(std::uint64_t seed) const override {
        return layered_parameters(options_.layers, options_.hidden, shape_, seed);
    }

    Variable scores(Pass& pass) const override {
        Variable h = pass.features_times(pass.parameter(0), options_.input_dropout);
        for (int layer = 1; layer < options_.layers; ++layer) {
            h = pass.dropout(relu(pass.tape(), h), options_.hidden_dropout);
            h = multiply(pass.tape(), h, pass.parameter(static_cast<std::size_t>(layer)));
        }
        return h;
    }

    std::optional<PropagatedTerms> propagated_terms(Pass& pass) const override {
        return PropagatedTerms{scores(pass), {1.0F}};
    }

  private:
    MlpOptions options_;
    NetworkShape shape_;
};

std::vector<Parameter<MlpOptions>> parameters() {
    using Options = MlpOptions;
    return {layers_parameter<Options>(), hidden_parameter<Options>(), input_dropout_parameter<Options>(),
            hidden_dropout_parameter<Options>()};
}

}  // namespace

MethodDefinition mlp_method() {
    return network_method<Mlp>(
        {.name = "mlp",
         .title = "MLP",
         .description = "two-layer perceptron on the features, without the graph (baseline)",
         .uses_graph = false},
        "mlp", parameters());
}

}  // namespace hwgcn
