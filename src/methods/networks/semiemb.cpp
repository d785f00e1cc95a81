#include "base/parameter.hpp"
#include "methods/layered_parameters.hpp"
#include "methods/method_definition.hpp"
#include "methods/networks/context_pairs.hpp"
#include "methods/shared_parameters.hpp"

namespace hwgcn {
namespace {

/// What the penalty on embeddings looks at.
enum class EmbeddingLayer { hidden, output };

struct SemiEmbOptions {
    int layers = 2;
    int hidden = 16;
    double input_dropout = 0.5;
    double hidden_dropout = 0.5;
    EmbeddingLayer embedding_layer = EmbeddingLayer::hidden;
    double embedding_weight = 10.0;
    double embedding_margin = 1.0;
};

// The network of mlp.cpp with a penalty on its embedding G, a hidden layer or the scores (Weston et al.
// 2012): lambda ( mean over edges of |g_i - g_j|^2 + mean over other pairs of max(0, m - |g_i - g_j|)^2 ).
class SemiEmb final : public Network {
  public:
    static constexpr bool needs_processor = true;  // pairs of rows

    SemiEmb(const SemiEmbOptions& options, NetworkShape shape) : options_(options), shape_(shape) {}

    int steps() const override { return 1; }

    bool needs_all_nodes() const override { return true; }

    std::vector<TrainableMatrix> initial_parameters(std::uint64_t seed) const override {
        return layered_parameters(options_.layers, options_.hidden, shape_, seed);
    }

    Variable scores(Pass& pass) const override {
        Variable h = pass.features_times(pass.parameter(0), options_.input_dropout);
        Variable embedding = h;
        for (int layer = 1; layer < options_.layers; ++layer) {
            embedding = relu(pass.tape(), h);
            h = pass.dropout(embedding, options_.hidden_dropout);
            h = multiply(pass.tape(), h, pass.parameter(static_cast<std::size_t>(layer)));
        }
        if (options_.embedding_layer == EmbeddingLayer::output) embedding = h;
        if (pass.is_training()) add_embedding_penalty(pass, embedding);
        return h;
    }

    // Once it is trained, a node speaks for itself alone.
    std::optional<PropagatedTerms> propagated_terms(Pass& pass) const override {
        return PropagatedTerms{scores(pass), {1.0F}};
    }

  private:
    void add_embedding_penalty(Pass& pass, Variable embedding) const {
        const CsrMatrix<float>& weights = *pass.take_step().forward.matrix;
        const auto margin = static_cast<float>(options_.embedding_margin);
        const auto factor = static_cast<float>(options_.embedding_weight);
        std::vector<RowPair> others = unconnected_pairs(weights, weights.entries() / 2, pass.draw_stream());
        pass.add_penalty(combine(pass.tape(), factor, neighbor_distance(pass.tape(), weights, embedding),
                                 factor, crowding(pass.tape(), std::move(others), margin, embedding)));
    }

    SemiEmbOptions options_;
    NetworkShape shape_;
};

std::vector<Parameter<SemiEmbOptions>> parameters() {
    using Options = SemiEmbOptions;
    const Range<double> weight{0.0, 1e6};
    return {
        layers_parameter<Options>(),
        hidden_parameter<Options>(),
        input_dropout_parameter<Options>(),
        hidden_dropout_parameter<Options>(),
        choice_parameter("embedding_layer", &Options::embedding_layer,
                         {{"hidden", EmbeddingLayer::hidden}, {"output", EmbeddingLayer::output}},
                         "what is to be close for neighbors, the last hidden layer or the scores"),
        number_parameter("embedding_weight", &Options::embedding_weight, weight, "X",
                         "weight of the penalty on embeddings"),
        number_parameter("embedding_margin", &Options::embedding_margin, weight, "X",
                         "distance that nodes without an edge are to have"),
    };
}

// An MLP, which learns more slowly with the penalty.
std::vector<Setting> published(std::string_view) {
    return {{"epochs", "400"}};
}

}  // namespace

MethodDefinition semiemb_method() {
    return network_method<SemiEmb>({.name = "semiemb",
                                    .title = "SemiEmb",
                                    .description = "an MLP whose embeddings are close for neighbors",
                                    .takes_weights = true},
                                   "semiemb", parameters(), published);
}

}  // namespace hwgcn
