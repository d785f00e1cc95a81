#include <algorithm>

#include "base/parameter.hpp"
#include "methods/method_definition.hpp"
#include "methods/observed_normalization.hpp"
#include "methods/shared_parameters.hpp"
#include "tensor/transfer.hpp"

namespace hwgcn {
namespace {

struct GrandOptions {
    int hidden = 32;
    double input_dropout = 0.5;
    double hidden_dropout = 0.5;
    int propagations = 3;
    bool normalize = false;
    int node_groups = 8;
    double node_sample = 0.0625;
};

// The features of nodes that a pass keeps are not scaled up, and all are halved in evaluation (Feng et al.
// 2020): the same as features of half the size everywhere.
constexpr float share = 0.5F;
// Passes are compared at no fewer nodes than these.
constexpr Index fewest_sampled = 64;

// Z = drop(relu(drop(Xbar) Theta_1 + b_1)) Theta_2 + b_2 with Xbar = 1/(T+1) sum over t = 0..T of P^t (m o
// X), m dropping whole nodes (Feng et al. 2020); with batch normalisation before both products where wanted.
//
// Where neither dropout nor normalisation stands between P^t and Theta_1, X Theta_1 is propagated: a few
// columns in place of all. So it is in evaluation, which normalises by averages of what passes found.
// In training Xbar itself is needed, at few rows: it is a sum over groups of nodes that were propagated once.
class Grand final : public Network {
  public:
    Grand(const GrandOptions& options, NetworkShape shape) : options_(options), shape_(shape) {}

    int steps() const override { return options_.propagations; }

    std::optional<PropagatedInput> propagated_input() const override {
        if (!is_wide()) return std::nullopt;
        return PropagatedInput{{steps(), share}, options_.node_groups, options_.normalize};
    }

    Index sampled_nodes() const override {
        if (!is_wide()) return 0;
        return std::max(fewest_sampled, static_cast<Index>(options_.node_sample * shape_.nodes));
    }

    std::vector<TrainableMatrix> initial_parameters(std::uint64_t seed) const override {
        std::vector<TrainableMatrix> parameters(options_.normalize ? slot_count : scale1_slot);
        parameters[theta1_slot] = glorot("theta1", shape_.features, options_.hidden, true, seed, 1);
        parameters[bias1_slot] = {"bias1", DenseMatrix(1, options_.hidden), true};
        parameters[theta2_slot] = glorot("theta2", options_.hidden, shape_.classes, true, seed, 2);
        parameters[bias2_slot] = {"bias2", DenseMatrix(1, shape_.classes), true};
        if (!options_.normalize) return parameters;
        parameters[scale1_slot] = {"scale1", DenseMatrix(1, shape_.features), true};
        parameters[offset1_slot] = {"offset1", DenseMatrix(1, shape_.features), true};
        parameters[scale2_slot] = {"scale2", DenseMatrix(1, options_.hidden), true};
        parameters[offset2_slot] = {"offset2", DenseMatrix(1, options_.hidden), true};
        parameters[mean1_slot] = {"mean1", DenseMatrix(1, shape_.features), false};
        parameters[variance1_slot] = {"variance1", DenseMatrix(1, shape_.features), false};
        parameters[mean2_slot] = {"mean2", DenseMatrix(1, options_.hidden), false};
        parameters[variance2_slot] = {"variance2", DenseMatrix(1, options_.hidden), false};
        for (const std::size_t ones : {scale1_slot, scale2_slot, variance1_slot, variance2_slot})
            fill(parameters[ones].value, 1.0F);
        return parameters;
    }

    Variable scores(Pass& pass) const override { return scores_of({&pass, 1}).front(); }

    std::vector<Variable> scores_of(std::span<Pass> passes) const override {
        const bool training = passes.front().is_training();
        const bool known = !training && passes.front().field().propagated != nullptr;
        const std::vector<Variable> hidden = is_wide() && training ? wide_products(passes)
                                             : known               ? known_products(passes)
                                                                   : narrow_products(passes);
        std::vector<Variable> scores;
        for (std::size_t p = 0; p < passes.size(); ++p)
            scores.push_back(second_layer(passes[p], hidden[p]));
        return scores;
    }

