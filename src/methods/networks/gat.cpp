#include <utility>

#include "autodiff/attention.hpp"
#include "base/parameter.hpp"
#include "methods/method_definition.hpp"
#include "methods/shared_parameters.hpp"
#include "tensor/rows.hpp"

namespace hwgcn {
namespace {

struct GatOptions {
    int layers = 2;
    int hidden = 8;
    int heads = 8;
    int output_heads = 1;
    double input_dropout = 0.6;
    double hidden_dropout = 0.6;
    double attention_dropout = 0.6;
};

// A matrix of its own for every head, with the heads of a unit side by side.
TrainableMatrix glorot_heads(std::string name, Index rows, Index units, Index heads, std::uint64_t seed,
                             std::uint64_t stream) {
    TrainableMatrix all{std::move(name), DenseMatrix(rows, units * heads), true};
    for (Index head = 0; head < heads; ++head) {
        const TrainableMatrix own = glorot({}, rows, units, true, seed, stream + head);
        for (Index unit = 0; unit < units; ++unit)
            copy_columns(own.value, unit, 1, all.value, unit * heads + head, Write::replace);
    }
    return all;
}

// One layer, per head: h_i <- sum_j a_ij drop(g_j) + bias with g = drop(h) Theta and a_i the softmax over the
// entries j of the operator's row i of leaky(self . g_i + neighbor . g_j), dropped in its turn (Velickovic
// et al. 2018). Hidden layers keep their heads apart, through an ELU; the last one takes their mean. The
// operator's values play no part, only where it has entries.
class Gat final : public Network {
  public:
    Gat(const GatOptions& options, NetworkShape shape) : options_(options), shape_(shape) {}

    int steps() const override { return options_.layers; }

    std::vector<TrainableMatrix> initial_parameters(std::uint64_t seed) const override {
        std::vector<TrainableMatrix> parameters;
        Index inputs = shape_.features;
        for (int layer = 1; layer <= options_.layers; ++layer) {
            add_layer(parameters, layer, inputs, seed);
            inputs = units(layer) * heads(layer);
        }
        return parameters;
    }

    Variable scores(Pass& pass) const override {
        Variable h = pass.features_times(pass.parameter(0), options_.input_dropout);
        h = attention(pass, 1, h, options_.input_dropout);
        for (int layer = 2; layer <= options_.layers; ++layer) {
            h = pass.dropout(elu(pass.tape(), h), options_.hidden_dropout);
            h = multiply(pass.tape(), h, parameter(pass, layer, theta_slot));
            h = attention(pass, layer, h, options_.hidden_dropout);
        }
        return h;
    }

  private:
    // The parameters of a layer, in this order.
    enum Kind : std::size_t { theta_slot, self_slot, neighbor_slot, bias_slot, kinds };

    bool is_last(int layer) const { return layer == options_.layers; }
    Index heads(int layer) const { return is_last(layer) ? options_.output_heads : options_.heads; }
    Index units(int layer) const { return is_last(layer) ? shape_.classes : options_.hidden; }

    static Variable parameter(const Pass& pass, int layer, Kind kind) {
        return pass.parameter(static_cast<std::size_t>(layer - 1) * kinds + kind);
    }

    // Everything after g = drop(h) Theta.
    Variable attention(Pass& pass, int layer, Variable g, double dropout_rate) const {
        Tape& tape = pass.tape();
        const Index count = heads(layer);
        const Variable vectors = attention_matrix(tape, parameter(pass, layer, self_slot),
                                                  parameter(pass, layer, neighbor_slot), count);
        const Variable logits = multiply(tape, g, vectors);
        const std::size_t bits = static_cast<std::size_t>(pass.field().operator_entries) * row_stride(count);
        const std::optional<DropMask> mask = pass.draw(bits, options_.attention_dropout);
        Variable h = attend(tape, pass.take_step(), count, logits, pass.dropout(g, dropout_rate),
                            mask ? &*mask : nullptr);
        if (is_last(layer) && count > 1) h = mean_of_heads(tape, h, count);
        return add_row(tape, h, parameter(pass, layer, bias_slot));
    }

    void add_layer(std::vector<TrainableMatrix>& parameters, int layer, Index inputs,
                   std::uint64_t seed) const {
        const std::string number = std::to_string(layer);
        const auto stream = [&](Kind kind) { return static_cast<std::uint64_t>(layer) << 16 | kind << 8; };
        const Index count = heads(layer);
        const Index own = units(layer);
        parameters.push_back(glorot_heads("theta" + number, inputs, own, count, seed, stream(theta_slot)));
        parameters.push_back(glorot_heads("self" + number, 1, own, count, seed, stream(self_slot)));
        parameters.push_back(glorot_heads("neighbor" + number, 1, own, count, seed, stream(neighbor_slot)));
        parameters.push_back({"bias" + number, DenseMatrix(1, is_last(layer) ? own : own * count), false});
    }

    GatOptions options_;
    NetworkShape shape_;
};

std::vector<Parameter<GatOptions>> parameters() {
    using Options = GatOptions;
    return {
        layers_parameter<Options>(),
        number_parameter("hidden", &Options::hidden, Range<int>{1, 4096}, "N",
                         "units of each head of a hidden layer"),
        number_parameter("heads", &Options::heads, Range<int>{1, 64}, "N", "attention heads"),
        number_parameter("output_heads", &Options::output_heads, Range<int>{1, 64}, "N",
                         "heads of the last layer, averaged"),
        input_dropout_parameter<Options>(),
        hidden_dropout_parameter<Options>(),
        number_parameter("attention_dropout", &Options::attention_dropout, Range<double>{0.0, 0.99}, "RATE",
                         "share of the attention coefficients dropped in training"),
    };
}

// Velickovic et al. 2018.
std::vector<Setting> published(std::string_view dataset) {
    const bool pubmed = dataset == "pubmed";
    return {{"output_heads", pubmed ? "8" : "1"},
            {"epochs", "1000"},
            {"rate", pubmed ? "0.01" : "0.005"},
            {"l2", pubmed ? "0.001" : "0.0005"},
            {"patience", "100"}};
}

}  // namespace

MethodDefinition gat_method() {
    return network_method<Gat>({.name = "gat",
                                .title = "GAT",
                                .description = "graph attention over direct neighbors",
                                .uses_edge_weights = false},
                               "gat", parameters(), published);
}

}  // namespace hwgcn
