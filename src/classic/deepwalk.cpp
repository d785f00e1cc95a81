#include <utility>

#include <fmt/format.h>

#include "classic/classic_method.hpp"
#include "classic/logistic_regression.hpp"
#include "classic/skip_gram.hpp"

namespace hwgcn {
namespace {

// What the classifier sees: all vectors, scaled to length 1.
CsrMatrix<float> directions(const DenseMatrix& vectors) {
    return unit_rows(sparse_rows(vectors, all_indices(vectors.rows())));
}

class DeepWalk final : public ClassicMethod {
  public:
    explicit DeepWalk(ClassicOptions options) : options_(std::move(options)) {}

    std::vector<TrainableMatrix> empty_parameters(NetworkShape shape) const override {
        return {{"embedding", DenseMatrix(shape.nodes, options_.dimensions)},
                {"theta", DenseMatrix(options_.dimensions + 1, shape.classes)}};
    }

    ClassicModel learn(const ClassicGraph& graph, const KnownLabels& known, std::uint64_t seed,
                       const ExecutionControl& control) const override {
        WalkEmbedding embedding = embed_by_walks(graph.weights, options_, seed, control);
        Choice choice = best_classifier(directions(embedding.vectors), known, graph.classes, control);
        ClassicModel model;
        if (!choice.classifier.converged) model.notes.push_back(note_of(choice.classifier));
        model.summary =
            fmt::format("{} walks of {} nodes from each of {} nodes, {:.1f} million pairs; classifier l2 {}.",
                        options_.walks, options_.walk_length, embedding.walked,
                        static_cast<double>(embedding.pairs) / 1e6, choice.l2);
        model.parameters = {{"embedding", std::move(embedding.vectors)},
                            {"theta", std::move(choice.classifier.theta)}};
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

    ClassicOptions options_;
};

}  // namespace

std::unique_ptr<ClassicMethod> make_deepwalk(const ClassicOptions& options) {
    return std::make_unique<DeepWalk>(options);
}

}  // namespace hwgcn
