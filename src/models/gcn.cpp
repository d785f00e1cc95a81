#include "models/layered_parameters.hpp"

namespace hwgcn {
namespace {

// Z = P drop(relu(.. P drop(relu(P drop(X) Theta_1)) Theta_2 ..)) Theta_L. Narrower first: P (H Theta). On
// the operator of the learned weights this is HWGCN.
class Gcn final : public Network {
  public:
    Gcn(const NetworkOptions& options, NetworkShape shape) : options_(options), shape_(shape) {}

    int steps() const override { return options_.layers; }

    std::vector<TrainableMatrix> initial_parameters(std::uint64_t seed) const override {
        return layered_parameters(options_.layers, options_.hidden, shape_, seed);
    }

    Variable scores(Pass& pass) const override { return pass.propagate(last_terms(pass)); }

    std::optional<PropagatedTerms> propagated_terms(Pass& pass) const override {
        return PropagatedTerms{last_terms(pass), {0.0F, 1.0F}};
    }

  private:
    // What the last multiplication with P spreads.
    Variable last_terms(Pass& pass) const {
        Variable h = pass.features_times(pass.parameter(0), options_.input_dropout);
        for (int layer = 1; layer < options_.layers; ++layer) {
            h = pass.dropout(relu(pass.tape(), pass.propagate(h)), options_.hidden_dropout);
            h = multiply(pass.tape(), h, pass.parameter(static_cast<std::size_t>(layer)));
        }
        return h;
    }

    NetworkOptions options_;
    NetworkShape shape_;
};

}  // namespace

std::unique_ptr<Network> make_gcn(const NetworkOptions& options, NetworkShape shape) {
    return std::make_unique<Gcn>(options, shape);
}

}  // namespace hwgcn
