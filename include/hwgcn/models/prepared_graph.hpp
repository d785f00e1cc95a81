#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/dataset/feature_scaling.hpp"
#include "hwgcn/models/methods.hpp"
#include "hwgcn/weights/learn_weights.hpp"

namespace hwgcn {

struct Propagation;
struct RowLayout;

/// What becomes of a dataset without features.
struct FeatureOptions {
    bool structural = true;  ///< structural features of its graph take their place
};

/// The features of a dataset as methods learn from them.
struct PreparedFeatures {
    std::shared_ptr<const CsrMatrix<float>> scaled;
    /// The same, but that words are as they are given, in units of their root mean square: a row that is
    /// divided by its sum does not tell how many there are.
    std::shared_ptr<const CsrMatrix<float>> given;
    double word_unit = 1;
    FeatureScaling scaling = {};
    bool structural = false;              ///< they were made from the graph
    std::vector<std::string> notes = {};  ///< what is to be said where a method learns from them
};

/// What the labels of each class count in the loss of a training. Only ratios matter.
struct ClassWeights {
    bool balanced = false;           ///< n / (classes * n_c) of the training nodes, as in scikit-learn
    std::vector<double> given = {};  ///< one per class, positive; empty: none are given

    bool any() const { return balanced || !given.empty(); }
    std::string text() const;  ///< "balanced", or the numbers; empty where there are none
};

/// "balanced", or a file with a class and its weight on each line. Every class of the dataset needs one.
/// Throws InputError that names the line for classes that are unknown or come twice and for weights that are
/// not in 1e-30..1e30. An empty text stands for no weights.
ClassWeights read_class_weights(const std::string& text, const Dataset& dataset);

/// What labels count in the loss of a training. Validation, calibration and metrics count every node once.
struct LabelWeights {
    std::vector<float> of_nodes = {};  ///< relative to each other; positive. Empty: all the same
    /// They are divided out of the probabilities again, which stay calibrated, and come back in the decision
    /// for a class.
    ClassWeights of_classes = {};

    bool any() const { return !of_nodes.empty() || of_classes.any(); }
};

struct PreparedGraph;

/// What nodes and edges were added to.
struct Addition {
    /// The graph that a model was trained on. Its scaling is applied, and its learned weights are kept.
    std::shared_ptr<const PreparedGraph> original = {};
    bool update_neighbors = false;  ///< weights of old nodes are learned again where their rings changed
};

/// A dataset ready for training: what all runs on it share.
struct PreparedGraph {
    Dataset dataset;  ///< without edges and features, which are below
    Graph graph;
    std::shared_ptr<const CsrMatrix<float>> arcs;  ///< see arcs_of; null where the graph is undirected
    PreparedFeatures features;
    /// SHA-256 of graph and features, or of their shards; structural features follow from it.
    std::string content_hash;
    LabelWeights label_weights = {};
    Addition addition = {};

    /// Where the nodes of the dataset fall into blocks. Where some of them are elsewhere, the features have
    /// the rows that are here, and `graph` is empty.
    std::shared_ptr<const RowLayout> layout = {};
};

PreparedGraph prepare_graph(Dataset source, FeatureOptions options = {},
                            const ExecutionControl& control = {});

/// `source` with what was added to the original graph.
PreparedGraph prepare_addition(Dataset source, Addition addition, const ExecutionControl& control = {});

/// The features that a method learns from.
std::shared_ptr<const CsrMatrix<float>> features_for(const PreparedFeatures& features,
                                                     const MethodSettings& settings);

/// SHA-256 (hex) that names learned weights in a cache (WeightCache::key).
std::string weight_content(const PreparedGraph& graph);

/// SHA-256 (hex) of graph, directions, features, labels and names: a run remembers it, so that it is never
/// used on other data.
std::string dataset_hash(const PreparedGraph& graph);

/// Throws InputError where a method asks for the directions of a graph that has none.
void expect_directions(const PreparedGraph& graph, const MethodSettings& settings);

/// The weights that a method's operator is made of; without orders where it multiplies with the plain graph.
/// Where nodes were added, those of the original graph, with rows for the new nodes.
/// Throws ExecutionError where a solve did not reach its tolerance.
LearnedWeights learn_weights_for(const PreparedGraph& graph, const MethodSettings& settings,
                                 const ExecutionControl& control, const WeightCache* cache);

/// The operator of a method, of these weights.
Propagation make_operator(const PreparedGraph& graph, const MethodSettings& settings,
                          const LearnedWeights& weights, const ExecutionControl& control = {});

/// How many operators side by side it holds (Propagation::blocks).
Index operator_blocks(const PreparedGraph& graph, const MethodSettings& settings);

/// The operators that methods ask for, each made once. Weights come from the cache where there is one.
class OperatorPool {
  public:
    explicit OperatorPool(const PreparedGraph& graph, const WeightCache* cache = nullptr);

    /// The operator of a method. For several threads; one of them makes what is
    /// missing. Throws ExecutionError where a solve did not reach its tolerance.
    const Propagation& get(const MethodSettings& settings, const ExecutionControl& control);

    /// What was noticed on the way: damaged cache entries.
    const std::vector<std::string>& notes() const { return notes_; }

    /// Of these, what was not asked for in this way before.
    std::vector<std::string> fresh_notes();

    /// Forgets all operators, to give their memory back.
    void clear() { operators_.clear(); }

    /// Forgets all operators but those of some methods.
    void keep_only(const std::vector<MethodSettings>& methods);

  private:
    const PreparedGraph* graph_;
    const WeightCache* cache_;
    std::mutex access_;
    std::map<std::string, std::shared_ptr<const Propagation>> operators_;
    std::vector<std::string> notes_;
    std::size_t told_ = 0;
};

}  // namespace hwgcn
