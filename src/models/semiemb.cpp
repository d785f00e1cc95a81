#include "models/context_pairs.hpp"
#include "models/layered_parameters.hpp"

namespace hwgcn {
namespace {

// The network of mlp.cpp with a penalty on its embedding G, a hidden layer or the scores (Weston et al.
// 2012): lambda ( mean over edges of |g_i - g_j|^2 + mean over other pairs of max(0, m - |g_i - g_j|)^2 ).
class SemiEmb final : public Network {
  public:
    SemiEmb(const NetworkOptions& options, NetworkShape shape) : options_(options), shape_(shape) {}

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

  private:
    void add_embedding_penalty(Pass& pass, Variable embedding) const {
        const CsrMatrix<float>& weights = *pass.take_step().forward.matrix;
        const auto margin = static_cast<float>(options_.embedding_margin);
        const auto factor = static_cast<float>(options_.embedding_weight);
        std::vector<RowPair> others = unconnected_pairs(weights, weights.entries() / 2, pass.draw_stream());
        pass.add_penalty(combine(pass.tape(), factor, neighbor_distance(pass.tape(), weights, embedding),
                                 factor, crowding(pass.tape(), std::move(others), margin, embedding)));
    }

    NetworkOptions options_;
    NetworkShape shape_;
};

}  // namespace

std::unique_ptr<Network> make_semiemb(const NetworkOptions& options, NetworkShape shape) {
    return std::make_unique<SemiEmb>(options, shape);
}

}  // namespace hwgcn
