#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/models/train.hpp"

#include "methods/network.hpp"
#include "operators/propagation.hpp"
#include "tensor/device.hpp"
#include "training/fit.hpp"
#include "training/fit_options.hpp"

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
    /// With all nodes in the extent, they are computed even where fewer would do.
    NetworkTraining(const PreparedGraph& graph, const Propagation& propagation,
                    const MethodSettings& settings, const Split& split, std::uint64_t seed,
                    Checkpoints checkpoints, std::vector<std::string>& notes,
                    Extent extent = Extent::as_needed);

    /// Epochs at most: twice as many where a first training labels nodes for a second.
    int most_epochs() const { return stages() * fit_.epochs; }

    /// Epochs done.
    int epochs() const;

    bool finished() const { return state_.finished && !state_.is_teacher(); }

    /// Trains on until so many epochs are done, or until it is finished. The epochs of a second training are
    /// those after all that the first may take, even where it stopped early. When interrupted, it leaves a
    /// checkpoint.
    void advance_to(int epochs, const ExecutionControl& control);

    /// Trains several to the end, side by side on their device: each becomes what it would be alone there.
    /// They differ in their seeds and splits only, whose lists are as long as those of the others, and the
    /// same where not all nodes are computed. Where one diverges, the others are finished before it is
    /// thrown.
    static void finish_side_by_side(std::span<const std::unique_ptr<NetworkTraining>> runs,
                                    const ExecutionControl& control);

    /// How many of `wanted` runs the memory of the device takes at a time: an epoch of this one tells.
    std::size_t most_side_by_side(std::size_t wanted, const ExecutionControl& control) const;

    bool diverged() const { return state_.diverged; }

    /// Leaves a checkpoint where there is a place for it.
    void put_down() const;

    /// Of the best epoch so far.
    TrainedModel model() const;

  private:
    const std::shared_ptr<const CsrMatrix<float>>& features() const;
    int stages() const { return fit_.self_training > 0 ? 2 : 1; }
    FitState fresh(std::uint64_t seed) const;
    FitState first_state(std::uint64_t seed, std::vector<std::string>& notes) const;
    LabelledField train_field(const ExecutionControl& control) const;
    LabelledField validation_field() const;
    std::vector<float> weights_of(const LabelledField& labelled, std::vector<Index> nodes,
                                  const std::vector<float>& own) const;
    LabelledField labels_in(const LabelledField& shared, const std::vector<Index>& nodes,
                            const std::vector<float>& own) const;
    void run_stage(int epochs, const ExecutionControl& control);

    const PreparedGraph* graph_;
    const Propagation* propagation_;
    MethodSettings settings_;
    mutable std::shared_ptr<const CsrMatrix<float>> features_ = {};  // see features()
    const Split* split_;
    FitOptions fit_;
    gpu::Device* device_;  // null: the processor
    std::unique_ptr<Network> network_;
    std::vector<double> class_weights_;
    Checkpoints checkpoints_;
    Extent extent_;
    FitState state_;
    int resumed_after_ = 0;
};

}  // namespace hwgcn
