#include "autodiff/ops.hpp"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "autodiff/gradient_check.hpp"
#include "autodiff/small_field.hpp"
#include "operators/propagation.hpp"
#include "tensor/transfer.hpp"

namespace hwgcn::ops_test {
namespace {

using testing::Computation;
using testing::evaluate;
using testing::expect_right_gradients;
using testing::random_matrix;
using testing::random_matrix_without_zeros;
using testing::small_field;

// With and without padding, in rows of 8, of 16, of several tiles.
constexpr std::array<Index, 9> widths = {1, 7, 8, 16, 18, 24, 40, 64, 70};

class OperationOfWidth : public ::testing::TestWithParam<Index> {
  protected:
    Index width() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Width, OperationOfWidth, ::testing::ValuesIn(widths),
                         [](const auto& width) { return std::to_string(width.param); });

DropMask some_mask(Workspace& workspace, std::size_t bits) {
    return draw_mask(workspace, bits, 0.4, MaskStream{5, 6});
}

// One input, an operation that is given it, and nothing else.
void expect_right_gradient(DenseMatrix input, const std::function<Variable(Tape&, Variable)>& operation) {
    std::vector<DenseMatrix> inputs;
    inputs.push_back(std::move(input));
    expect_right_gradients(std::move(inputs),
                           [&](Tape& tape, std::span<const Variable> in) { return operation(tape, in[0]); });
}

TEST_P(OperationOfWidth, SparseProductDifferentiates) {
    const ReceptiveField field = small_field();
    expect_right_gradient(random_matrix(9, width(), 1), [&](Tape& tape, Variable theta) {
        return multiply(tape, field.features, nullptr, theta, *field.inputs);
    });
}

TEST_P(OperationOfWidth, SparseProductOfKeptEntriesDifferentiates) {
    const ReceptiveField field = small_field();
    Workspace workspace;
    const DropMask mask = some_mask(workspace, static_cast<std::size_t>(field.feature_entries));
    expect_right_gradient(random_matrix(9, width(), 1), [&](Tape& tape, Variable theta) {
        return multiply(tape, field.features, &mask, theta, *field.inputs);
    });
}

TEST_P(OperationOfWidth, TheSquaredDistanceDifferentiates) {
    const DenseMatrix other = random_matrix(6, width(), 3);
    expect_right_gradient(random_matrix(6, width(), 2),
                          [&](Tape& tape, Variable x) { return squared_distance(tape, x, other); });
}

TEST_P(OperationOfWidth, DenseProductDifferentiates) {
    expect_right_gradients(
        {random_matrix(5, 6, 1), random_matrix(6, width(), 2)},
        [](Tape& tape, std::span<const Variable> in) { return multiply(tape, in[0], in[1]); });
    expect_right_gradients(
        {random_matrix(5, width(), 1), random_matrix(width(), 3, 2)},
        [](Tape& tape, std::span<const Variable> in) { return multiply(tape, in[0], in[1]); });
}

TEST_P(OperationOfWidth, PropagationDifferentiates) {
    const ReceptiveField field = small_field();
    const auto inputs = static_cast<Index>(field.inputs->size());
    expect_right_gradient(random_matrix(inputs, width(), 1),
                          [&](Tape& tape, Variable h) { return propagate(tape, field.steps[0], h); });
}

// Three operators side by side: the columns of the result are those of the first product, then the second ..
TEST(Operations, OperatorsSideBySideDifferentiate) {
    const Graph graph(12, testing::random_edges(12, 14, 3));
    const Propagation operators =
        build_separate_operators(graph, nullptr, testing::random_weights(12, 1, 0.2, 3));
    const std::vector<Index> outputs = {7, 2, 9};
    const ReceptiveField field =
        receptive_field(operators, testing::shared_features(12, 9, 0.5, 4), outputs, 1);
    const Step& step = field.steps[0];
    const auto inputs = static_cast<Index>(field.inputs->size());
    const Computation compute = [&](Tape& tape, std::span<const Variable> in) {
        return propagate(tape, step, in[0]);
    };
    for (const Index columns : {16, 48}) {
        const std::vector<DenseMatrix> h = {random_matrix(inputs, columns, 1)};
        const DenseMatrix product = evaluate(compute, h);
        ASSERT_EQ(product.rows(), 3);
        ASSERT_EQ(product.columns(), 3 * columns);
        for (Index i = 0; i < 9; ++i) {
            const SparseRow<float> row = step.forward.matrix->row(i);
            for (Index c = 0; c < columns; ++c) {
                double expected = 0;
                for (std::size_t e = 0; e < row.size(); ++e)
                    expected += static_cast<double>(row.values[e]) * h[0].at(row.indices[e], c);
                EXPECT_NEAR(product.at(i / 3, i % 3 * columns + c), expected, 1e-6);
            }
        }
        expect_right_gradients({h[0]}, compute);
    }
    const std::vector<DenseMatrix> narrow = {random_matrix(inputs, 8, 1)};
    EXPECT_THROW(evaluate(compute, narrow), std::logic_error);
}

TEST_P(OperationOfWidth, RowsOfTheOutputsDifferentiate) {
    const ReceptiveField field = small_field();
    const auto inputs = static_cast<Index>(field.inputs->size());
    expect_right_gradient(random_matrix(inputs, width(), 1),
                          [&](Tape& tape, Variable h) { return at_outputs(tape, field.steps[0], h); });
}

TEST_P(OperationOfWidth, SelectedRowsDifferentiate) {
    const std::vector<Index> rows = {4, 0, 3, 4};
    const Computation select = [&](Tape& tape, std::span<const Variable> in) {
        return select_rows(tape, in[0], rows);
    };
    expect_right_gradients({random_matrix(5, width(), 1)}, select);
    const std::vector<DenseMatrix> input = {random_matrix(5, width(), 1)};
    EXPECT_EQ(evaluate(select, input).at(1, width() - 1), input[0].at(0, width() - 1));
}

TEST_P(OperationOfWidth, SelectedColumnsDifferentiate) {
    const Index first = width() / 3;
    const Computation select = [&](Tape& tape, std::span<const Variable> in) {
        return select_columns(tape, in[0], first, width() - first);
    };
    expect_right_gradients({random_matrix(5, width(), 1)}, select);
    const std::vector<DenseMatrix> input = {random_matrix(5, width(), 1)};
    EXPECT_EQ(evaluate(select, input).at(2, 0), input[0].at(2, first));
}

TEST_P(OperationOfWidth, ScaledRowsDifferentiate) {
    const std::vector<float> numbers = {0.5F, -2.0F, 0.0F};
    DenseMatrix factors(1, 3);
    upload(numbers, factors);
    expect_right_gradient(random_matrix(3, width(), 1),
                          [&](Tape& tape, Variable x) { return scale_rows(tape, x, factors); });
}

TEST_P(OperationOfWidth, ScaledColumnsDifferentiate) {
    const DenseMatrix factors = random_matrix(1, width(), 2);
    expect_right_gradient(random_matrix(3, width(), 1),
                          [&](Tape& tape, Variable x) { return scale_columns(tape, x, factors); });
}

TEST_P(OperationOfWidth, RectifiersDifferentiate) {
    expect_right_gradient(random_matrix_without_zeros(5, width(), 1), relu);
    expect_right_gradient(random_matrix_without_zeros(5, width(), 1), elu);
}

TEST_P(OperationOfWidth, TanhDifferentiates) {
    expect_right_gradient(random_matrix(5, width(), 1), [](Tape& tape, Variable x) { return tanh(tape, x); });
}

TEST_P(OperationOfWidth, GeluDifferentiates) {
    DenseMatrix x = random_matrix(5, width(), 1);
    for (Index j = 0; j < width(); ++j)
        x.at(4, j) *= 5.0F;  // both tails, too
    expect_right_gradient(std::move(x), [](Tape& tape, Variable in) { return gelu(tape, in); });
}

TEST_P(OperationOfWidth, LayerNormalizationDifferentiates) {
    expect_right_gradients(
        {random_matrix(7, width(), 1), random_matrix(1, width(), 2), random_matrix(1, width(), 3)},
        [](Tape& tape, std::span<const Variable> in) { return layer_normalize(tape, in[0], in[1], in[2]); });
}

TEST_P(OperationOfWidth, DropoutDifferentiates) {
    const std::vector<Index> nodes = {1, 4, 5, 9};
    Workspace workspace;
    const DropMask mask = some_mask(workspace, 10 * row_stride(width()));
    // The rows of a parameter stand for no nodes: those of its sum with a constant do.
    const DenseMatrix zero(4, width());
    const Computation drop_some = [&](Tape& tape, std::span<const Variable> in) {
        return drop(tape, combine(tape, 1.0F, tape.constant(zero, nodes), 1.0F, in[0]), mask);
    };
    expect_right_gradients({random_matrix(4, width(), 1)}, drop_some);
}

TEST_P(OperationOfWidth, CombinationDifferentiates) {
    expect_right_gradients(
        {random_matrix(5, width(), 1), random_matrix(5, width(), 2)},
        [](Tape& tape, std::span<const Variable> in) { return combine(tape, 0.3F, in[0], -1.5F, in[1]); });
}

TEST_P(OperationOfWidth, AddedRowDifferentiates) {
    expect_right_gradients(
        {random_matrix(5, width(), 1), random_matrix(1, width(), 2)},
        [](Tape& tape, std::span<const Variable> in) { return add_row(tape, in[0], in[1]); });
}

TEST_P(OperationOfWidth, ConcatenationDifferentiates) {
    const Computation join = [](Tape& tape, std::span<const Variable> in) { return concatenate(tape, in); };
    const std::vector<DenseMatrix> parts = {random_matrix(4, 3, 1), random_matrix(4, width(), 2),
                                            random_matrix(4, 5, 3)};
    expect_right_gradients(parts, join);
    const DenseMatrix joined = evaluate(join, parts);
    EXPECT_EQ(joined.columns(), 8 + width());
    EXPECT_EQ(joined.at(2, 2 + width()), parts[1].at(2, width() - 1));
    EXPECT_EQ(joined.at(3, 3 + width()), parts[2].at(3, 0));
}

TEST_P(OperationOfWidth, BatchNormalizationDifferentiates) {
    expect_right_gradients(
        {random_matrix(7, width(), 1), random_matrix(1, width(), 2), random_matrix(1, width(), 3)},
        [](Tape& tape, std::span<const Variable> in) {
            return batch_normalize(tape, in[0], in[1], in[2], 1e-3);
        });
}

TEST_P(OperationOfWidth, MixedBlocksDifferentiate) {
    expect_right_gradients(
        {random_matrix(4, 3 * width(), 1), random_matrix(1, 3, 2)},
        [](Tape& tape, std::span<const Variable> in) { return mix_blocks(tape, in[0], in[1]); });
}

TEST_P(OperationOfWidth, CrossEntropyDifferentiates) {
    std::vector<Index> labels;
    for (Index i = 0; i < 6; ++i)
        labels.push_back(i * 5 % width());
    expect_right_gradient(random_matrix(6, width(), 1),
                          [&](Tape& tape, Variable scores) { return cross_entropy(tape, scores, labels); });
}

TEST_P(OperationOfWidth, WeightedCrossEntropyDifferentiates) {
    const std::vector<float> weights = {0.5F, 2.0F, 1.0F, 0.25F, 3.0F, 0.0F};
    std::vector<Index> labels;
    for (Index i = 0; i < 6; ++i)
        labels.push_back(i * 5 % width());
    expect_right_gradient(random_matrix(6, width(), 1), [&](Tape& tape, Variable scores) {
        return cross_entropy(tape, scores, labels, weights);
    });
}

TEST(Operations, DropoutKeepsAsItsMaskSaysAndScales) {
    const std::vector<Index> nodes = {1, 4};
    Workspace workspace;
    const DropMask mask = some_mask(workspace, 5 * 32);
    const DenseMatrix x = random_matrix(2, 20, 1);
    const std::vector<DenseMatrix> none;
    const DenseMatrix kept = evaluate(
        [&](Tape& tape, std::span<const Variable>) { return drop(tape, tape.constant(x, nodes), mask); },
        none);
    int zeros = 0;
    for (Index i = 0; i < 2; ++i) {
        for (Index j = 0; j < 20; ++j) {
            const auto bit = static_cast<std::size_t>(nodes[i] * 32 + j);
            const bool keep = (mask.bits[bit / 64] >> bit % 64 & 1) != 0;
            EXPECT_EQ(kept.at(i, j), keep ? mask.scale * x.at(i, j) : 0.0F);
            zeros += keep ? 0 : 1;
        }
    }
    EXPECT_GT(zeros, 0);
    EXPECT_LT(zeros, 40);
    EXPECT_NEAR(mask.scale, 1.0 / 0.6, 2e-5);
}

TEST(Operations, ElementwiseFunctionsAreThoseOfTheStandardLibrary) {
    DenseMatrix x(1, 16);
    for (Index j = 0; j < 16; ++j)
        x.at(0, j) = (static_cast<float>(j) - 7.5F) * (j < 8 ? 10.0F : 1.0F);
    const std::vector<DenseMatrix> input = {x};
    const auto apply = [&](Variable (*function)(Tape&, Variable)) {
        return evaluate([&](Tape& tape, std::span<const Variable> in) { return function(tape, in[0]); },
                        input);
    };
    const DenseMatrix rectified = apply(relu);
    const DenseMatrix exponential = apply(elu);
    const DenseMatrix squashed = apply(hwgcn::tanh);
    for (Index j = 0; j < 16; ++j) {
        const float at = x.at(0, j);
        EXPECT_EQ(rectified.at(0, j), std::max(at, 0.0F));
        EXPECT_NEAR(exponential.at(0, j), at > 0 ? at : std::expm1(at), 1e-6);
        EXPECT_NEAR(squashed.at(0, j), std::tanh(at), 1e-6);
    }
}

TEST(Operations, BatchNormalizationGivesMeanZeroAndVarianceOne) {
    DenseMatrix x = random_matrix(200, 5, 1);
    for (Index i = 0; i < 200; ++i) {
        for (Index j = 0; j < 4; ++j)
            x.at(i, j) = 20.0F * x.at(i, j) + 7.0F;
        x.at(i, 4) = 3.0F;  // a column of equal numbers
    }
    DenseMatrix one(1, 5);
    std::fill_n(one.row(0), 5, 1.0F);
    const std::vector<DenseMatrix> inputs = {x, one, DenseMatrix(1, 5)};
    const DenseMatrix y = evaluate(
        [](Tape& tape, std::span<const Variable> in) {
            return batch_normalize(tape, in[0], in[1], in[2], 1e-3);
        },
        inputs);
    for (Index j = 0; j < 5; ++j) {
        double sum = 0;
        double squares = 0;
        for (Index i = 0; i < 200; ++i) {
            sum += static_cast<double>(y.at(i, j));
            squares += static_cast<double>(y.at(i, j)) * static_cast<double>(y.at(i, j));
        }
        EXPECT_NEAR(sum / 200, 0.0, 1e-5);
        EXPECT_NEAR(squares / 200, j < 4 ? 1.0 : 0.0, 1e-4);
    }
}

TEST(Operations, CrossEntropyIsTheMeanLogarithmOfTheLabelsShares) {
    const DenseMatrix scores = random_matrix(4, 7, 1);
    const std::vector<Index> labels = {6, 0, 3, 3};
    const std::vector<DenseMatrix> input = {scores};
    const DenseMatrix loss = evaluate(
        [&](Tape& tape, std::span<const Variable> in) { return cross_entropy(tape, in[0], labels); }, input);
    double expected = 0;
    for (Index i = 0; i < 4; ++i) {
        double sum = 0;
        for (Index j = 0; j < 7; ++j)
            sum += std::exp(static_cast<double>(scores.at(i, j)));
        expected += (std::log(sum) - static_cast<double>(scores.at(i, labels[i]))) / 4;
    }
    EXPECT_NEAR(loss.at(0, 0), expected, 1e-6);
}

TEST(Tape, AParameterThatTheLossDoesNotUseGetsAZeroGradient) {
    Workspace workspace;
    const ExecutionControl control{.threads = 1};
    Tape tape(workspace, control, true);
    const DenseMatrix used = random_matrix(3, 2, 1);
    const DenseMatrix unused = random_matrix(2, 2, 2);
    DenseMatrix used_gradient(3, 2);
    DenseMatrix unused_gradient = random_matrix(2, 2, 3);
    const Variable x = tape.parameter(used, used_gradient);
    tape.parameter(unused, unused_gradient);
    const std::vector<Index> labels = {0, 1, 1};
    tape.backward(cross_entropy(tape, x, labels));
    EXPECT_NE(used_gradient.at(0, 0), 0.0F);
    EXPECT_EQ(unused_gradient.at(1, 1), 0.0F);
}

}  // namespace
}  // namespace hwgcn::ops_test
