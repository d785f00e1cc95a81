#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/parameter.hpp"
#include "base/random_stream.hpp"
#include "base/stopping.hpp"
#include "methods/linear/logistic_regression.hpp"
#include "methods/method_definition.hpp"
#include "methods/shared_parameters.hpp"

namespace hwgcn {
namespace {

enum class NeighborCounts {
    chosen,  // whichever does better on the validation nodes
    count,   // neighbors of each class
    share,   // the same divided by their sum
};

struct IcaOptions {
    int sweeps = 10;
    NeighborCounts counts = NeighborCounts::chosen;
    std::vector<double> classifier_l2 = {1e-3, 1e-4, 1e-2, 1e-1};  // loss + l2/2 |Theta|^2
};

using Classes = std::vector<Index>;  // of every node

// What ICA is after the choice between candidates.
struct Candidate {
    double l2 = 0;
    bool shares = false;
    DenseMatrix theta;             // columns of the features, classes of the neighbors, bias; x classes
    DenseMatrix neighbor_classes;  // nodes x classes
    int sweeps = 0;                // that changed something
    double accuracy = -1;          // on the validation nodes
    std::string note = {};
};

// The weights of a node's neighbors by class, or the same divided by their sum.
void count_neighbors(const CsrMatrix<float>& weights, Index node, const Classes& assigned, bool shares,
                     float* counts, Index classes) {
    std::fill_n(counts, classes, 0.0F);
    const SparseRow<float> row = weights.row(node);
    float sum = 0;
    for (std::size_t e = 0; e < row.size(); ++e) {
        counts[assigned[row.indices[e]]] += row.values[e];
        sum += row.values[e];
    }
    if (!shares || !(sum > 0)) return;
    for (Index c = 0; c < classes; ++c)
        counts[c] /= sum;
}

DenseMatrix count_all(const ClassicGraph& graph, const Classes& assigned, bool shares) {
    DenseMatrix counts(graph.nodes(), graph.classes);
    for (Index i = 0; i < graph.nodes(); ++i)
        count_neighbors(graph.weights, i, assigned, shares, counts.row(i), graph.classes);
    return counts;
}

// [x | counts] of some nodes.
CsrMatrix<float> with_counts(const CsrMatrix<float>& features, ConstMatrixView counts,
                             std::span<const Index> nodes) {
    CsrMatrix<float> rows{static_cast<Index>(nodes.size()), features.columns + counts.columns, {0}, {}, {}};
    const std::size_t entries =
        features.indices.size() / std::max<std::size_t>(features.rows, 1) * nodes.size() +
        nodes.size() * static_cast<std::size_t>(counts.columns);
    rows.indices.reserve(entries);
    rows.values.reserve(entries);
    for (const Index node : nodes) {
        const SparseRow<float> own = features.row(node);
        rows.indices.insert(rows.indices.end(), own.indices.begin(), own.indices.end());
        rows.values.insert(rows.values.end(), own.values.begin(), own.values.end());
        for (Index c = 0; c < counts.columns; ++c) {
            rows.indices.push_back(features.columns + c);
            rows.values.push_back(counts.at(node, c));
        }
        rows.offsets.push_back(rows.entries());
    }
    return rows;
}

// Scores of the features and the bias, which stay as they are while the classes of the neighbors change.
DenseMatrix own_scores(const CsrMatrix<float>& features, const DenseMatrix& theta,
                       const ExecutionControl& control) {
    DenseMatrix own(features.columns + 1, theta.columns());
    for (Index f = 0; f <= features.columns; ++f)
        std::copy_n(theta.row(f < features.columns ? f : theta.rows() - 1), theta.columns(), own.row(f));
    return linear_scores(features, own, control);
}

// Sweeps over all nodes without a label, in a new random order each time; every node gets the class that fits
// its features and its neighbors' classes of the moment. Returns the sweeps that changed something.
int sweep(const ClassicGraph& graph, const CsrMatrix<float>& features, const Candidate& candidate,
          std::vector<Index> open, int sweeps, std::uint64_t seed, Classes& assigned,
          const ExecutionControl& control) {
    const DenseMatrix fixed = own_scores(features, candidate.theta, control);
    DenseMatrix row(2, graph.classes);  // counts, scores
    RandomStream random(seed, stream_for(StreamPurpose::sweeps, 0));
    for (int done = 0; done < sweeps; ++done) {
        throw_if_stopped(control);
        random.shuffle(std::span(open));
        bool changed = false;
        for (const Index node : open) {
            count_neighbors(graph.weights, node, assigned, candidate.shares, row.row(0), graph.classes);
            std::copy_n(fixed.row(node), graph.classes, row.row(1));
            for (Index c = 0; c < graph.classes; ++c) {
                const float* theta = candidate.theta.row(features.columns + c);
                for (Index k = 0; k < graph.classes; ++k)
                    row.at(1, k) += row.at(0, c) * theta[k];
            }
            const Index best = argmax(row, 1);
            changed = changed || best != assigned[node];
            assigned[node] = best;
        }
        if (!changed) return done;
    }
    return sweeps;
}

class Ica final : public ClassicMethod {
  public:
    explicit Ica(const IcaOptions& options) : options_(options) {}

