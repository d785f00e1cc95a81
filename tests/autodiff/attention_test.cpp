#include "autodiff/attention.hpp"

#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "autodiff/gradient_check.hpp"
#include "autodiff/ops.hpp"
#include "autodiff/small_field.hpp"
#include "instruction_sets.hpp"
#include "tensor/attention.hpp"

namespace hwgcn::attention_test {
namespace {

using testing::Computation;
using testing::evaluate;
using testing::expect_right_gradients;
using testing::random_matrix;
using testing::small_field;

struct Shape {
    Index heads;
    Index units;
};

// Heads that divide a vector, fill several, and neither; rows with and without padding.
class AttentionOfShape : public ::testing::TestWithParam<Shape> {
  protected:
    Index heads() const { return GetParam().heads; }
    Index columns() const { return GetParam().heads * GetParam().units; }
    Index lanes() const { return head_lanes(heads()); }

    const ReceptiveField field_ = small_field();
    const Step& step_ = field_.steps[0];
    const Index inputs_ = static_cast<Index>(step_.inputs->size());
    const Index outputs_ = static_cast<Index>(step_.outputs->size());

    std::size_t mask_bits() const {
        return static_cast<std::size_t>(field_.operator_entries) * row_stride(heads());
    }

    Computation attention(const DropMask* mask) const {
        return [this, mask](Tape& tape, std::span<const Variable> in) {
            return attend(tape, step_, heads(), in[0], in[1], mask);
        };
    }

