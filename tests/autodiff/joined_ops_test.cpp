// Operations that do several steps in one go: their gradients, and that they are these steps.
#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "autodiff/gradient_check.hpp"
#include "autodiff/ops.hpp"

namespace hwgcn::joined_ops_test {
namespace {

using testing::Computation;
using testing::evaluate;
using testing::expect_right_gradients;
using testing::random_matrix;
using testing::random_matrix_without_zeros;

class JoinedOperation : public ::testing::TestWithParam<Index> {
  protected:
    Index width() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Width, JoinedOperation, ::testing::Values(1, 7, 8, 16, 18, 40, 64, 70),
                         [](const auto& width) { return std::to_string(width.param); });

DropMask some_mask(Workspace& workspace, std::size_t bits) {
    return draw_mask(workspace, bits, 0.4, MaskStream{5, 6});
}

TEST_P(JoinedOperation, AMultipleDifferentiatesInBothFactors) {
    std::vector<DenseMatrix> inputs;
    inputs.push_back(random_matrix(1, 4, 1));
    inputs.push_back(random_matrix(6, width(), 2));
    expect_right_gradients(inputs, [](Tape& tape, std::span<const Variable> in) {
        return add_multiple(tape, {}, in[0], 2, {in[1], {in[1]}});
    });
    inputs.push_back(random_matrix(6, width(), 3));
    expect_right_gradients(inputs, [](Tape& tape, std::span<const Variable> in) {
        return add_multiple(tape, in[2], in[0], 1, {in[1], {in[1]}});
    });
}

TEST_P(JoinedOperation, AMultipleOfMatricesSideBySideDifferentiates) {
    const Computation add = [](Tape& tape, std::span<const Variable> in) {
        const std::vector<Variable> parts{in[1], in[2]};
        return add_multiple(tape, in[3], in[0], 3, {concatenate(tape, parts), parts});
    };
    std::vector<DenseMatrix> inputs;
    inputs.push_back(random_matrix(1, 4, 1));
    inputs.push_back(random_matrix(6, width(), 2));
    inputs.push_back(random_matrix(6, 3, 3));
    inputs.push_back(random_matrix(6, width() + 3, 4));
    expect_right_gradients(inputs, add);
    const DenseMatrix sum = evaluate(add, inputs);
    EXPECT_EQ(sum.at(5, width()), inputs[3].at(5, width()) + inputs[0].at(0, 3) * inputs[2].at(5, 0));
}

// Far from the kink at 0, with rows and numbers dropped or not.
TEST_P(JoinedOperation, HiddenLayersAreTheirStepsAndDifferentiate) {
    const std::vector<Index> nodes = {1, 4, 5, 9};
    Workspace workspace;
    const DropMask units = some_mask(workspace, 10 * row_stride(width()));
    DropMask rows = draw_mask(workspace, 10, 0.4, MaskStream{8, 6});
    rows.whole_rows = true;
    const DenseMatrix zero(4, width());
    DenseMatrix bias = random_matrix(1, width(), 2);
    for (Index k = 0; k < width(); ++k)
        bias.at(0, k) = std::copysign(0.04F, bias.at(0, k));
    const std::vector<DenseMatrix> inputs = {random_matrix_without_zeros(4, width(), 1), bias};
    for (const HiddenMasks& masks :
         {HiddenMasks{}, HiddenMasks{rows, {}}, HiddenMasks{{}, units}, HiddenMasks{rows, units}}) {
        const auto at_nodes = [&](Tape& tape, Variable x) {
            return combine(tape, 1.0F, tape.constant(zero, nodes), 1.0F, x);
        };
        const Computation at_once = [&](Tape& tape, std::span<const Variable> in) {
            return hidden_layer(tape, at_nodes(tape, in[0]), in[1], masks);
        };
        const Computation step_by_step = [&](Tape& tape, std::span<const Variable> in) {
            Variable x = at_nodes(tape, in[0]);
            if (masks.nodes) x = drop(tape, x, *masks.nodes);
            x = relu(tape, add_row(tape, x, in[1]));
            return masks.units ? drop(tape, x, *masks.units) : x;
        };
        expect_right_gradients(inputs, at_once);
        EXPECT_TRUE(std::ranges::equal(evaluate(at_once, inputs).numbers(),
                                       evaluate(step_by_step, inputs).numbers()));
    }
}

}  // namespace
}  // namespace hwgcn::joined_ops_test
