#include <algorithm>
#include <array>
#include <utility>

#include "base/parameter.hpp"
#include "methods/method_definition.hpp"
#include "methods/networks/context_pairs.hpp"
#include "methods/shared_parameters.hpp"

namespace hwgcn {
namespace {

/// Where the embeddings come from.
enum class PlanetoidKind {
    transductive,  ///< each node has one of its own, which is learned
    inductive,     ///< they are computed from the features
};

struct PlanetoidOptions {
    PlanetoidKind planetoid_kind = PlanetoidKind::transductive;
    int embedding = 50;  // numbers per node
    double input_dropout = 0.5;
    double hidden_dropout = 0.5;  // on embeddings
    int context_walk = 10;
    int context_window = 5;
    int context_pairs = 10;
    double context_weight = 100.0;
};

// Z = [ softmax(drop(X) Theta_x + b_x) | softmax(drop(E) Theta_e + b_e) ] Theta + b (Yang et al. 2016), where
// the embedding E is tanh(drop(X) Theta_h) (inductive) or learned node by node (transductive). In training
// both hidden layers are to predict the class, too, and E is to predict the surroundings of its node: <e_i,
// c_j> is large where j is in the context of i. Numbers that belong to one node would learn a training label
// by heart, so a transductive E learns from contexts alone.
class Planetoid final : public Network {
  public:
    static constexpr bool needs_processor = true;  // pairs of rows

    Planetoid(const PlanetoidOptions& options, NetworkShape shape) : options_(options), shape_(shape) {}

    int steps() const override { return 1; }

    bool needs_all_nodes() const override { return true; }

    std::vector<TrainableMatrix> initial_parameters(std::uint64_t seed) const override {
        const Index classes = shape_.classes;
        std::vector<TrainableMatrix> parameters(slot_count);
        const auto add = [&](Parameter which, std::string name, Index rows, Index columns, bool decays) {
            parameters[which] = glorot(std::move(name), rows, columns, decays, seed, 1 + which);
        };
        add(feature_theta, "theta_x", shape_.features, classes, true);
        add(embedding_theta, "theta_e", options_.embedding, classes, true);
        add(theta_slot, "theta", 2 * classes, classes, false);
        for (const auto& [which, name] :
             {std::pair(feature_bias, "b_x"), std::pair(embedding_bias, "b_e"), std::pair(bias, "b")})
            parameters[which] = {name, DenseMatrix(1, classes), false};
        if (is_inductive())
            add(embedding_slot, "theta_h", shape_.features, options_.embedding, true);
        else
            add(embedding_slot, "embedding", shape_.nodes, options_.embedding, false);
        add(context_slot, "context", shape_.nodes, options_.embedding, false);
        return parameters;
    }

    Variable scores(Pass& pass) const override {
        Tape& tape = pass.tape();
        const Variable embedding = embed(pass);
        const Variable by_features =
            add_row(tape, pass.features_times(pass.parameter(feature_theta), options_.input_dropout),
                    pass.parameter(feature_bias));
        const Variable by_embedding = classify(pass, is_inductive() ? embedding : fixed(tape, embedding));
        if (pass.is_training()) {
            add_layer_losses(pass, {by_features, by_embedding});
            add_context_losses(pass, embedding);
        }
        const Variable both =
            concatenate(tape, std::array{softmax(tape, by_features), softmax(tape, by_embedding)});
        return add_row(tape, multiply(tape, both, pass.parameter(theta_slot)), pass.parameter(bias));
    }

    // Once it is trained, a node speaks for itself alone.
    std::optional<PropagatedTerms> propagated_terms(Pass& pass) const override {
        return PropagatedTerms{scores(pass), {1.0F}};
    }

  private:
    enum Parameter : std::size_t {
        feature_theta,
        feature_bias,
        embedding_theta,
        embedding_bias,
        theta_slot,
        bias,
        embedding_slot,
        context_slot,
        slot_count
    };

    bool is_inductive() const { return options_.planetoid_kind == PlanetoidKind::inductive; }

    Variable embed(Pass& pass) const {
        const Variable parameter = pass.parameter(embedding_slot);
        if (!is_inductive()) return at_outputs(pass.tape(), pass.next_step(), parameter);
        return tanh(pass.tape(), pass.features_times(parameter, options_.input_dropout));
    }

