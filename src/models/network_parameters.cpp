#include "hwgcn/models/network_options.hpp"

namespace hwgcn {

const std::vector<Parameter<NetworkOptions>>& network_parameters() {
    using Options = NetworkOptions;
    const Range<double> rate{0.0, 0.99};
    static const std::vector<Parameter<Options>> table = {
        number_parameter("layers", &Options::layers, Range<int>{1, 16}, "N", "layers of the network"),
        number_parameter("hidden", &Options::hidden, Range<int>{1, 4096}, "N",
                         "units of a hidden layer; GAT: of each head"),
        number_parameter("input_dropout", &Options::input_dropout, rate, "RATE",
                         "share of the features dropped in training"),
        number_parameter("hidden_dropout", &Options::hidden_dropout, rate, "RATE",
                         "share of the hidden units dropped in training"),
        number_parameter("heads", &Options::heads, Range<int>{1, 64}, "N", "GAT: attention heads"),
        number_parameter("output_heads", &Options::output_heads, Range<int>{1, 64}, "N",
                         "GAT: heads of the last layer, averaged"),
        number_parameter("attention_dropout", &Options::attention_dropout, rate, "RATE",
                         "GAT: share of the attention coefficients dropped in training"),
        list_parameter("power_units", &Options::power_units, Range<int>{1, 4096}, "N,N,..",
                       "MixHop: hidden units for the powers 0, 1, 2, .. of the operator"),
        number_parameter("propagations", &Options::propagations, Range<int>{1, 64}, "N",
                         "SGC, APPNP and GPR: multiplications with the operator"),
        number_parameter("teleport", &Options::teleport, Range<double>{0.0, 1.0}, "SHARE",
                         "APPNP: share of a node's own prediction in each multiplication; GPR: at the start"),
        choice_parameter("embedding_layer", &Options::embedding_layer,
                         {{"hidden", EmbeddingLayer::hidden}, {"output", EmbeddingLayer::output}},
                         "SemiEmb: what is to be close for neighbours, the last hidden layer or the scores"),
        number_parameter("embedding_weight", &Options::embedding_weight, Range<double>{0.0, 1e6}, "X",
                         "SemiEmb: weight of the penalty on embeddings"),
        number_parameter("embedding_margin", &Options::embedding_margin, Range<double>{0.0, 1e6}, "X",
                         "SemiEmb: distance that nodes without an edge are to have"),
        choice_parameter(
            "planetoid_kind", &Options::planetoid_kind,
            {{"transductive", PlanetoidKind::transductive}, {"inductive", PlanetoidKind::inductive}},
            "Planetoid: embeddings that are learned node by node, or computed from the features"),
        number_parameter("embedding", &Options::embedding, Range<int>{1, 4096}, "N",
                         "Planetoid: numbers of an embedding"),
        number_parameter("context_walk", &Options::context_walk, Range<int>{1, 10000}, "N",
                         "Planetoid: steps of a random walk"),
        number_parameter("context_window", &Options::context_window, Range<int>{1, 10000}, "N",
                         "Planetoid: steps of a walk between a node and its context, at most"),
        number_parameter("context_pairs", &Options::context_pairs, Range<int>{1, 10000}, "N",
                         "Planetoid: pairs drawn from the walk of each node in an epoch"),
        number_parameter("context_weight", &Options::context_weight, Range<double>{0.0, 1e6}, "X",
                         "Planetoid: weight of predicting the context"),
    };
    return table;
}

}  // namespace hwgcn
