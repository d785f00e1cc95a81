#include "models/network.hpp"

namespace hwgcn {
namespace {

// Z = sum over s = 0..K of gamma_s P^s H + b_2 with H = drop(relu(drop(X) Theta_1 + b_1)) Theta_2 and learned
// gamma, which begin as personalised PageRank: a (1 - a)^s, the last one (1 - a)^K (Chien et al. 2021). By
// Horner's rule: Z = gamma_0 H + P (gamma_1 H + P (gamma_2 H + ..)).
class Gpr final : public Network {
  public:
    Gpr(const NetworkOptions& options, NetworkShape shape) : options_(options), shape_(shape) {}

    int steps() const override { return options_.propagations; }

    std::vector<TrainableMatrix> initial_parameters(std::uint64_t seed) const override {
        std::vector<TrainableMatrix> parameters(kParameters);
        parameters[kTheta1] = glorot("theta1", shape_.features, options_.hidden, true, seed, 1);
        parameters[kBias1] = {"bias1", DenseMatrix(1, options_.hidden), false};
        parameters[kTheta2] = glorot("theta2", options_.hidden, shape_.classes, false, seed, 2);
        parameters[kBias2] = {"bias2", DenseMatrix(1, shape_.classes), false};
        parameters[kGamma] = {"gamma", DenseMatrix(1, steps() + 1), false};
        double rest = 1.0;
        for (Index s = 0; s < steps(); ++s) {
            parameters[kGamma].value.at(0, s) = static_cast<float>(options_.teleport * rest);
            rest *= 1.0 - options_.teleport;
        }
        parameters[kGamma].value.at(0, steps()) = static_cast<float>(rest);
        return parameters;
    }

    Variable scores(Pass& pass) const override {
        Tape& tape = pass.tape();
        Variable h = pass.features_times(pass.parameter(kTheta1), options_.input_dropout);
        h = relu(tape, add_row(tape, h, pass.parameter(kBias1)));
        h = multiply(tape, pass.dropout(h, options_.hidden_dropout), pass.parameter(kTheta2));
        const Variable gamma = pass.parameter(kGamma);
        Variable z = multiple(tape, gamma, steps(), h);
        for (Index s = steps() - 1; s >= 0; --s) {
            h = at_outputs(tape, pass.next_step(), h);
            z = combine(tape, 1.0F, pass.propagate(z), 1.0F, multiple(tape, gamma, s, h));
        }
        return add_row(tape, z, pass.parameter(kBias2));
    }

  private:
    enum Parameter : std::size_t { kTheta1, kBias1, kTheta2, kBias2, kGamma, kParameters };

    NetworkOptions options_;
    NetworkShape shape_;
};

}  // namespace

std::unique_ptr<Network> make_gpr(const NetworkOptions& options, NetworkShape shape) {
    return std::make_unique<Gpr>(options, shape);
}

}  // namespace hwgcn
