#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hwgcn/methods/train.hpp"

#include "linalg/gpu/device.hpp"
#include "models/network.hpp"
#include "training/fit.hpp"

namespace hwgcn {

/// What the network of a method has to fit.
NetworkShape shape_of(const PreparedGraph& graph, const MethodSettings& settings);

/// The network of a method on a graph.
std::unique_ptr<Network> network_for(const PreparedGraph& graph, const MethodSettings& settings);

/// One training of a network, taken as far as wanted: what it has learned so far can be looked at in between.
/// All at once or in steps, the model is the same.
class NetworkTraining {
  public:
    /// Goes on from a checkpoint where there is one to go on from; `notes` says what was wrong with it.
    /// Graph, operator and split must outlive the training.
    NetworkTraining(const PreparedGraph& graph, const Propagation& propagation,
                    const MethodSettings& settings, const Split& split, std::uint64_t seed,
                    Checkpoints checkpoints, std::vector<std::string>& notes);

    /// Epochs at most: twice as many where a first training labels nodes for a second.
    int most_epochs() const { return stages() * fit_.epochs; }

    /// Epochs done.
    int epochs() const;

    bool finished() const { return state_.finished && !state_.is_teacher(); }

    /// Trains on until so many epochs are done, or until it is finished. The epochs of a second training are
    /// those after all that the first may take, even where it stopped early. When interrupted, it leaves a
    /// checkpoint.
    void advance_to(int epochs, const ExecutionControl& control);

    /// Leaves a checkpoint where there is a place for it.
    void put_down() const;

    /// Of the best epoch so far.
    TrainedModel model() const;

  private:
    int stages() const { return fit_.self_training > 0 ? 2 : 1; }
    FitState fresh(std::uint64_t seed) const;
    FitState first_state(std::uint64_t seed, std::vector<std::string>& notes) const;
    LabelledField train_field(const ExecutionControl& control) const;
    LabelledField validation_field() const;
    std::vector<float> weights_of(const LabelledField& labelled, std::vector<Index> nodes,
                                  const std::vector<float>& own) const;
    void run_stage(int epochs, const ExecutionControl& control);

    const PreparedGraph* graph_;
    const Propagation* propagation_;
    std::shared_ptr<const CsrMatrix<float>> features_;
    const Split* split_;
    FitOptions fit_;
    gpu::Device* device_;  // null: the processor
    std::unique_ptr<Network> network_;
    std::vector<double> class_weights_;
    Checkpoints checkpoints_;
    FitState state_;
    int resumed_after_ = 0;
};

}  // namespace hwgcn
