#include "models/layer_widths.hpp"

namespace hwgcn {
namespace {

// H = drop(relu(drop(X) Theta_1)) Theta_2, then K times Z <- (1 - a) P Z + a H from Z = H: personalised
// PageRank of the predictions (Klicpera et al. 2019).
class Appnp final : public Network {
  public:
    Appnp(const NetworkOptions& options, NetworkShape shape) : options_(options), shape_(shape) {}

    int steps() const override { return options_.propagations; }

    std::vector<TrainableMatrix> initial_parameters(std::uint64_t seed) const override {
        return layered_parameters(2, options_.hidden, shape_, seed);
    }

    Variable scores(Pass& pass) const override {
        const auto teleport = static_cast<float>(options_.teleport);
        Variable h = relu(pass.tape(), pass.features_times(pass.parameter(0), options_.input_dropout));
        h = multiply(pass.tape(), pass.dropout(h, options_.hidden_dropout), pass.parameter(1));
        Variable z = h;
        for (int k = 0; k < options_.propagations; ++k) {
            h = at_outputs(pass.tape(), pass.next_step(), h);
            z = combine(pass.tape(), 1.0F - teleport, pass.propagate(z), teleport, h);
        }
        return z;
    }

  private:
    NetworkOptions options_;
    NetworkShape shape_;
};

}  // namespace

std::unique_ptr<Network> make_appnp(const NetworkOptions& options, NetworkShape shape) {
    return std::make_unique<Appnp>(options, shape);
}

}  // namespace hwgcn