    std::vector<TrainableMatrix> empty_parameters(NetworkShape shape) const override {
        return {{"theta", DenseMatrix(shape.features + shape.classes + 1, shape.classes), true},
                {"neighbor_classes", DenseMatrix(shape.nodes, shape.classes), false}};
    }

    ClassicModel learn(const ClassicGraph& graph, const KnownLabels& known, std::uint64_t seed,
                       const ExecutionControl& control) const override {
        const CsrMatrix<float> features = unit_rows(graph.features);
        Candidate best;
        for (const double l2 : options_.classifier_l2) {
            const Classes first = bootstrap(graph, features, known.train, l2, control);
            for (const bool shares : {true, false}) {
                const bool wanted = options_.counts == NeighborCounts::chosen ||
                                    shares == (options_.counts == NeighborCounts::share);
                if (!wanted || (known.validation.nodes.empty() && best.accuracy >= 0)) continue;
                Candidate candidate =
                    classify_together(graph, features, known, seed, first, {l2, shares, {}, {}}, control);
                if (candidate.accuracy > best.accuracy) best = std::move(candidate);
            }
        }
        ClassicModel model;
        model.parameters.push_back({"theta", std::move(best.theta), true});
        model.parameters.push_back({"neighbor_classes", std::move(best.neighbor_classes), false});
        model.summary = fmt::format("Classes of neighbors as {}, l2 {}, {} sweeps that changed something.",
                                    best.shares ? "shares" : "counts", best.l2, best.sweeps);
        if (!best.note.empty()) model.notes.push_back(best.note);
        return model;
    }

    DenseMatrix probabilities(const ClassicGraph& graph, std::span<const TrainableMatrix> parameters,
                              const ExecutionControl& control) const override {
        const CsrMatrix<float> rows =
            with_counts(unit_rows(graph.features), parameters[1].value, all_indices(graph.nodes()));
        return classify(rows, parameters[0].value, control);
    }

  private:
    // Classes by the features alone; those of the training nodes are known.
    static Classes bootstrap(const ClassicGraph& graph, const CsrMatrix<float>& features,
                             const LabelledNodes& train, double l2, const ExecutionControl& control) {
        const CsrMatrix<float> rows = sparse_rows(features, train.nodes);
        const LinearClassifier local =
            fit_logistic_regression({rows, train.labels, graph.classes}, l2, control);
        const DenseMatrix scores = linear_scores(features, local.theta, control);
        Classes assigned;
        for (Index i = 0; i < graph.nodes(); ++i)
            assigned.push_back(argmax(scores, i));
        for (std::size_t k = 0; k < train.nodes.size(); ++k)
            assigned[train.nodes[k]] = train.labels[k];
        return assigned;
    }

    Candidate classify_together(const ClassicGraph& graph, const CsrMatrix<float>& features,
                                const KnownLabels& known, std::uint64_t seed, Classes assigned,
                                Candidate candidate, const ExecutionControl& control) const {
        const DenseMatrix counts = count_all(graph, assigned, candidate.shares);
        const CsrMatrix<float> rows = with_counts(features, counts, known.train.nodes);
        LinearClassifier relational =
            fit_logistic_regression({rows, known.train.labels, graph.classes}, candidate.l2, control);
        candidate.note = note_of(relational);
        candidate.theta = std::move(relational.theta);
        std::vector<char> is_known(static_cast<std::size_t>(graph.nodes()), 0);
        for (const Index node : known.train.nodes)
            is_known[node] = 1;
        std::vector<Index> open = all_indices(graph.nodes());
        std::erase_if(open, [&](Index node) { return is_known[node] != 0; });
        candidate.sweeps =
            sweep(graph, features, candidate, std::move(open), options_.sweeps, seed, assigned, control);
        candidate.neighbor_classes = count_all(graph, assigned, candidate.shares);
        DenseMatrix scores(graph.nodes(), graph.classes);
        for (Index i = 0; i < graph.nodes(); ++i)
            scores.at(i, assigned[i]) = 1.0F;
        candidate.accuracy = accuracy(scores, known.validation);
        return candidate;
    }

    IcaOptions options_;
};

std::vector<Parameter<IcaOptions>> parameters() {
    using Options = IcaOptions;
    return {
        number_parameter("sweeps", &Options::sweeps, Range<int>{1, 10000}, "N",
                         "sweeps over all nodes, each in a random order"),
        choice_parameter("ica_counts", &Options::counts,
                         {{"chosen", NeighborCounts::chosen},
                          {"count", NeighborCounts::count},
                          {"share", NeighborCounts::share}},
                         "neighbors of each class, their shares, or what validates better"),
        classifier_l2_parameter<Options>(),
    };
}

}  // namespace

MethodDefinition ica_method() {
    return classic_method<Ica>(
        {.name = "ica",
         .title = "ICA",
         .description = "logistic regression on features and the neighbors' classes, iterated",
         .takes_weights = true,
         .knows_nodes = true},
        parameters());
}

}  // namespace hwgcn
