// The non-negative Lasso against projected gradient descent, and its duality gap recomputed from the
// definition.
#include <algorithm>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "oracle/ring_problem.hpp"
#include "weights/ring_solver.hpp"

namespace hwgcn::lasso_test {
namespace {

using testing::RingProblem;

std::vector<double> solve(RingProblem& problem, double lambda, Solution& solution,
                          const RingSolverOptions& options = {}) {
    const CsrMatrix<float> rows = testing::sparse_rows(problem);
    const SparseVector target = testing::sparse_target(problem);
    const std::vector<Index> members = testing::all_members(problem);
    RingSolver solver(rows);
    solver.load(members, target);
    solution = solver.solve_lasso(lambda, options);
    std::vector<double> w(problem.members(), 0.0);
    for (const Share& share : solution.support)
        w[share.position] = share.value;
    return w;
}

double objective(const RingProblem& problem, const std::vector<double>& w, double lambda) {
    return testing::square_norm(testing::residual(problem, w)) +
           lambda * std::accumulate(w.begin(), w.end(), 0.0);
}

// Slow and simple: w <- max(0, w - step * gradient), with the step from the trace of the Gram matrix.
double objective_by_gradient_descent(const RingProblem& problem, double lambda) {
    double trace = 0;
    for (const auto& row : problem.rows)
        trace += std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
    const double step = 1.0 / (2 * trace);
    std::vector<double> w(problem.members(), 0.0);
    for (int k = 0; k < 20'000; ++k) {
        const auto g = testing::gradient(problem, testing::residual(problem, w));
        for (std::size_t j = 0; j < w.size(); ++j) {
            w[j] = std::max(0.0, w[j] - step * (2 * static_cast<double>(g[j]) + lambda));
        }
    }
    return objective(problem, w, lambda);
}

TEST(Lasso, AgreesWithProjectedGradientDescent) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        RingProblem problem = testing::random_problem(12, 10, 0.4, seed);
        for (const double lambda : {1e-3, 1e-2}) {
            Solution solution;
            const std::vector<double> w = solve(problem, lambda, solution);
            EXPECT_EQ(solution.status, SolveStatus::optimal);
            EXPECT_LE(solution.gap, 1e-7);
            EXPECT_NEAR(objective(problem, w, lambda), solution.objective, 1e-12);
            EXPECT_NEAR(solution.objective, objective_by_gradient_descent(problem, lambda), 1e-5) << seed;
        }
    }
}

TEST(Lasso, GapBoundsTheDistanceToTheOptimumAndConditionsHold) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        RandomStream random(seed, 3);
        RingProblem problem = testing::random_problem(1 + random.below(200), 1 + random.below(40), 0.3, seed);
        const double lambda = std::pow(10.0, -1 - 4 * random.uniform());
        Solution solution;
        const std::vector<double> w = solve(problem, lambda, solution);
        EXPECT_EQ(solution.status, SolveStatus::optimal) << seed;
        EXPECT_LE(solution.gap, 1e-7);
        const auto g = testing::gradient(problem, testing::residual(problem, w));
        for (std::size_t j = 0; j < w.size(); ++j) {
            const auto slope = static_cast<double>(2 * g[j]) + lambda;
            EXPECT_GE(slope, -2e-4 * lambda - 1e-6) << seed;
            if (w[j] > 0) {
                EXPECT_NEAR(slope, 0.0, 1e-9) << seed;
            }
        }
    }
}

// The residual, scaled into the dual's constraints, is a dual point; its value is below the optimum.
double gap_by_definition(const RingProblem& problem, const std::vector<double>& w, double lambda) {
    const auto z = testing::residual(problem, w);
    const auto g = testing::gradient(problem, z);
    const auto largest = static_cast<double>(-*std::min_element(g.begin(), g.end()));
    const double kappa = std::min(1.0, lambda / 2 / std::max(largest, lambda / 2));
    long double with_target = 0;
    for (std::size_t f = 0; f < z.size(); ++f)
        with_target -= z[f] * problem.target[f];
    const double dual =
        2 * kappa * static_cast<double>(with_target) - kappa * kappa * testing::square_norm(z);
    return objective(problem, w, lambda) - dual;
}

// Far from the optimum the scale is far from one, and an error in the dual value is no longer small.
TEST(Lasso, ReportsItsTrueGapWhereverItStops) {
    int unfinished = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        RingProblem problem = testing::random_problem(400, 60, 0.1, seed);
        for (const int rounds : {1, 2, 3}) {
            Solution solution;
            const std::vector<double> w = solve(problem, 1e-3, solution, {.max_iterations = rounds});
            EXPECT_NEAR(solution.gap, gap_by_definition(problem, w, 1e-3), 1e-12) << seed;
            unfinished += solution.gap > 1e-6 ? 1 : 0;
        }
    }
    EXPECT_GT(unfinished, 10);
}

// Around hubs the weights sum to far more than one.
TEST(Lasso, HoldsItsCertificateWhereTheTotalIsLarge) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        RingProblem problem = testing::random_problem(1500, 60, 0.1, seed);
        for (double& value : problem.target)
            value *= 100;
        Solution solution;
        const std::vector<double> w = solve(problem, 1e-2, solution);
        EXPECT_EQ(solution.status, SolveStatus::optimal) << seed;
        EXPECT_GT(std::accumulate(w.begin(), w.end(), 0.0), 10.0);
        const auto g = testing::gradient(problem, testing::residual(problem, w));
        EXPECT_GE(static_cast<double>(2 * *std::min_element(g.begin(), g.end())) + 1e-2, -1e-6) << seed;
    }
}

TEST(Lasso, LargePenaltyGivesNoWeights) {
    RingProblem problem = testing::random_problem(20, 10, 0.4, 1);
    Solution solution;
    solve(problem, 100.0, solution);
    EXPECT_TRUE(solution.support.empty());
    EXPECT_EQ(solution.status, SolveStatus::optimal);
}

TEST(Lasso, RefusesAPenaltyThatIsNotPositive) {
    RingProblem problem = testing::random_problem(5, 5, 0.5, 1);
    Solution solution;
    EXPECT_THROW(solve(problem, 0.0, solution), InputError);
    EXPECT_THROW(solve(problem, -1.0, solution), InputError);
}

}  // namespace
}  // namespace hwgcn::lasso_test
