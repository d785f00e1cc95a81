#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/parameter.hpp"
#include "methods/embedding/skip_gram.hpp"
#include "methods/linear/logistic_regression.hpp"
#include "methods/method_definition.hpp"
#include "methods/shared_parameters.hpp"

namespace hwgcn {
namespace {

// What the classifier sees: all vectors, scaled to length 1.
CsrMatrix<float> directions(const DenseMatrix& vectors) {
    return unit_rows(sparse_rows(vectors, all_indices(vectors.rows())));
}

class DeepWalk final : public ClassicMethod {
  public:
    explicit DeepWalk(DeepWalkOptions options) : options_(std::move(options)) {}

    std::vector<TrainableMatrix> empty_parameters(NetworkShape shape) const override {
        return {{"embedding", DenseMatrix(shape.nodes, options_.dimensions)},
                {"theta", DenseMatrix(options_.dimensions + 1, shape.classes)}};
    }

    WalkCost walk_cost(Index nodes) const override {
        const bool sampling = options_.objective == SkipGramObjective::negative_sampling;
        const double others = sampling ? options_.negatives : std::log2(static_cast<double>(nodes) + 1);
        const double work = static_cast<double>(nodes) * options_.walks * options_.walk_length *
                            (options_.window + 1.0) * (others + 1) * options_.dimensions;
        return {work, options_.dimensions};
    }

    std::shared_ptr<const Groundwork> lay_groundwork(const ClassicGraph& graph, std::uint64_t seed,
                                                     const ExecutionControl& control) const override {
        WalkEmbedding embedding = embed_by_walks(graph.weights, options_, seed, control);
        std::string summary =
            fmt::format("{} walks of {} nodes from each of {} nodes, {:.1f} million pairs", options_.walks,
                        options_.walk_length, embedding.walked, static_cast<double>(embedding.pairs) / 1e6);
        return std::make_shared<const Groundwork>(
            Groundwork{std::move(embedding.vectors), std::move(summary)});
    }

    ClassicModel learn(const ClassicGraph& graph, const KnownLabels& known, std::uint64_t seed,
                       const ExecutionControl& control) const override {
        std::shared_ptr<const Groundwork> laid_here;
        if (graph.groundwork == nullptr) laid_here = lay_groundwork(graph, seed, control);
        const Groundwork& groundwork = laid_here ? *laid_here : *graph.groundwork;
        Choice choice = best_classifier(directions(groundwork.vectors), known, graph.classes, control);
        ClassicModel model;
        if (!choice.classifier.converged) model.notes.push_back(note_of(choice.classifier));
        model.summary = fmt::format("{}; classifier l2 {}.", groundwork.summary, choice.l2);
        model.parameters = {{"embedding", groundwork.vectors}, {"theta", std::move(choice.classifier.theta)}};
        return model;
    }

    DenseMatrix probabilities(const ClassicGraph&, std::span<const TrainableMatrix> parameters,
                              const ExecutionControl& control) const override {
        return classify(directions(parameters[0].value), parameters[1].value, control);
    }

  private:
    struct Choice {
        LinearClassifier classifier;
        double l2 = 0;
        double accuracy = -1;
    };

    Choice best_classifier(const CsrMatrix<float>& rows, const KnownLabels& known, Index classes,
                           const ExecutionControl& control) const {
        const CsrMatrix<float> train = sparse_rows(rows, known.train.nodes);
        Choice best;
        for (const double l2 : options_.classifier_l2) {
            LinearClassifier fitted =
                fit_logistic_regression({train, known.train.labels, classes}, l2, control);
            if (known.validation.nodes.empty()) return {std::move(fitted), l2};
            const double share = accuracy(linear_scores(rows, fitted.theta, control), known.validation);
            if (share > best.accuracy) best = {std::move(fitted), l2, share};
        }
        return best;
    }

    DeepWalkOptions options_;
};

std::vector<Parameter<DeepWalkOptions>> parameters() {
    using Options = DeepWalkOptions;
    return {
        number_parameter("walks", &Options::walks, Range<int>{1, 100000}, "N", "walks from every node"),
        number_parameter("walk_length", &Options::walk_length, Range<int>{2, 10000}, "N", "nodes of a walk"),
        number_parameter("window", &Options::window, Range<int>{1, 100}, "N",
                         "how far apart in a walk two nodes are each other's context, at most"),
        number_parameter("dimensions", &Options::dimensions, Range<int>{1, 4096}, "N", "numbers per node"),
        choice_parameter("skip_gram", &Options::objective,
                         {{"negative-sampling", SkipGramObjective::negative_sampling},
                          {"hierarchical-softmax", SkipGramObjective::hierarchical_softmax}},
                         "how the context of a node is told from other nodes"),
        number_parameter("negatives", &Options::negatives, Range<int>{1, 1000}, "N",
                         "nodes drawn against every pair of the walks")
            .only_with("skip_gram", "negative-sampling"),
        number_parameter("walk_rate", &Options::walk_rate, Range<double>{0.0, 10.0, true}, "RATE",
                         "learning rate at the start; it falls evenly to nothing"),
        classifier_l2_parameter<Options>(),
    };
}

}  // namespace

MethodDefinition deepwalk_method() {
    return classic_method<DeepWalk>(
        {.name = "deepwalk",
         .title = "DeepWalk",
         .description = "skip-gram embeddings of random walks, then logistic regression",
         .uses_features = false,
         .takes_weights = true,
         .knows_nodes = true},
        parameters());
}

}  // namespace hwgcn
