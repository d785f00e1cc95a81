#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/tensor/dense_matrix.hpp"

#include "methods/network.hpp"
#include "operators/propagation.hpp"
#include "tensor/blocks/node_blocks.hpp"

namespace hwgcn {

/// What a classic method learns from the graph alone: the same whatever the labels are.
struct Groundwork {
    DenseMatrix vectors;  ///< one per node
    std::string summary;  ///< how it went: the beginning of a sentence
};

/// What a classic method looks at.
struct ClassicGraph {
    /// Symmetric, without a diagonal: who is connected, and how much. The operator P for methods that do not
    /// take weights.
    const CsrMatrix<float>& weights;
    const CsrMatrix<float>& features;  ///< normalised rows; may have no columns
    Index classes = 0;
    const Groundwork* groundwork = nullptr;  ///< of this graph, method and seed, where it was laid before
    /// Where nodes fall into blocks and the method takes them. `weights` has the rows that are here, columns
    /// are numbers of the whole graph, and what is learned about nodes is about those here.
    const RowLayout* layout = nullptr;
    /// For methods with separate operators, which `weights` then has side by side; see Propagation.
    Index blocks = 1;
    std::span<const float> row_sums = {};

    Index nodes() const { return weights.rows / blocks; }
};

/// With the operator of a method, these features and so many classes.
inline ClassicGraph classic_view(const Propagation& weights, const CsrMatrix<float>& features,
                                 Index classes) {
    ClassicGraph view{*weights.matrix, features, classes, nullptr, weights.layout.get(), weights.blocks};
    if (weights.row_sums) view.row_sums = *weights.row_sums;
    return view;
}

/// Some nodes and their classes.
struct LabelledNodes {
    std::vector<Index> nodes;
    std::vector<Index> labels;
    std::vector<double> weights = {};  ///< what each counts, 1 on average; empty: all the same
};

/// The labels that a method may look at: to learn from, and to choose between candidates.
struct KnownLabels {
    LabelledNodes train;
    LabelledNodes validation;
};

/// What a classic method has learned.
struct ClassicModel {
    std::vector<TrainableMatrix> parameters;
    std::string summary;             ///< how it went, in a sentence
    std::vector<std::string> notes;  ///< what the user should know
};

/// What an embedding by random walks costs.
struct WalkCost {
    /// Multiplications: the nodes of all walks have window + 1 contexts on average, each of which is told
    /// from `negatives` others or found by the turns of a tree.
    double work = 0;
    Index dimensions = 0;
};

/// A part of the margin between the scores of two classes.
struct TracedTerm {
    static constexpr Index of_the_graph = -1;

    Index node = 0;
    Index feature = of_the_graph;  ///< of that node; or what the graph alone says about it: its neighbors
    double contribution = 0;
};

/// Takes scores apart into what nodes and their features add. May be asked by several threads.
class ScoreTracer {
  public:
    ScoreTracer() = default;
    ScoreTracer(const ScoreTracer&) = delete;
    ScoreTracer& operator=(const ScoreTracer&) = delete;
    virtual ~ScoreTracer() = default;

    /// The scores of a node, whose softmax are its probabilities.
    virtual std::vector<double> scores(Index node) const = 0;

    /// The part of the score of one class minus that of another which is the same for all nodes.
    virtual double offset(Index winner, Index other) const = 0;

    /// The terms that the rest of it is the sum of, by node and feature, each pair once.
    virtual std::vector<TracedTerm> terms(Index node, Index winner, Index other) const = 0;

    /// Roughly how many multiplications the terms of a node take.
    virtual std::int64_t cost() const = 0;
};

/// A method that has no epochs: it finds its matrices in a way of its own. All of them are deterministic, at
/// any number of threads.
class ClassicMethod {
  public:
    ClassicMethod() = default;
    ClassicMethod(const ClassicMethod&) = delete;
    ClassicMethod& operator=(const ClassicMethod&) = delete;
    virtual ~ClassicMethod() = default;

    /// The matrices that `learn` finds: names and sizes, all numbers zero.
    virtual std::vector<TrainableMatrix> empty_parameters(NetworkShape shape) const = 0;

    /// On a graph of so many nodes; no work for methods without walks.
    virtual WalkCost walk_cost(Index) const { return {}; }

    /// Of trees, how often growing them adds to a histogram, from so many training and validation nodes, at
    /// most; infinite where the table would be too wide, nothing for methods without trees. About 7e8 of them
    /// take a second of one core.
    virtual double tree_work(NetworkShape, Index /*relations*/, Index /*training*/,
                             Index /*validation*/) const {
        return 0;
    }

    /// The part of `learn` that no label has a bearing on: laid once, it serves several trainings. Nothing
    /// where there is no such part.
    virtual std::shared_ptr<const Groundwork> lay_groundwork(const ClassicGraph&, std::uint64_t,
                                                             const ExecutionControl&) const {
        return nullptr;
    }

    /// Throws InputError where the graph has nothing to learn from.
    virtual ClassicModel learn(const ClassicGraph& graph, const KnownLabels& known, std::uint64_t seed,
                               const ExecutionControl& control) const = 0;

    /// Class probabilities of all nodes.
    virtual DenseMatrix probabilities(const ClassicGraph& graph, std::span<const TrainableMatrix> parameters,
                                      const ExecutionControl& control) const = 0;

    /// Explains predictions where the method is no network but can tell what its scores are made of; nothing
    /// for most. Graph and parameters must outlive it.
    virtual std::unique_ptr<ScoreTracer> tracer(const ClassicGraph&, std::span<const TrainableMatrix>,
                                                const ExecutionControl&) const {
        return nullptr;
    }
};

}  // namespace hwgcn
