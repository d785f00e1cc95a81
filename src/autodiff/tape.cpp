#include "autodiff/tape.hpp"

#include <algorithm>
#include <utility>

#include "base/stopping.hpp"
#include "tensor/blocks/node_blocks.hpp"
#include "tensor/transfer.hpp"

namespace hwgcn {

Tape::Tape(Workspace& workspace, const ExecutionControl& control, bool recording, const RowLayout* layout)
    : workspace_(&workspace), control_(&control), recording_(recording), layout_(layout) {}

Variable Tape::add(Entry entry) {
    throw_if_stopped(*control_);
    entries_.push_back(std::move(entry));
    return {static_cast<int>(entries_.size()) - 1};
}

Variable Tape::constant(ConstMatrixView value, std::span<const Index> nodes) {
    return add({.value = value, .nodes = nodes});
}

Variable Tape::parameter(ConstMatrixView value, MatrixView gradient) {
    return add({.value = value, .gradient = gradient, .has_gradient = true, .differentiable = recording_});
}

Variable Tape::result(MatrixView value, const std::vector<Variable>& inputs, std::span<const Index> nodes,
                      std::function<void(ConstMatrixView)> backward) {
    const bool differentiable =
        std::any_of(inputs.begin(), inputs.end(), [&](Variable input) { return is_differentiable(input); });
    Entry entry{.value = value, .differentiable = differentiable, .nodes = nodes};
    if (differentiable) entry.backward = std::move(backward);
    return add(std::move(entry));
}

Tape::GradientTarget Tape::gradient_target(Variable variable) {
    Entry& entry = entries_[static_cast<std::size_t>(variable.index)];
    if (!std::exchange(entry.has_gradient, true))
        entry.gradient = workspace_->matrix(entry.value.rows, entry.value.columns);
    return {entry.gradient, std::exchange(entry.touched, true) ? Write::add : Write::replace};
}

MatrixView Tape::gradient_sum(Variable variable) {
    const GradientTarget target = gradient_target(variable);
    if (target.write == Write::replace) fill(target.matrix, 0.0F);
    return target.matrix;
}

void Tape::backward(Variable loss) {
    fill(gradient_target(loss).matrix, 1.0F);
    for (int k = loss.index; k >= 0; --k) {
        Entry& entry = entries_[static_cast<std::size_t>(k)];
        if (!entry.touched || !entry.backward) continue;
        throw_if_stopped(*control_);
        entry.backward(entry.gradient);
    }
    for (Entry& entry : entries_) {
        const bool is_parameter = entry.differentiable && !entry.backward;
        if (is_parameter && !entry.touched) fill(entry.gradient, 0.0F);
    }
}

}  // namespace hwgcn