    Variable classify(Pass& pass, Variable embedding) const {
        const Variable kept = pass.dropout(embedding, options_.hidden_dropout);
        return add_row(pass.tape(), multiply(pass.tape(), kept, pass.parameter(embedding_theta)),
                       pass.parameter(embedding_bias));
    }

    // The same numbers without a way back to what they came from.
    static Variable fixed(Tape& tape, Variable x) { return tape.constant(tape.value(x), tape.nodes(x)); }

    static void add_layer_losses(Pass& pass, std::array<Variable, 2> layers) {
        const LearnedLabels& known = pass.labels();
        if (known.rows.empty()) return;
        for (const Variable layer : layers) {
            const Variable at_known = select_rows(pass.tape(), layer, known.rows);
            pass.add_penalty(cross_entropy(pass.tape(), at_known, known.labels, known.weights));
        }
    }

    // The pairs of labels move the contexts alone, which carry the class to the nodes that walks bring there.
    // Both kinds of pairs weigh the same.
    void add_context_losses(Pass& pass, Variable embedding) const {
        Tape& tape = pass.tape();
        const WalkOptions walks{options_.context_walk, options_.context_window, options_.context_pairs};
        const CsrMatrix<float>& weights = *pass.take_step().forward.matrix;
        std::vector<ContextPair> near = walk_contexts(weights, walks, pass.draw_stream(), tape.control());
        std::vector<ContextPair> alike = label_contexts(pass.labels(), walks.pairs, pass.draw_stream());
        const double pairs = std::max(1.0, static_cast<double>(near.size()));
        const auto factor = static_cast<float>(options_.context_weight / pairs);
        const Variable context = pass.parameter(context_slot);
        const Variable walk_loss = context_loss(tape, std::move(near), embedding, context);
        const Variable label_loss = context_loss(tape, std::move(alike), fixed(tape, embedding), context);
        pass.add_penalty(combine(tape, factor, walk_loss, factor, label_loss));
    }

    PlanetoidOptions options_;
    NetworkShape shape_;
};

std::vector<Parameter<PlanetoidOptions>> parameters() {
    using Options = PlanetoidOptions;
    const Range<int> count{1, 10000};
    return {
        choice_parameter(
            "planetoid_kind", &Options::planetoid_kind,
            {{"transductive", PlanetoidKind::transductive}, {"inductive", PlanetoidKind::inductive}},
            "embeddings that are learned node by node, or computed from the features"),
        number_parameter("embedding", &Options::embedding, Range<int>{1, 4096}, "N",
                         "numbers of an embedding"),
        input_dropout_parameter<Options>(),
        number_parameter("hidden_dropout", &Options::hidden_dropout, Range<double>{0.0, 0.99}, "RATE",
                         "share of the numbers of an embedding dropped in training"),
        number_parameter("context_walk", &Options::context_walk, count, "N", "steps of a random walk"),
        number_parameter("context_window", &Options::context_window, count, "N",
                         "steps of a walk between a node and its context, at most"),
        number_parameter("context_pairs", &Options::context_pairs, count, "N",
                         "pairs drawn from the walk of each node in an epoch"),
        number_parameter("context_weight", &Options::context_weight, Range<double>{0.0, 1e6}, "X",
                         "weight of predicting the context"),
    };
}

// Yang et al. 2016: the better kind of theirs for each dataset. Embeddings of single nodes need longer.
std::vector<Setting> published(std::string_view dataset) {
    const bool inductive = dataset == "citeseer" || dataset == "pubmed";
    return {{"planetoid_kind", inductive ? "inductive" : "transductive"},
            {"hidden_dropout", inductive ? "0.5" : "0.8"},
            {"epochs", inductive ? "200" : "400"}};
}

}  // namespace

MethodDefinition planetoid_method() {
    return network_method<Planetoid>({.name = "planetoid",
                                      .title = "Planetoid",
                                      .description = "embeddings that predict class and context",
                                      .takes_weights = true},
                                     "planetoid", parameters(), published);
}

}  // namespace hwgcn
