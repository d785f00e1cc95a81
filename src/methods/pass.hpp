#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "autodiff/ops.hpp"
#include "base/random_stream.hpp"
#include "operators/propagated_features.hpp"

namespace hwgcn {

/// Names the random numbers of one pass: the same seed, epoch and pass, the same dropout, whatever else is
/// running.
struct DropoutSeed {
    std::uint64_t seed = 0;
    std::uint32_t epoch = 0;
    std::uint32_t pass = 0;   ///< of several in the same epoch, at most 256
    double node_dropout = 0;  ///< share of the nodes that are without features in this pass
};

/// The stream of what a pass draws at some place of its network: dropout, or pairs of nodes.
std::uint64_t stream_of(const DropoutSeed& dropout, std::uint32_t place);

/// The labels that a pass learns from, where its network looks at them itself: rows of the outputs, and their
/// classes.
struct LearnedLabels {
    std::span<const Index> rows;
    std::span<const Index> labels;
    std::span<const float> weights = {};  ///< of each in the loss; empty: all the same
};

/// X Theta as a network got it, where gradients with respect to the features are wanted: a constant before
/// it: gradients end here.
struct InputProduct {
    Variable theta;
    Variable product;           ///< a row per input of the field
    ConstMatrixView gradient;   ///< with respect to the product, after the tape's `backward`
    ConstMatrixView row_scale;  ///< 1 x rows: what each row of X was multiplied by; none: nothing
};

/// One computation of a network at the outputs of a field. Networks are written in terms of it.
class Pass {
  public:
    /// Without a dropout seed nothing is dropped (evaluation). `field` must outlive the pass and its tape.
    Pass(Tape& tape, const ReceptiveField& field, std::vector<Variable> parameters,
         std::optional<DropoutSeed> dropout);

    Tape& tape() { return *tape_; }
    const ReceptiveField& field() const { return *field_; }

    Variable parameter(std::size_t number) const { return parameters_[number]; }

    /// How many it was given: more than are trained where the network's statistics follow them.
    std::size_t parameters() const { return parameters_.size(); }

    /// drop(X) Theta
    Variable features_times(Variable theta, double dropout_rate);

    /// drop(relu(drop(X) Theta + bias))
    Variable hidden_features(Variable theta, Variable bias, double input_dropout, double hidden_dropout);

    /// drop(X) Theta with every row of drop(X) scaled to length 1.
    Variable unit_features_times(Variable theta, double dropout_rate);

    /// Makes the tape differentiate with respect to the products of the features. Only in evaluation, and
    /// before they are computed; parameters are constants then.
    void keep_inputs() { keeps_inputs_ = true; }
    std::span<const InputProduct> inputs() const { return inputs_; }

    /// The nodes that are computed, where they are not all outputs, and the numbers 0, 1, 2, .. of their
    /// rows: masks are drawn for these. Both must outlive the tape.
    void set_rows(std::span<const Index> nodes, std::span<const Index> numbers) {
        rows_ = nodes;
        numbers_ = numbers;
    }

    /// A X at the rows of these passes, the same for all, from random groups of nodes (NodeGroups), for each
    /// pass its own, as many as node dropout leaves, and scaled up accordingly. Only in training.
    static std::vector<Variable> propagated_features(std::span<Pass> passes);

    /// The propagated features of the outputs, in evaluation of a field that has them.
    Variable propagated_outputs();

    /// A number of a parameter that is not learned but follows what passes find, such as the mean of a column
    /// over the nodes of a pass.
    struct Observation {
        std::size_t parameter;
        ConstMatrixView value;
    };
    void observe(std::size_t parameter, ConstMatrixView value) { observed_.push_back({parameter, value}); }
    const std::vector<Observation>& observed() const { return observed_; }

    /// The operator's next multiplication, P H; of operators side by side, their products side by side.
    Variable propagate(Variable h);

    /// The step that the next `propagate` takes, for operations that need its structure; `take_step` passes
    /// over it.
    const Step& next_step() const { return field_->steps[step_]; }
    const Step& take_step() { return field_->steps[step_++]; }

    Variable dropout(Variable h, double rate);

    /// Whether parameters are being learned, and what is only for learning is worth computing.
    bool is_training() const { return dropout_.has_value(); }

    /// Random numbers of this pass alone. Only in training.
    RandomStream draw_stream();

    /// The labels of the training nodes; none in evaluation.
    const LearnedLabels& labels() const { return labels_; }
    void set_labels(LearnedLabels labels) { labels_ = labels; }

    /// Adds a single number to what training minimises, in addition to the cross-entropy.
    void add_penalty(Variable number) { penalties_.push_back(number); }
    std::span<const Variable> penalties() const { return penalties_; }

    /// A mask of `count` bits for one of the pass's dropouts; none in evaluation or where nothing is dropped.
    std::optional<DropMask> draw(std::size_t count, double rate);

    /// A mask with so many bits for each node of the graph.
    std::optional<DropMask> draw_for_nodes(std::size_t bits_per_node, double rate);

    /// A mask with a bit for each entry of the features.
    std::optional<DropMask> draw_for_features(double rate);

  private:
    /// Names the next mask of the pass.
    MaskStream next_mask();

    /// Rows of nodes that lost their features are zero, the others scaled up.
    Variable drop_nodes(Variable rows);

    /// The product itself, or where inputs are kept a variable of the same value that gradients end at.
    Variable input(Variable theta, Variable product, ConstMatrixView row_scale);

    Tape* tape_;
    const ReceptiveField* field_;
    std::vector<Variable> parameters_;
    std::optional<DropoutSeed> dropout_;
    LearnedLabels labels_ = {};
    std::vector<Variable> penalties_ = {};
    std::vector<Observation> observed_ = {};
    std::optional<DropMask> kept_nodes_ = {};
    std::span<const Index> rows_ = {};
    std::span<const Index> numbers_ = {};
    std::size_t step_ = 0;
    std::uint32_t draws_ = 0;
    bool keeps_inputs_ = false;
    std::vector<InputProduct> inputs_ = {};
};

}  // namespace hwgcn
