#include <string>
#include <utility>

#include "base/parameter.hpp"
#include "methods/method_definition.hpp"
#include "methods/observed_normalization.hpp"
#include "methods/shared_parameters.hpp"
#include "operators/propagation.hpp"
#include "tensor/transfer.hpp"

namespace hwgcn {
namespace {

enum class Norm { batch, layer, none };

struct DeepOptions {
    int layers = 12;
    int hidden = 64;  // a multiple of 16
    Norm norm = Norm::batch;
    Neighbors neighbors = Neighbors::symmetric;  // read where the operator is made (models)
    double input_dropout = 0.0;
    double hidden_dropout = 0.2;
};

// As Luo et al. (2024) train graph convolutions:
//   x <- drop(relu(norm(x A + P x B + b)))        for each layer, the first one from drop(X)
//   Z = x W + b
// I and P are operators side by side, P being one operator, those of both directions or those of the rings,
// too; [ A ; B ; .. ] is a single matrix. Batch normalisation takes means over all nodes, which take b away
// again: it has none. Evaluation normalises by averages of what training passes found.
class DeepGcn final : public Network {
  public:
    DeepGcn(const DeepOptions& options, NetworkShape shape) : options_(options), shape_(shape) {}

    int steps() const override { return options_.layers; }

    bool needs_all_nodes() const override { return options_.norm == Norm::batch; }

    std::vector<TrainableMatrix> initial_parameters(std::uint64_t seed) const override {
        const Index hidden = options_.hidden;
        const Index blocks = shape_.blocks;
        std::vector<TrainableMatrix> all;
        const auto add_row = [&](const std::string& name, Index columns, float value, bool decays = true) {
            all.push_back({name, DenseMatrix(1, columns), decays});
            fill(all.back().value, value);
        };
        for (int layer = 1; layer <= options_.layers; ++layer) {
            const std::string name = "layer" + std::to_string(layer);
            const Index rows = layer == 1 ? shape_.features : blocks * hidden;
            const Index columns = layer == 1 ? blocks * hidden : hidden;
            all.push_back(glorot(name, rows, columns, true, seed, static_cast<std::uint64_t>(layer)));
            add_row(name + "_offset", hidden, 0.0F);
            if (options_.norm == Norm::none) continue;
            add_row(name + "_scale", hidden, 1.0F);
            if (options_.norm == Norm::layer) {
                add_row(name + "_bias", hidden, 0.0F);
            } else {
                add_row(name + "_mean", hidden, 0.0F, false);
                add_row(name + "_variance", hidden, 1.0F, false);
            }
        }
        const auto last = static_cast<std::uint64_t>(options_.layers) + 1;
        all.push_back(glorot("output", hidden, shape_.classes, true, seed, last));
        add_row("output_bias", shape_.classes, 0.0F);
        return all;
    }

    Variable scores(Pass& pass) const override {
        Tape& tape = pass.tape();
        std::size_t first = 0;
        Variable x = first_products(pass);
        for (int layer = 1; layer <= options_.layers; ++layer, first += slots()) {
            if (layer > 1) x = multiply(tape, pass.propagate(x), pass.parameter(first + weights));
            x = pass.dropout(relu(tape, normalized(pass, x, first)), options_.hidden_dropout);
        }
        return add_row(tape, multiply(tape, x, pass.parameter(first)), pass.parameter(first + 1));
    }

  private:
    // The parameters of a layer in their order: without normalisation the first two, the last two of each
    // kind of it after these.
    enum Slot : std::size_t { weights, offset, scale, bias, mean = bias, variance };

    std::size_t slots() const {
        return options_.norm == Norm::none ? scale : options_.norm == Norm::layer ? bias + 1 : variance + 1;
    }

    // X A + P X B. The matrices of the first layer lie side by side, [ A | B | .. ], because few features are
    // stored: products with them come first. Of [ I X A | I X B | .. | P X A | P X B | .. ] two are wanted.
    Variable first_products(Pass& pass) const {
        Tape& tape = pass.tape();
        const Variable all =
            pass.propagate(pass.features_times(pass.parameter(weights), options_.input_dropout));
        const Index hidden = options_.hidden;
        Variable sum = all;
        for (Index block = 0; shape_.blocks > 1 && block < shape_.blocks; ++block) {
            const Variable own = select_columns(tape, all, block * (shape_.blocks + 1) * hidden, hidden);
            sum = block == 0 ? own : combine(tape, 1.0F, sum, 1.0F, own);
        }
        return sum;
    }

    Variable normalized(Pass& pass, Variable x, std::size_t first) const {
        Tape& tape = pass.tape();
        const Variable shift = pass.parameter(first + offset);
        if (options_.norm == Norm::none) return add_row(tape, x, shift);
        if (options_.norm == Norm::layer) {
            x = add_row(tape, x, pass.parameter(first + bias));
            return layer_normalize(tape, x, pass.parameter(first + scale), shift);
        }
        const ObservedNormalization observed{first + scale, first + offset, first + mean, first + variance};
        if (pass.is_training()) return normalize_observed(pass, observed, x);
        const FixedNormalization fixed = fixed_normalization(pass, observed);
        return add_row(tape, scale_columns(tape, x, fixed.factors), tape.constant(fixed.addends));
    }

    DeepOptions options_;
    NetworkShape shape_;
};

std::vector<Parameter<DeepOptions>> parameters() {
    using Options = DeepOptions;
    return {
        layers_parameter<Options>(),
        units_parameter<Options>(),
        choice_parameter("norm", &Options::norm,
                         {{"batch", Norm::batch}, {"layer", Norm::layer}, {"none", Norm::none}},
                         "normalisation of each layer: of its columns over all nodes (batch), of its rows "
                         "(layer) or none"),
        choice_parameter("neighbors", &Options::neighbors,
                         {{"symmetric", Neighbors::symmetric}, {"mean", Neighbors::mean}},
                         "what a node gets from its neighbors: their sum as graph convolutions weigh it, "
                         "which grows with their number, or their mean"),
        input_dropout_parameter<Options>(),
        hidden_dropout_parameter<Options>()};
}

std::vector<Setting> published_deep(std::string_view) {
    return {{"rate", "0.01"}, {"l2", "0"}, {"epochs", "400"}, {"rate_decay", "cosine"}, {"order", "2"}};
}

std::vector<Setting> published_wide(std::string_view) {
    return {{"layers", "4"},  {"hidden", "256"}, {"hidden_dropout", "0.7"},
            {"rate", "0.01"}, {"l2", "0.0005"},  {"epochs", "400"},
            {"order", "2"}};
}

std::vector<Setting> published_layer(std::string_view) {
    return {{"layers", "3"},   {"hidden", "256"}, {"norm", "layer"}, {"hidden_dropout", "0.5"},
            {"rate", "0.001"}, {"l2", "5e-05"},   {"epochs", "800"}, {"order", "2"}};
}

MethodDefinition declared(MethodInfo info, Published published) {
    info.separate_operators = true;
    info.takes_given_features = true;
    return network_method<DeepGcn>(std::move(info), "deep-gcn", parameters(), published);
}

}  // namespace

MethodDefinition deep_gcn_method() {
    return declared({"deep-gcn", "Deep GCN", "twelve graph convolutions with batch normalisation"},
                    published_deep);
}

MethodDefinition wide_gcn_method() {
    return declared({"wide-gcn", "Wide GCN", "the same with four wide layers and heavy dropout"},
                    published_wide);
}

MethodDefinition layer_gcn_method() {
    return declared({"layer-gcn", "Layer GCN", "the same with three wide layers and layer normalisation"},
                    published_layer);
}

}  // namespace hwgcn
