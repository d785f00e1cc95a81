#include "tensor/cpu/skip_gram_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "base/random_stream.hpp"
#include "instruction_sets.hpp"

namespace hwgcn::cpu::skip_gram_kernels_test {
namespace {

using testing::for_every_instruction_set;

DenseMatrix random_rows(Index rows, Index columns, RandomStream& random) {
    DenseMatrix matrix(rows, columns);
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j)
            matrix.at(i, j) = static_cast<float>(random.uniform() - 0.5);
    }
    return matrix;
}

// Examples with 0, 1, 2, .. targets each: some have more than one group.
struct RandomExamples {
    RandomExamples(Index rows, std::size_t count, RandomStream& random) {
        const auto row = [&] { return static_cast<Index>(random.below(static_cast<std::uint64_t>(rows))); };
        for (std::size_t e = 0; e < count; ++e) {
            centres.push_back(row());
            for (std::size_t t = 0; t < e; ++t)
                targets.push_back({row(), static_cast<float>(random.below(2))});
            ends.push_back(targets.size());
        }
    }
    SkipGramExamples view() const { return {centres, ends, targets}; }

    std::vector<Index> centres;
    std::vector<std::size_t> ends;
    std::vector<SkipGramTarget> targets;
};

using Rows = std::vector<std::vector<double>>;

Rows copy_of(const DenseMatrix& matrix) {
    Rows rows;
    for (Index i = 0; i < matrix.rows(); ++i)
        rows.emplace_back(matrix.row(i), matrix.row(i) + matrix.columns());
    return rows;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k)
        sum += a[k] * b[k];
    return sum;
}

// The header's formula, number by number; the sigmoid is that of the table, which has a test of its own.
void train_plainly(const RandomExamples& examples, double rate, Rows& centres, Rows& contexts) {
    const SigmoidTable sigmoid;
    std::size_t begin = 0;
    for (std::size_t e = 0; e < examples.centres.size(); ++e) {
        std::vector<double>& centre = centres[examples.centres[e]];
        for (; begin < examples.ends[e]; begin = std::min(begin + skip_gram_group, examples.ends[e])) {
            const std::size_t end = std::min(begin + skip_gram_group, examples.ends[e]);
            std::vector<double> steps;
            for (std::size_t t = begin; t < end; ++t) {
                const SkipGramTarget& target = examples.targets[t];
                const float p = sigmoid(static_cast<float>(dot(centre, contexts[target.row])));
                steps.push_back(rate * static_cast<double>(target.label - p));
            }
            std::vector<double> changed = centre;
            for (std::size_t t = begin; t < end; ++t) {
                std::vector<double>& context = contexts[examples.targets[t].row];
                for (std::size_t k = 0; k < centre.size(); ++k) {
                    changed[k] += steps[t - begin] * context[k];
                    context[k] += steps[t - begin] * centre[k];
                }
            }
            centre = changed;
        }
    }
}

void expect_near(const DenseMatrix& actual, const Rows& expected, double tolerance) {
    for (Index i = 0; i < actual.rows(); ++i) {
        for (Index j = 0; j < actual.columns(); ++j)
            ASSERT_NEAR(actual.at(i, j), expected[i][j], tolerance) << i << ' ' << j;
        for (std::size_t pad = static_cast<std::size_t>(actual.columns()); pad < actual.view().stride();
             ++pad)
            ASSERT_EQ(actual.row(i)[pad], 0.0F) << "the padding stays zero";
    }
}

TEST(SkipGramKernels, TheSigmoidIsThatOfTheFormulaAndNeverLeavesZeroToOne) {
    const SigmoidTable sigmoid;
    for (double x = -9.0; x <= 9.0; x += 0.0117)
        ASSERT_NEAR(sigmoid(static_cast<float>(x)), 1.0 / (1.0 + std::exp(-x)), 1e-3) << x;
    EXPECT_EQ(sigmoid(0.0F), 0.5F);
    EXPECT_EQ(sigmoid(8.0F), 1.0F);
    EXPECT_EQ(sigmoid(-8.0F), 0.0F);
    EXPECT_LT(sigmoid(std::nextafter(8.0F, 0.0F)), 1.0F);
    EXPECT_GT(sigmoid(std::nextafter(-8.0F, 0.0F)), 0.0F);
    EXPECT_EQ(sigmoid(std::numeric_limits<float>::infinity()), 1.0F);
    EXPECT_EQ(sigmoid(-std::numeric_limits<float>::infinity()), 0.0F);
    EXPECT_EQ(sigmoid(std::numeric_limits<float>::quiet_NaN()), 0.0F);
}

TEST(SkipGramKernels, AgreesWithAPlainLoopAndHasTheSameBitsOnEveryInstructionSet) {
    for (const Index columns : {1, 7, 8, 9, 16, 40, 64, 72, 128, 200}) {
        RandomStream random(5, static_cast<std::uint64_t>(columns));
        const DenseMatrix first_centres = random_rows(7, columns, random);
        const DenseMatrix first_contexts = random_rows(30, columns, random);
        const RandomExamples examples(7, 40, random);
        Rows expected_centres = copy_of(first_centres);
        Rows expected_contexts = copy_of(first_contexts);
        train_plainly(examples, 0.02, expected_centres, expected_contexts);

        std::optional<DenseMatrix> same_centres;
        std::optional<DenseMatrix> same_contexts;
        for_every_instruction_set([&](const std::string& name) {
            DenseMatrix centres = first_centres;
            DenseMatrix contexts = first_contexts;
            train_skip_gram(examples.view(), SigmoidTable(), 0.02F, centres, contexts);
            expect_near(centres, expected_centres, 1e-4);
            expect_near(contexts, expected_contexts, 1e-4);
            if (!same_centres) {
                same_centres = centres;
                same_contexts = contexts;
            }
            EXPECT_TRUE(std::ranges::equal(centres.numbers(), same_centres->numbers())) << name;
            EXPECT_TRUE(std::ranges::equal(contexts.numbers(), same_contexts->numbers())) << name;
        });
    }
}

TEST(SkipGramKernels, RowsThatAreNotNamedStayAsTheyAre) {
    RandomStream random(8, 0);
    const DenseMatrix first = random_rows(4, 20, random);
    DenseMatrix centres = first;
    DenseMatrix contexts = first;
    const std::vector<Index> named = {2};
    const std::vector<std::size_t> ends = {1};
    const std::vector<SkipGramTarget> targets = {{1, 1.0F}};
    train_skip_gram({named, ends, targets}, SigmoidTable(), 0.1F, centres, contexts);
    for (Index i = 0; i < 4; ++i) {
        const auto same = [&](const DenseMatrix& m) {
            return std::equal(m.row(i), m.row(i) + 20, first.row(i));
        };
        EXPECT_EQ(same(centres), i != 2) << i;
        EXPECT_EQ(same(contexts), i != 1) << i;
    }
}

}  // namespace
}  // namespace hwgcn::cpu::skip_gram_kernels_test
