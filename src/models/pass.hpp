#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "autodiff/ops.hpp"

namespace hwgcn {

/// Names the random numbers of one pass: the same seed and epoch, the same dropout, whatever else is running.
struct DropoutSeed {
    std::uint64_t seed = 0;
    std::uint32_t epoch = 0;
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

    /// drop(X) Theta
    Variable features_times(Variable theta, double dropout_rate);

    /// The same with every row of drop(X) scaled to length 1.
    Variable unit_features_times(Variable theta, double dropout_rate);

    /// The operator's next multiplication, P H.
    Variable propagate(Variable h);

    /// The step that the next `propagate` takes, for operations that need its structure; `take_step` passes
    /// over it.
    const Step& next_step() const { return field_->steps[step_]; }
    const Step& take_step() { return field_->steps[step_++]; }

    Variable dropout(Variable h, double rate);

    /// A mask of `count` bits for one of the pass's dropouts; none in evaluation or where nothing is dropped.
    std::optional<DropMask> draw(std::size_t count, double rate);

  private:
    Tape* tape_;
    const ReceptiveField* field_;
    std::vector<Variable> parameters_;
    std::optional<DropoutSeed> dropout_;
    std::size_t step_ = 0;
    std::uint32_t masks_ = 0;
};

}  // namespace hwgcn
