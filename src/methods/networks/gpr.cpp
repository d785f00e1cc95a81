#include "base/parameter.hpp"
#include "methods/method_definition.hpp"
#include "methods/shared_parameters.hpp"
#include "tensor/transfer.hpp"

namespace hwgcn {
namespace {

struct GprOptions {
    int hidden = 64;
    double input_dropout = 0.7;
    double hidden_dropout = 0.7;
    int propagations = 5;
    double teleport = 0.2;
};

// Z = sum over s = 0..K of gamma_s P^s H + b_2 with H = drop(relu(drop(X) Theta_1 + b_1)) Theta_2 and learned
// gamma, which begin as personalised PageRank: a (1 - a)^s, the last one (1 - a)^K (Chien et al. 2021). By
// Horner's rule: Z = gamma_0 H + P (gamma_1 H + P (gamma_2 H + ..)).
class Gpr final : public Network {
  public:
    static constexpr bool takes_blocks = true;

    Gpr(const GprOptions& options, NetworkShape shape) : options_(options), shape_(shape) {}

    int steps() const override { return options_.propagations; }

    bool propagates_scores() const override { return true; }

    std::vector<TrainableMatrix> initial_parameters(std::uint64_t seed) const override {
        std::vector<TrainableMatrix> parameters(slot_count);
        parameters[theta1_slot] = glorot("theta1", shape_.features, options_.hidden, true, seed, 1);
        parameters[bias1_slot] = {"bias1", DenseMatrix(1, options_.hidden), false};
        parameters[theta2_slot] = glorot("theta2", options_.hidden, shape_.classes, false, seed, 2);
        parameters[bias2_slot] = {"bias2", DenseMatrix(1, shape_.classes), false};
        parameters[gamma_slot] = {"gamma", DenseMatrix(1, steps() + 1), false};
        std::vector<float> gamma(static_cast<std::size_t>(steps()) + 1);
        double rest = 1.0;
        for (Index s = 0; s < steps(); ++s) {
            gamma[s] = static_cast<float>(options_.teleport * rest);
            rest *= 1.0 - options_.teleport;
        }
        gamma.back() = static_cast<float>(rest);
        upload(gamma, parameters[gamma_slot].value);
        return parameters;
    }

    Variable scores(Pass& pass) const override { return scores_of({&pass, 1}).front(); }

    // The polynomial is by far the most work, and a product with the operator costs the same for one narrow
    // matrix as for two side by side: all passes go through it together.
    std::vector<Variable> scores_of(std::span<Pass> passes) const override {
        Pass& front = passes.front();
        Tape& tape = front.tape();
        const Variable gamma = front.parameter(gamma_slot);  // the same for all
        Parts h;
        for (Pass& pass : passes)
            h.parts.push_back(features_alone(pass));
        h.whole = h.parts.size() == 1 ? h.parts.front() : concatenate(tape, h.parts);
        Variable z = add_multiple(tape, {}, gamma, steps(), h);
        for (Index s = steps() - 1; s >= 0; --s) {
            const Step& step = front.next_step();
            h.whole = at_outputs(tape, step, h.whole);
            for (Variable& part : h.parts)
                part = h.parts.size() == 1 ? h.whole : at_outputs(tape, step, part);
            z = add_multiple(tape, front.propagate(z), gamma, s, h);
        }
        std::vector<Variable> scores;
        for (std::size_t p = 0; p < passes.size(); ++p) {
            const Variable part =
                passes.size() == 1
                    ? z
                    : select_columns(tape, z, static_cast<Index>(p) * shape_.classes, shape_.classes);
            scores.push_back(add_row(tape, part, passes[p].parameter(bias2_slot)));
        }
        return scores;
    }

    std::optional<PropagatedTerms> propagated_terms(Pass& pass) const override {
        PropagatedTerms result{features_alone(pass), {}, pass.parameter(bias2_slot)};
        result.coefficients = download(pass.tape().value(pass.parameter(gamma_slot)));
        return result;
    }

  private:
    enum Parameter : std::size_t { theta1_slot, bias1_slot, theta2_slot, bias2_slot, gamma_slot, slot_count };

    // H of one pass.
    Variable features_alone(Pass& pass) const {
        Tape& tape = pass.tape();
        const Variable h = pass.hidden_features(pass.parameter(theta1_slot), pass.parameter(bias1_slot),
                                                options_.input_dropout, options_.hidden_dropout);
        return multiply(tape, h, pass.parameter(theta2_slot));
    }

    GprOptions options_;
    NetworkShape shape_;
};

std::vector<Parameter<GprOptions>> parameters() {
    using Options = GprOptions;
    return {hidden_parameter<Options>(), input_dropout_parameter<Options>(),
            hidden_dropout_parameter<Options>(), propagations_parameter<Options>(),
            number_parameter("teleport", &Options::teleport, Range<double>{0.0, 1.0}, "SHARE",
                             "a of the first coefficients a (1 - a)^s, which are learned from there")};
}

// On the higher-order operator of four orders, trained for consistency. On Cora and Citeseer a run takes two
// seconds: all weights stay. Elsewhere those are left out that cost more time than they are worth, and on
// Pubmed fewer and larger steps are as good.
std::vector<Setting> published(std::string_view dataset) {
    std::vector<Setting> settings = {{"operator", "higher-order"},
                                     {"order", "4"},
                                     {"orientation", "symmetric"},
                                     {"l2", "0.005"},
                                     {"epochs", "300"},
                                     {"scheme", "consistency"}};
    if (dataset != "cora" && dataset != "citeseer") settings.push_back({"least_share", "0.001"});
    const std::vector<Setting> fewer = {{"epochs", "200"}, {"rate", "0.015"}, {"consistency_ramp", "67"}};
    if (dataset == "pubmed") settings.insert(settings.end(), fewer.begin(), fewer.end());
    return settings;
}

// On the plain graph, for many labels: nothing is dropped from the features, and nothing decays.
std::vector<Setting> published_light(std::string_view) {
    return {{"input_dropout", "0"}, {"hidden_dropout", "0.5"}, {"l2", "0"}, {"epochs", "300"}};
}

}  // namespace

MethodDefinition hwgpr_method() {
    return network_method<Gpr>(
        {"hwgpr", "HWGPR",
         "polynomial propagation over learned higher-order neighbors, trained for consistency"},
        "gpr", parameters(), published);
}

MethodDefinition gpr_method() {
    return network_method<Gpr>(
        {"gpr", "GPR", "polynomial propagation over direct neighbors, lightly regularised"}, "gpr",
        parameters(), published_light);
}

}  // namespace hwgcn
