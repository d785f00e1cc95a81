#include "base/parameter.hpp"
#include "methods/layered_parameters.hpp"
#include "methods/method_definition.hpp"
#include "methods/shared_parameters.hpp"

namespace hwgcn {
namespace {

struct GcnOptions {
    int layers = 2;
    int hidden = 16;
    double input_dropout = 0.5;
    double hidden_dropout = 0.5;
};

// Z = P drop(relu(.. P drop(relu(P drop(X) Theta_1)) Theta_2 ..)) Theta_L. Narrower first: P (H Theta). On
// the operator of the learned weights this is HWGCN.
class Gcn final : public Network {
  public:
    static constexpr bool takes_blocks = true;

    Gcn(const GcnOptions& options, NetworkShape shape) : options_(options), shape_(shape) {}

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

    GcnOptions options_;
    NetworkShape shape_;
};

std::vector<Parameter<GcnOptions>> parameters() {
    using Options = GcnOptions;
    return {layers_parameter<Options>(), hidden_parameter<Options>(), input_dropout_parameter<Options>(),
            hidden_dropout_parameter<Options>()};
}

std::vector<Setting> published_hwgcn(std::string_view) {
    return {{"operator", "higher-order"}};
}

// Four times the units, more dropout and more time; the symmetric operator.
std::vector<Setting> published_wide_hwgcn(std::string_view) {
    return {{"operator", "higher-order"},
            {"orientation", "symmetric"},
            {"hidden", "64"},
            {"input_dropout", "0.8"},
            {"hidden_dropout", "0.8"},
            {"l2", "0.001"},
            {"epochs", "400"}};
}

}  // namespace

MethodDefinition gcn_method() {
    return network_method<Gcn>({"gcn", "GCN", "graph convolution over direct neighbors"}, "gcn",
                               parameters());
}

MethodDefinition hwgcn_method() {
    return network_method<Gcn>({"hwgcn", "HWGCN", "graph convolution over learned higher-order neighbors"},
                               "gcn", parameters(), published_hwgcn);
}

MethodDefinition hwgcn_wide_method() {
    return network_method<Gcn>({"hwgcn-wide", "wide HWGCN", "HWGCN with 64 units and more dropout"}, "gcn",
                               parameters(), published_wide_hwgcn);
}

}  // namespace hwgcn