  private:
    enum Parameter : std::size_t {
        theta1_slot,
        bias1_slot,
        theta2_slot,
        bias2_slot,
        scale1_slot,
        offset1_slot,
        scale2_slot,
        offset2_slot,
        mean1_slot,  // what passes found, which evaluation normalises by
        variance1_slot,
        mean2_slot,
        variance2_slot,
        slot_count
    };

    // Whether something stands between the propagation and Theta_1 in training.
    bool is_wide() const { return options_.input_dropout > 0 || options_.normalize; }

    static constexpr ObservedNormalization first{scale1_slot, offset1_slot, mean1_slot, variance1_slot};
    static constexpr ObservedNormalization second{scale2_slot, offset2_slot, mean2_slot, variance2_slot};

    // x Theta + b, of normalised x in evaluation: x (factors Theta) + (addends Theta + b).
    struct Layer {
        Variable theta;
        Variable bias;
    };
    Layer layer(Pass& pass, std::size_t theta_slot, const ObservedNormalization& slots) const {
        Tape& tape = pass.tape();
        const Variable theta = pass.parameter(theta_slot);
        const Variable bias = pass.parameter(theta_slot + 1);
        if (!options_.normalize || pass.is_training()) return {theta, bias};
        const FixedNormalization affine = fixed_normalization(pass, slots);
        const Variable shift = multiply(tape, tape.constant(affine.addends), theta);
        return {scale_rows(tape, theta, affine.factors), combine(tape, 1.0F, shift, 1.0F, bias)};
    }

    // Z of Xbar Theta_1 + b_1.
    Variable second_layer(Pass& pass, Variable product) const {
        Tape& tape = pass.tape();
        Variable h = relu(tape, product);
        if (options_.normalize && pass.is_training()) h = normalize_observed(pass, second, h);
        const Layer last = layer(pass, theta2_slot, second);
        h = multiply(tape, pass.dropout(h, options_.hidden_dropout), last.theta);
        return add_row(tape, h, last.bias);
    }

    // drop(Xbar) Theta_1 + b_1
    std::vector<Variable> wide_products(std::span<Pass> passes) const {
        std::vector<Variable> products = Pass::propagated_features(passes);
        for (std::size_t p = 0; p < passes.size(); ++p) {
            Pass& pass = passes[p];
            Tape& tape = pass.tape();
            Variable x = products[p];
            if (options_.normalize) x = normalize_observed(pass, first, x);
            x = multiply(tape, pass.dropout(x, options_.input_dropout), pass.parameter(theta1_slot));
            products[p] = add_row(tape, x, pass.parameter(bias1_slot));
        }
        return products;
    }

    // Xbar Theta_1 + b_1 where Xbar is known at the outputs.
    std::vector<Variable> known_products(std::span<Pass> passes) const {
        std::vector<Variable> products;
        for (Pass& pass : passes) {
            const Layer own = layer(pass, theta1_slot, first);
            const Variable product = multiply(pass.tape(), pass.propagated_outputs(), own.theta);
            products.push_back(add_row(pass.tape(), product, own.bias));
        }
        return products;
    }

    // Xbar Theta_1 + b_1 of all passes, which are propagated side by side.
    std::vector<Variable> narrow_products(std::span<Pass> passes) const {
        Tape& tape = passes.front().tape();
        std::vector<Variable> parts;
        std::vector<Variable> biases;
        for (Pass& pass : passes) {
            const Layer own = layer(pass, theta1_slot, first);
            parts.push_back(pass.features_times(own.theta, 0));
            biases.push_back(own.bias);
        }
        const Variable mean =
            mean_of_powers(passes.front(), parts.size() == 1 ? parts.front() : concatenate(tape, parts));
        std::vector<Variable> products;
        for (std::size_t p = 0; p < passes.size(); ++p) {
            const Variable part =
                passes.size() == 1
                    ? mean
                    : select_columns(tape, mean, static_cast<Index>(p) * options_.hidden, options_.hidden);
            products.push_back(add_row(tape, part, biases[p]));
        }
        return products;
    }

