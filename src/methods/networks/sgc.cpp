#include "base/parameter.hpp"
#include "methods/method_definition.hpp"
#include "methods/shared_parameters.hpp"

namespace hwgcn {
namespace {

struct SgcOptions {
    int propagations = 2;
    double input_dropout = 0.0;
};

// Z = P^K drop(X) Theta: a linear classifier on smoothed features (Wu et al. 2019). P^K (X Theta) is the same
// number and has few columns.
class Sgc final : public Network {
  public:
    static constexpr bool takes_blocks = true;

    Sgc(const SgcOptions& options, NetworkShape shape) : options_(options), shape_(shape) {}

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
    SgcOptions options_;
    NetworkShape shape_;
};

std::vector<Parameter<SgcOptions>> parameters() {
    return {propagations_parameter<SgcOptions>(), input_dropout_parameter<SgcOptions>()};
}

// Wu et al. 2019: no dropout, a high rate.
std::vector<Setting> published(std::string_view) {
    return {{"rate", "0.2"}, {"l2", "0.00001"}, {"epochs", "100"}};
}

}  // namespace

MethodDefinition sgc_method() {
    return network_method<Sgc>({.name = "sgc",
                                .title = "SGC",
                                .description = "a linear classifier on smoothed features",
                                .takes_directions = true},
                               "sgc", parameters(), published);
}

}  // namespace hwgcn
