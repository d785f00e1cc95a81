#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hwgcn/base/run_control.hpp"

#include "tensor/block_sums.hpp"
#include "tensor/blocks/node_blocks.hpp"
#include "tensor/operands.hpp"
#include "tensor/workspace.hpp"

namespace hwgcn {

/// A matrix on a tape.
struct Variable {
    int index = -1;
};

/// Reverse-mode differentiation: operations (ops.hpp) write their results here as they compute them, each
/// with a function that carries the gradient of its result back to its inputs; `backward` calls these
/// functions last to first.
class Tape {
  public:
    /// Where a gradient goes: replaces what is there the first time, is added afterwards.
    struct GradientTarget {
        MatrixView matrix;
        Write write;
    };

    /// Without `recording` nothing can be differentiated, and nothing is kept for it. Between two operations,
    /// Interrupted is thrown where `control` wants a stop. With a layout, which must outlive the tape,
    /// sums over nodes go up its tree of blocks.
    Tape(Workspace& workspace, const ExecutionControl& control, bool recording,
         const RowLayout* layout = nullptr);

    /// A matrix that is given. `nodes` are the graph's nodes that its rows stand for, if any.
    Variable constant(ConstMatrixView value, std::span<const Index> nodes = {});

    /// A matrix to be learned; its gradient goes to `gradient`.
    Variable parameter(ConstMatrixView value, MatrixView gradient);

    /// The result of an operation. `backward` may use gradient(result) and gradient_target(input).
    Variable result(MatrixView value, const std::vector<Variable>& inputs, std::span<const Index> nodes,
                    std::function<void(ConstMatrixView gradient)> backward);

    ConstMatrixView value(Variable variable) const { return entry(variable).value; }
    std::span<const Index> nodes(Variable variable) const { return entry(variable).nodes; }

    /// Its rows, for sums over them.
    SummedRows rows(Variable variable) const { return {layout_, nodes(variable)}; }

    /// Whether a parameter is behind it.
    bool is_differentiable(Variable variable) const { return entry(variable).differentiable; }

    GradientTarget gradient_target(Variable variable);

    /// The same for operations that can only add: zero the first time.
    MatrixView gradient_sum(Variable variable);

    /// The gradients of the single number `loss` with respect to all parameters.
    void backward(Variable loss);

    const RowLayout* layout() const { return layout_; }
    Workspace& workspace() { return *workspace_; }
    const ExecutionControl& control() const { return *control_; }

  private:
    struct Entry {
        ConstMatrixView value = {};
        MatrixView gradient = {};
        bool has_gradient = false;  // memory for it: not before the first use
        bool differentiable = false;
        bool touched = false;  // the gradient has a value
        std::span<const Index> nodes = {};
        std::function<void(ConstMatrixView)> backward = {};
    };
    const Entry& entry(Variable variable) const { return entries_[static_cast<std::size_t>(variable.index)]; }
    Variable add(Entry entry);

    Workspace* workspace_;
    const ExecutionControl* control_;
    bool recording_;
    const RowLayout* layout_;
    std::vector<Entry> entries_;
};

}  // namespace hwgcn
