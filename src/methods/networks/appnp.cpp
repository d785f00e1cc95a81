#include "base/parameter.hpp"
#include "methods/layered_parameters.hpp"
#include "methods/method_definition.hpp"
#include "methods/shared_parameters.hpp"

namespace hwgcn {
namespace {

struct AppnpOptions {
    int hidden = 64;
    double input_dropout = 0.5;
    double hidden_dropout = 0.5;
    int propagations = 10;
    double teleport = 0.1;
};

// H = drop(relu(drop(X) Theta_1)) Theta_2, then K times Z <- (1 - a) P Z + a H from Z = H: personalised
// PageRank of the predictions (Klicpera et al. 2019).
class Appnp final : public Network {
  public:
    static constexpr bool takes_blocks = true;

    Appnp(const AppnpOptions& options, NetworkShape shape) : options_(options), shape_(shape) {}

    int steps() const override { return options_.propagations; }

    bool propagates_scores() const override { return true; }

    std::vector<TrainableMatrix> initial_parameters(std::uint64_t seed) const override {
        return layered_parameters(2, options_.hidden, shape_, seed);
    }

    Variable scores(Pass& pass) const override {
        const auto teleport = static_cast<float>(options_.teleport);
        Variable h = features_alone(pass);
        Variable z = h;
        for (int k = 0; k < options_.propagations; ++k) {
            h = at_outputs(pass.tape(), pass.next_step(), h);
            z = combine(pass.tape(), 1.0F - teleport, pass.propagate(z), teleport, h);
        }
        return z;
    }

    // Z = sum over s < K of a (1 - a)^s P^s H + (1 - a)^K P^K H
    std::optional<PropagatedTerms> propagated_terms(Pass& pass) const override {
        PropagatedTerms result{features_alone(pass), {}};
        double rest = 1.0;
        for (int s = 0; s < options_.propagations; ++s) {
            result.coefficients.push_back(static_cast<float>(options_.teleport * rest));
            rest *= 1.0 - options_.teleport;
        }
        result.coefficients.push_back(static_cast<float>(rest));
        return result;
    }

  private:
    Variable features_alone(Pass& pass) const {
        const Variable h = relu(pass.tape(), pass.features_times(pass.parameter(0), options_.input_dropout));
        return multiply(pass.tape(), pass.dropout(h, options_.hidden_dropout), pass.parameter(1));
    }

    AppnpOptions options_;
    NetworkShape shape_;
};

std::vector<Parameter<AppnpOptions>> parameters() {
    using Options = AppnpOptions;
    return {hidden_parameter<Options>(), input_dropout_parameter<Options>(),
            hidden_dropout_parameter<Options>(), propagations_parameter<Options>(),
            number_parameter("teleport", &Options::teleport, Range<double>{0.0, 1.0}, "SHARE",
                             "share of a node's own prediction in each multiplication")};
}

// Klicpera et al. 2019.
std::vector<Setting> published(std::string_view) {
    return {{"l2", "0.005"}, {"epochs", "1000"}, {"patience", "100"}};
}

}  // namespace

MethodDefinition appnp_method() {
    return network_method<Appnp>({"appnp", "APPNP", "predictions spread by personalised PageRank"}, "appnp",
                                 parameters(), published);
}

}  // namespace hwgcn
