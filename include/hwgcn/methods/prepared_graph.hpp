#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hwgcn/data/dataset.hpp"
#include "hwgcn/methods/methods.hpp"
#include "hwgcn/neighbor_weights/weight_cache.hpp"
#include "hwgcn/support/run_control.hpp"

namespace hwgcn {

/// A dataset ready for training: what all runs on it share.
struct PreparedGraph {
    Dataset dataset;  ///< without edges and features, which are below
    Graph graph;
    std::shared_ptr<const CsrMatrix<float>> features;  ///< normalised rows
    std::string content_hash;                          ///< SHA-256 of graph and features
    /// What the label of each node counts in the loss of a training, relative to the others; positive. Empty:
    /// all the same. Validation, calibration and metrics count every node once.
    std::vector<float> label_weights = {};

    explicit PreparedGraph(Dataset source);
};

/// SHA-256 (hex) of graph, features, labels and names: a run remembers it, so that it is never used on other
/// data.
std::string dataset_hash(const PreparedGraph& graph);

/// The weights that a method's operator is made of; without orders where it multiplies with the plain graph.
/// Throws ExecutionError where a solve did not reach its tolerance.
LearnedWeights learn_weights_for(const PreparedGraph& graph, const MethodSettings& settings,
                                 const ExecutionControl& control, const WeightCache* cache);

/// The operator of a method, of these weights.
Propagation make_operator(const PreparedGraph& graph, const MethodSettings& settings,
                          const LearnedWeights& weights, const ExecutionControl& control = {});

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

    /// Forgets all operators but that of one method.
    void keep_only(const MethodSettings& settings);

  private:
    const PreparedGraph* graph_;
    const WeightCache* cache_;
    std::mutex access_;
    std::map<std::string, Propagation> operators_;
    std::vector<std::string> notes_;
    std::size_t told_ = 0;
};

}  // namespace hwgcn
