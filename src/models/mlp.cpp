#include "models/layered_parameters.hpp"

namespace hwgcn {
namespace {

// Z = drop(relu(drop(X) Theta_1)) Theta_2: the graph convolution without a graph.
class Mlp final : public Network {
  public:
    Mlp(const NetworkOptions& options, NetworkShape shape) : options_(options), shape_(shape) {}

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
    NetworkOptions options_;
    NetworkShape shape_;
};

}  // namespace

std::unique_ptr<Network> make_mlp(const NetworkOptions& options, NetworkShape shape) {
    return std::make_unique<Mlp>(options, shape);
}

}  // namespace hwgcn