    // By Horner's rule: h + P (h + P (h + ..)), times share / (T + 1).
    Variable mean_of_powers(Pass& pass, Variable h) const {
        Tape& tape = pass.tape();
        Variable sum = h;
        for (int t = 1; t <= steps(); ++t) {
            const float factor = t == steps() ? share / static_cast<float>(steps() + 1) : 1.0F;
            h = at_outputs(tape, pass.next_step(), h);
            sum = combine(tape, factor, pass.propagate(sum), factor, h);
        }
        return sum;
    }

    GrandOptions options_;
    NetworkShape shape_;
};

std::vector<Parameter<GrandOptions>> parameters() {
    using Options = GrandOptions;
    return {
        hidden_parameter<Options>(),
        input_dropout_parameter<Options>(),
        hidden_dropout_parameter<Options>(),
        propagations_parameter<Options>(),
        choice_parameter("normalize", &Options::normalize, {{"on", true}, {"off", false}},
                         "batch normalisation before both layers"),
        number_parameter("node_groups", &Options::node_groups, Range<int>{2, 1024}, "N",
                         "random groups of nodes whose features are dropped together; each takes memory "
                         "for all nodes and features"),
        number_parameter("node_sample", &Options::node_sample, Range<double>{0.0, 1.0}, "SHARE",
                         "share of the nodes, drawn anew in each epoch, at which the passes are compared")};
}

// On the learned operator; orders and powers as measured on the paper's graphs.
std::vector<Setting> recipe(std::string_view dataset, const std::vector<Setting>& own) {
    const bool cora = dataset == "cora";
    const bool citeseer = dataset == "citeseer";
    std::vector<Setting> settings = {
        {"operator", "higher-order"}, {"order", cora ? "2" : "4"},
        {"orientation", "symmetric"}, {"propagations", cora ? "6" : citeseer ? "2" : "3"},
        {"scheme", "consistency"},    {"node_dropout", "0.5"},
        {"epochs", "1500"},           {"patience", "200"}};
    settings.insert(settings.end(), own.begin(), own.end());
    return settings;
}

std::vector<Setting> published(std::string_view dataset) {
    return recipe(dataset, {{"passes", "4"}});
}

// No dropout of features: few columns are propagated.
std::vector<Setting> published_sharp(std::string_view dataset) {
    return recipe(dataset, {{"input_dropout", "0"},
                            {"hidden_dropout", "0.2"},
                            {"consistency_weight", "0.7"},
                            {"sharpening", "0.3"},
                            {"consistency_ramp", "300"}});
}

std::vector<Setting> published_norm(std::string_view dataset) {
    return recipe(dataset, {{"passes", "4"},
                            {"normalize", "on"},
                            {"input_dropout", "0.6"},
                            {"hidden_dropout", "0.8"},
                            {"sharpening", "0.2"},
                            {"rate", "0.2"},
                            {"epochs", "400"},
                            {"patience", "100"}});
}

}  // namespace

MethodDefinition hwgrand_method() {
    return network_method<Grand>(
        {"hwgrand", "HWGRAND", "random propagation over learned higher-order neighbors, then a perceptron"},
        "grand", parameters(), published);
}

MethodDefinition hwgrand_sharp_method() {
    return network_method<Grand>({"hwgrand-sharp", "HWGRAND-sharp",
                                  "the same with two passes, sharper targets and no feature dropout"},
                                 "grand", parameters(), published_sharp);
}

MethodDefinition hwgrand_norm_method() {
    return network_method<Grand>(
        {"hwgrand-norm", "HWGRAND-norm", "the same with batch normalisation and a high learning rate"},
        "grand", parameters(), published_norm);
}

}  // namespace hwgcn
