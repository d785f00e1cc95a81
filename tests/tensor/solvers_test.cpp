#include <atomic>
#include <cmath>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "base/random_stream.hpp"
#include "tensor/solvers/conjugate_gradients.hpp"
#include "tensor/solvers/lbfgs.hpp"

namespace hwgcn::solvers_test {
namespace {

constexpr Index system_size = 30;

// M M' + I, dense.
std::vector<std::vector<double>> random_positive_definite(std::uint64_t seed) {
    RandomStream random(seed, 0);
    std::vector<std::vector<double>> m(system_size, std::vector<double>(system_size)), a = m;
    for (auto& row : m) {
        for (double& number : row)
            number = 2.0 * random.uniform() - 1.0;
    }
    for (Index i = 0; i < system_size; ++i) {
        for (Index j = 0; j < system_size; ++j) {
            a[i][j] = i == j ? 1.0 : 0.0;
            for (Index k = 0; k < system_size; ++k)
                a[i][j] += m[i][k] * m[j][k];
        }
    }
    return a;
}

struct DenseSystem {
    std::vector<std::vector<double>> a = random_positive_definite(5);
    std::vector<double> inverse;
    Columns solution{system_size, 3};
    Columns right_side{system_size, 3};

    DenseSystem() {
        RandomStream random(6, 0);
        for (double& number : solution.numbers)
            number = random.uniform();
        apply(solution, right_side);
        for (Index i = 0; i < system_size; ++i)
            inverse.push_back(1.0 / a[i][i]);
    }

    void apply(const Columns& x, Columns& out) const {
        for (Index i = 0; i < system_size; ++i) {
            for (Index c = 0; c < x.count; ++c) {
                out.row(i)[c] = 0;
                for (Index j = 0; j < system_size; ++j)
                    out.row(i)[c] += a[i][j] * x.row(j)[c];
            }
        }
    }

    SolverResult solve(Columns& x, const SolverOptions& options, const ExecutionControl& control = {}) const {
        return conjugate_gradients([&](const Columns& in, Columns& out) { apply(in, out); }, inverse,
                                   right_side, x, options, control);
    }
};

TEST(ConjugateGradients, FindTheSolutionThatTheRightSideWasMadeFrom) {
    const DenseSystem system;
    Columns x(system_size, 3);
    const SolverResult result = system.solve(x, {1e-12, 1000});
    EXPECT_TRUE(result.converged);
    EXPECT_LE(result.residual, 1e-12);
    EXPECT_GT(result.iterations, 5);
    for (std::size_t k = 0; k < x.numbers.size(); ++k)
        EXPECT_NEAR(x.numbers[k], system.solution.numbers[k], 1e-9);
}

TEST(ConjugateGradients, SayWhenTheyWereStoppedTooEarly) {
    const DenseSystem system;
    Columns x(system_size, 3);
    const SolverResult result = system.solve(x, {1e-12, 3});
    EXPECT_FALSE(result.converged);
    EXPECT_EQ(result.iterations, 3);
    EXPECT_GT(result.residual, 1e-12);
}

TEST(ConjugateGradients, AColumnOfZerosHasTheSolutionZero) {
    DenseSystem system;
    for (Index i = 0; i < system_size; ++i)
        system.right_side.row(i)[1] = 0.0;
    Columns x(system_size, 3);
    EXPECT_TRUE(system.solve(x, {1e-10, 1000}).converged);
    for (Index i = 0; i < system_size; ++i)
        EXPECT_EQ(x.row(i)[1], 0.0);
}

TEST(ConjugateGradients, CanBeStopped) {
    const DenseSystem system;
    Columns x(system_size, 3);
    const std::atomic<bool> stop = true;
    EXPECT_THROW(system.solve(x, {1e-12, 1000}, {1, nullptr, &stop}), Interrupted);
}

TEST(Lbfgs, FindsTheMinimumOfAQuadraticFunction) {
    const DenseSystem system;
    // x'Ax/2 - b'x for the first column
    const Objective objective = [&](std::span<const double> x, std::span<double> gradient) {
        double value = 0;
        for (Index i = 0; i < system_size; ++i) {
            gradient[i] = -system.right_side.row(i)[0];
            for (Index j = 0; j < system_size; ++j)
                gradient[i] += system.a[i][j] * x[j];
            value += 0.5 * x[i] * (gradient[i] - system.right_side.row(i)[0]);
        }
        return value;
    };
    const Minimum minimum = minimize(objective, std::vector<double>(system_size), {1e-6, 2000}, {});
    EXPECT_TRUE(minimum.converged);
    for (Index i = 0; i < system_size; ++i)
        EXPECT_NEAR(minimum.x[i], system.solution.row(i)[0], 1e-5);
}

TEST(Lbfgs, FindsTheMinimumOfACurvedFunctionFromFarAway) {
    // sum of cosh(x_k - k): flat in the middle, steep outside
    const Objective objective = [](std::span<const double> x, std::span<double> gradient) {
        double value = 0;
        for (std::size_t k = 0; k < x.size(); ++k) {
            value += std::cosh(x[k] - static_cast<double>(k));
            gradient[k] = std::sinh(x[k] - static_cast<double>(k));
        }
        return value;
    };
    const Minimum minimum = minimize(objective, std::vector<double>(5, 30.0), {}, {});
    EXPECT_TRUE(minimum.converged);
    EXPECT_LE(minimum.gradient, 1e-6);
    for (std::size_t k = 0; k < 5; ++k)
        EXPECT_NEAR(minimum.x[k], static_cast<double>(k), 1e-5);
}

}  // namespace
}  // namespace hwgcn::solvers_test
