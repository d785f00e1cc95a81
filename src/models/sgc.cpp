#include "models/network.hpp"

namespace hwgcn {
namespace {

// Z = P^K drop(X) Theta: a linear classifier on smoothed features (Wu et al. 2019). P^K (X Theta) is the same
// number and has few columns.
class Sgc final : public Network {
  public:
    Sgc(const NetworkOptions& options, NetworkShape shape) : options_(options), shape_(shape) {}

    int steps() const override { return options_.propagations; }

    std::vector<TrainableMatrix> initial_parameters(std::uint64_t seed) const override {
        std::vector<TrainableMatrix> parameters;
        parameters.push_back(glorot("theta", shape_.features, shape_.classes, true, seed, 1));
        return parameters;
    }

    Variable scores(Pass& pass) const override {
        Variable z = pass.features_times(pass.parameter(0), options_.input_dropout);
        for (int k = 0; k < options_.propagations; ++k)
            z = pass.propagate(z);
        return z;
    }

    std::optional<PropagatedTerms> propagated_terms(Pass& pass) const override {
        PropagatedTerms result{pass.features_times(pass.parameter(0), options_.input_dropout), {}};
        result.coefficients.resize(static_cast<std::size_t>(options_.propagations) + 1, 0.0F);
        result.coefficients.back() = 1.0F;
        return result;
    }

  private:
    NetworkOptions options_;
    NetworkShape shape_;
};

}  // namespace

std::unique_ptr<Network> make_sgc(const NetworkOptions& options, NetworkShape shape) {
    return std::make_unique<Sgc>(options, shape);
}

}  // namespace hwgcn
