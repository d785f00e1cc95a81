#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hwgcn/methods/method_info.hpp"

#include "methods/pass.hpp"
#include "operators/propagated_features.hpp"
#include "operators/propagation.hpp"

namespace hwgcn {

/// What a network has to fit: the columns of its input and output, and the nodes where it learns numbers of
/// their own.
struct NetworkShape {
    Index features = 0;
    Index classes = 0;
    Index nodes = 0;
    Index blocks = 1;  ///< operators side by side
};

/// Scores as a polynomial of the operator in terms that every node has alone,
///   Z = sum over s of coefficients[s] P^s terms, each row times its number of `row_scale` where there are
///   any,
/// plus the row `offset` where there is one.
struct PropagatedTerms {
    Variable terms;
    std::vector<float> coefficients;
    std::optional<Variable> offset = {};
    std::optional<ConstMatrixView> row_scale = {};  ///< 1 x nodes
};

/// Features that a network reads after they were propagated, all columns of them.
struct PropagatedInput {
    MeanOfPowers powers;
    int groups = 1;           ///< random groups of nodes that training drops as a whole
    bool normalized = false;  ///< with learned scales, whose gradients take another product
};

/// A network without its parameters: how they begin, and what they compute.
class Network {
  public:
    Network() = default;
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;
    virtual ~Network() = default;

    /// Multiplications with the operator between features and scores.
    virtual int steps() const = 0;

    /// Whether a pass must always compute all nodes, because something is averaged over them: only whole
    /// fields are for it.
    virtual bool needs_all_nodes() const { return false; }

    /// Whether the operator multiplies scores, not hidden units, which are more: for estimates of the work.
    virtual bool propagates_scores() const { return false; }

    /// What training passes need in their field besides the operator; nothing for most.
    virtual std::optional<PropagatedInput> propagated_input() const { return std::nullopt; }

    /// Of how many nodes an epoch of consistency training compares the passes, drawn anew each time; 0: of
    /// all. Only for networks that compute single outputs as cheaply as that.
    virtual Index sampled_nodes() const { return 0; }

    virtual std::vector<TrainableMatrix> initial_parameters(std::uint64_t seed) const = 0;

    /// Matrices of what the network finds over all nodes of the graph that it was trained on. They are not
    /// trained; behind the trained parameters they take the place of what a pass would find over its own
    /// nodes, which may be others. None for most.
    virtual std::vector<TrainableMatrix> empty_statistics() const { return {}; }

    /// These, from a pass of evaluation over all nodes with the trained parameters.
    virtual std::vector<TrainableMatrix> statistics(Pass&) const { return empty_statistics(); }

    /// Scores before the softmax, at the outputs of the pass's field. In training it may add penalties to the
    /// pass.
    virtual Variable scores(Pass& pass) const = 0;

    /// The scores of several passes over the same field on the same tape: what each alone would have, to the
    /// bit. Overridden where they cost less together.
    virtual std::vector<Variable> scores_of(std::span<Pass> passes) const;

    /// The terms that its scores are made of, over a whole field; nothing where they are no such polynomial.
    virtual std::optional<PropagatedTerms> propagated_terms(Pass&) const { return std::nullopt; }
};

/// The field of some nodes under a network for evaluation; of all nodes where it needs them.
ReceptiveField field_of(const Network& network, const Propagation& propagation,
                        const SharedFeatures& features, std::span<const Index> outputs);

/// Adds what a network reads of the field in training only.
void add_training_input(ReceptiveField& field, const Network& network, const Propagation& propagation,
                        const SharedFeatures& features, const ExecutionControl& control);

/// Gives a field for evaluation the propagated features of its outputs, from the `groups` of a training,
/// where X Theta would take more multiplications to be made and propagated in each epoch than these times
/// Theta.
void add_propagated_outputs(ReceptiveField& field, const NodeGroups& groups, const ExecutionControl& control);

/// Uniform in +-sqrt(6 / (rows + columns)) (Glorot and Bengio), from stream `number` of the seed.
TrainableMatrix glorot(std::string name, Index rows, Index columns, bool decays, std::uint64_t seed,
                       std::uint64_t number);

}  // namespace hwgcn