    // Multiples of 1/4, for `self` plus 0.1: no sum of the two is near the kink at 0.
    DenseMatrix scores() const {
        DenseMatrix matrix = random_matrix(inputs_, 2 * lanes(), 11);
        for (Index i = 0; i < inputs_; ++i) {
            for (Index lane = 0; lane < 2 * lanes(); ++lane) {
                const float number = std::round(6.0F * matrix.at(i, lane)) / 4.0F;
                matrix.at(i, lane) = lane < lanes() ? number + 0.1F : number;
            }
        }
        return matrix;
    }
};
INSTANTIATE_TEST_SUITE_P(Heads, AttentionOfShape,
                         ::testing::Values(Shape{8, 8}, Shape{1, 7}, Shape{1, 18}, Shape{8, 3}, Shape{2, 12},
                                           Shape{4, 10}, Shape{16, 4}, Shape{3, 5}, Shape{5, 14},
                                           Shape{24, 1}, Shape{24, 3}),
                         [](const auto& shape) {
                             return std::to_string(shape.param.heads) + "x" +
                                    std::to_string(shape.param.units);
                         });

TEST_P(AttentionOfShape, Differentiates) {
    expect_right_gradients({scores(), random_matrix(inputs_, columns(), 12)}, attention(nullptr));
}

TEST_P(AttentionOfShape, DifferentiatesWithDroppedCoefficients) {
    Workspace workspace;
    const DropMask mask = draw_mask(workspace, mask_bits(), 0.4, MaskStream{1, 2});
    expect_right_gradients({scores(), random_matrix(inputs_, columns(), 12)}, attention(&mask));
}

TEST_P(AttentionOfShape, MatrixOfTheAttentionVectorsDifferentiates) {
    expect_right_gradients({random_matrix(1, columns(), 1), random_matrix(1, columns(), 2)},
                           [this](Tape& tape, std::span<const Variable> in) {
                               return attention_matrix(tape, in[0], in[1], heads());
                           });
}

TEST_P(AttentionOfShape, MeanOfHeadsDifferentiates) {
    const Computation mean = [this](Tape& tape, std::span<const Variable> in) {
        return mean_of_heads(tape, in[0], heads());
    };
    const std::vector<DenseMatrix> input = {random_matrix(4, columns(), 1)};
    expect_right_gradients(input, mean);
    double sum = 0;
    for (Index head = 0; head < heads(); ++head)
        sum += static_cast<double>(input[0].at(3, columns() - heads() + head));
    EXPECT_NEAR(evaluate(mean, input).at(3, GetParam().units - 1), sum / heads(), 1e-6);
}

// The definition, in double precision, head by head.
TEST_P(AttentionOfShape, IsTheSoftmaxOfTheScoresTimesTheValues) {
    Workspace workspace;
    const DropMask mask = draw_mask(workspace, mask_bits(), 0.4, MaskStream{1, 2});
    const std::vector<DenseMatrix> inputs = {random_matrix(1, columns(), 1), random_matrix(1, columns(), 2),
                                             random_matrix(inputs_, columns(), 3)};
    const DenseMatrix& h = inputs[2];
    const DenseMatrix result = evaluate(
        [&](Tape& tape, std::span<const Variable> in) {
            const Variable products = multiply(tape, in[2], attention_matrix(tape, in[0], in[1], heads()));
            return attend(tape, step_, heads(), products, in[2], &mask);
        },
        inputs);
    const auto product = [&](std::size_t vector, Index row, Index head) {
        double sum = 0;
        for (Index k = head; k < columns(); k += heads())
            sum += static_cast<double>(inputs[vector].at(0, k)) * static_cast<double>(h.at(row, k));
        return sum;
    };
    for (Index i = 0; i < outputs_; ++i) {
        const SparseRow<float> row = step_.forward.matrix->row(i);
        for (Index k = 0; k < columns(); ++k) {
            const Index head = k % heads();
            double total = 0;
            double expected = 0;
            for (std::size_t e = 0; e < row.size(); ++e) {
                const double x = product(0, step_.position[i], head) + product(1, row.indices[e], head);
                const double share = std::exp(x > 0 ? x : 0.2 * x);
                const std::size_t bit =
                    (static_cast<std::size_t>(step_.forward.origin[i]) + e) * row_stride(heads()) +
                    static_cast<std::size_t>(head);
                const bool keep = (mask.bits[bit / 64] >> bit % 64 & 1) != 0;
                total += share;
                if (keep)
                    expected += share * static_cast<double>(mask.scale) *
                                static_cast<double>(h.at(row.indices[e], k));
            }
            EXPECT_NEAR(result.at(i, k), expected / total, 1e-5) << "row " << i << ", column " << k;
        }
    }
}

TEST_P(AttentionOfShape, GivesTheSameBitsOnEveryInstructionSet) {
    Workspace workspace;
    const DropMask mask = draw_mask(workspace, mask_bits(), 0.4, MaskStream{1, 2});
    const std::vector<DenseMatrix> inputs = {random_matrix(inputs_, 2 * lanes(), 1),
                                             random_matrix(inputs_, columns(), 2)};
    const DenseMatrix r = random_matrix(outputs_, columns(), 3);
    std::vector<std::vector<DenseMatrix>> results;
    testing::for_every_instruction_set([&](const std::string& name) {
        results.push_back(testing::tape_gradients(attention(&mask), inputs, r, r));
        results.back().push_back(evaluate(attention(&mask), inputs));
        for (std::size_t k = 0; k < results[0].size(); ++k) {
            const std::span<const float> first = results[0][k].numbers();
            const std::span<const float> here = results.back()[k].numbers();
            EXPECT_EQ(std::memcmp(first.data(), here.data(), first.size_bytes()), 0) << name << ", " << k;
        }
    });
    EXPECT_FALSE(results.empty());
}

TEST(Attention, SurvivesScoresThatExpCannotHold) {
    const ReceptiveField field = small_field();
    const Step& step = field.steps[0];
    const auto count = static_cast<Index>(step.inputs->size());
    DenseMatrix scores = random_matrix(count, 16, 1);
    for (float& score : scores.numbers())
        score *= 1e6F;
    const std::vector<DenseMatrix> inputs = {scores, random_matrix(count, 7, 2)};
    const DenseMatrix result =
        evaluate([&](Tape& tape,
                     std::span<const Variable> in) { return attend(tape, step, 1, in[0], in[1], nullptr); },
                 inputs);
    for (const float number : result.numbers())
        EXPECT_LE(std::abs(number), 1.0F);
}

}  // namespace
}  // namespace hwgcn::attention_test
