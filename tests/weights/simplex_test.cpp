// The simplex solver against its definition: feasibility, the optimality conditions recomputed in long
// double, an independent solver (dlib's SMO), and problems made to break it.
#include <algorithm>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "oracle/ring_problem.hpp"
#include "oracle/smo.hpp"
#include "weights/ring_solver.hpp"

namespace hwgcn::simplex_test {
namespace {

using testing::RingProblem;

struct Solved {
    Solution solution;
    RingSolver::RingScale scale;
    std::vector<double> u;  // dense
};

Solved solve(RingProblem& problem, const RingSolverOptions& options = {}) {
    const CsrMatrix<float> rows = testing::sparse_rows(problem);
    const SparseVector target = testing::sparse_target(problem);
    const std::vector<Index> members = testing::all_members(problem);
    RingSolver solver(rows);
    Solved solved;
    solved.scale = solver.load(members, target);
    solved.solution = solver.solve_simplex(options);
    solved.u.assign(problem.members(), 0.0);
    for (const Share& share : solved.solution.support)
        solved.u[share.position] = share.value;
    return solved;
}

// Every condition that makes u the answer, from the dense problem alone.
void expect_optimal(const RingProblem& problem, const Solved& solved, double tolerance = 1e-7) {
    SCOPED_TRACE(problem.name);
    const Solution& solution = solved.solution;
    EXPECT_EQ(solution.status, SolveStatus::optimal) << name_of(solution.status);
    EXPECT_LE(solution.gap, tolerance);
    EXPECT_GE(solution.iterations, 1);

    double sum = 0;
    for (const Share& share : solution.support) {
        EXPECT_GT(share.value, 0.0);
        sum += share.value;
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
    EXPECT_TRUE(std::is_sorted(solution.support.begin(), solution.support.end(),
                               [](const Share& a, const Share& b) { return a.position < b.position; }));

    const auto z = testing::residual(problem, solved.u);
    const auto g = testing::gradient(problem, z);
    long double value = 0;
    for (std::size_t j = 0; j < g.size(); ++j)
        value += solved.u[j] * g[j];
    const auto gap = static_cast<double>(value - *std::min_element(g.begin(), g.end()));
    EXPECT_NEAR(gap, solution.gap, 1e-12) << "the reported gap is not the true one";
    EXPECT_NEAR(testing::square_norm(z), solution.objective, 1e-12);
    // Stationarity: members with weight have the smallest gradient, up to the tolerance.
    for (const Share& share : solution.support) {
        EXPECT_LE(share.value * static_cast<double>(g[share.position] - value), tolerance);
    }
}

double objective_by_smo(const RingProblem& problem) {
    return testing::square_norm(
        testing::residual(problem, testing::solve_by_smo(problem, 1e-10, 2'000'000).u));
}

// The sanitizers slow the other solver down twentyfold.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::uint64_t random_problems = 400;
#else
constexpr std::uint64_t random_problems = 2000;
#endif

TEST(Simplex, AgreesWithSmoOnThousandsOfRandomProblems) {
    for (std::uint64_t seed = 0; seed < random_problems; ++seed) {
        RandomStream random(seed, 9);
        const std::size_t members = 1 + random.below(30);
        const std::size_t features = 1 + random.below(25);
        RingProblem problem = testing::random_problem(members, features, 0.05 + 0.9 * random.uniform(), seed);
        problem.name = "seed " + std::to_string(seed);
        const Solved solved = solve(problem);
        expect_optimal(problem, solved);
        // Both are within their gaps of the optimum: f(u) - f* <= 2 gap.
        EXPECT_NEAR(solved.solution.objective, objective_by_smo(problem), 3e-7) << problem.name;
        if (::testing::Test::HasFailure()) break;
    }
}

TEST(Simplex, IsTightToARequestedTolerance) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        RingProblem problem = testing::random_problem(60, 40, 0.2, seed);
        expect_optimal(problem, solve(problem, {.tolerance = 1e-12}), 1e-12);
    }
}

// Many members, more than ever fit into the working set at once.
TEST(Simplex, SolvesRingsOfThousands) {
    for (const std::size_t members : {300U, 3000U, 9000U}) {
        RingProblem sparse = testing::random_problem(members, 300, 0.05, members);
        expect_optimal(sparse, solve(sparse));
        RingProblem dense = testing::random_problem(members, 60, 1.0, members);
        expect_optimal(dense, solve(dense));
    }
}

// t is a combination of many members: the distance is zero and the support as large as it gets.
TEST(Simplex, ReachesATargetInsideTheHull) {
    RingProblem problem = testing::random_problem(400, 120, 0.5, 3);
    testing::sparse_rows(problem);  // rounds the rows
    std::fill(problem.target.begin(), problem.target.end(), 0.0);
    for (const auto& row : problem.rows) {
        for (std::size_t f = 0; f < row.size(); ++f)
            problem.target[f] += row[f] / 400.0;
    }
    const Solved solved = solve(problem);
    expect_optimal(problem, solved);
    EXPECT_LT(solved.solution.objective, 1e-6);
}

using AddProblem = std::function<void(std::string name, RingProblem problem)>;

void add_hostile_rows(const AddProblem& add) {
    add("one member", testing::random_problem(1, 8, 0.5, 1));
    add("one feature", testing::random_problem(50, 1, 1.0, 2));

    RingProblem identical = testing::random_problem(1, 10, 0.5, 3);
    identical.rows.resize(500, identical.rows[0]);
    add("500 identical rows", identical);

    RingProblem pairs = testing::random_problem(40, 20, 0.4, 4);
    for (std::size_t j = 0; j < 40; ++j)
        pairs.rows.push_back(pairs.rows[j]);
    add("every row twice", pairs);

    RingProblem nearly = testing::random_problem(40, 20, 0.4, 5);
    for (std::size_t j = 0; j < 40; ++j) {
        auto row = nearly.rows[j];
        row[j % 20] += 1e-7;
        nearly.rows.push_back(row);
    }
    add("every row twice, but for 1e-7", nearly);

    RingProblem zeros = testing::random_problem(30, 20, 0.4, 6);
    for (std::size_t j = 0; j < 30; j += 2)
        std::fill(zeros.rows[j].begin(), zeros.rows[j].end(), 0.0);
    add("half of the rows zero", zeros);

    RingProblem all_zero = testing::random_problem(20, 10, 0.4, 7);
    for (auto& row : all_zero.rows)
        std::fill(row.begin(), row.end(), 0.0);
    add("all rows zero", all_zero);

    RingProblem line = testing::random_problem(2, 15, 0.6, 10);
    const auto a = line.rows[0], b = line.rows[1];
    for (int k = 1; k < 200; ++k) {
        auto row = a;
        for (std::size_t f = 0; f < row.size(); ++f)
            row[f] += (b[f] - a[f]) * k / 200.0;
        line.rows.push_back(row);
    }
    add("all rows on one line", line);

    RingProblem mixed = testing::random_problem(60, 30, 0.3, 13);
    for (std::size_t j = 0; j < 60; ++j) {
        for (double& value : mixed.rows[j])
            value *= std::pow(10.0, static_cast<double>(j % 7) - 6.0);
    }
    add("rows of very different lengths", mixed);

    RingProblem negative = testing::random_problem(200, 30, 0.5, 14);
    for (std::size_t j = 0; j < 200; ++j)
        negative.rows[j][j % 30] -= 0.3;
    add("negative features", negative);

    add("dense features", testing::random_problem(2000, 50, 1.0, 15));
}

void add_hostile_targets(const AddProblem& add) {
    RingProblem no_target = testing::random_problem(50, 20, 0.4, 8);
    std::fill(no_target.target.begin(), no_target.target.end(), 0.0);
    add("target zero", no_target);

    RingProblem vertex = testing::random_problem(50, 20, 0.4, 9);
    testing::sparse_rows(vertex);
    vertex.target = vertex.rows[17];
    add("target is a member", vertex);

    RingProblem corners{"", std::vector(30, std::vector<double>(30, 0.0)), std::vector<double>(30, 1.0 / 30)};
    for (std::size_t j = 0; j < 30; ++j)
        corners.rows[j][j] = 1.0;
    add("unit vectors, target their centre", corners);

    RingProblem far = testing::random_problem(60, 20, 0.4, 11);
    for (double& value : far.target)
        value = 1000;
    add("target far away", far);

    RingProblem tiny = testing::random_problem(60, 20, 0.4, 12);
    for (double& value : tiny.target)
        value = 1e-30;
    add("target tiny", tiny);
}

std::vector<RingProblem> hostile_problems() {
    std::vector<RingProblem> problems;
    const auto add = [&](std::string name, RingProblem problem) {
        problem.name = std::move(name);
        problems.push_back(std::move(problem));
    };
    add_hostile_rows(add);
    add_hostile_targets(add);
    return problems;
}

TEST(Simplex, SolvesHostileProblemsToTolerance) {
    for (RingProblem& problem : hostile_problems()) {
        const Solved solved = solve(problem);
        expect_optimal(problem, solved);
        if (problem.members() <= 500) {
            EXPECT_NEAR(solved.solution.objective, objective_by_smo(problem),
                        1e-9 * solved.solution.objective + 3e-7)
                << problem.name;
        }
    }
}

TEST(Simplex, IdenticalMembersTieToTheFirst) {
    RingProblem problem = testing::random_problem(20, 12, 0.4, 21);
    for (std::size_t j = 0; j < 20; ++j)
        problem.rows.push_back(problem.rows[j]);
    const Solved solved = solve(problem);
    for (const Share& share : solved.solution.support)
        EXPECT_LT(share.position, 20);
}

TEST(Simplex, StopsAtTheIterationLimitAndSaysSo) {
    RingProblem problem = testing::random_problem(5000, 300, 0.05, 1);
    const Solved solved = solve(problem, {.max_iterations = 1});
    EXPECT_EQ(solved.solution.status, SolveStatus::iteration_limit);
    EXPECT_GT(solved.solution.gap, 1e-7);
    const auto g = testing::gradient(problem, testing::residual(problem, solved.u));
    long double value = 0;
    for (std::size_t j = 0; j < g.size(); ++j)
        value += solved.u[j] * g[j];
    EXPECT_NEAR(static_cast<double>(value - *std::min_element(g.begin(), g.end())), solved.solution.gap,
                1e-12);
}

TEST(Simplex, RefusesNumbersThatAreNotFinite) {
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        RingProblem target = testing::random_problem(40, 10, 0.5, 61);
        target.target[3] = bad;
        EXPECT_THROW(solve(target), InputError);
        RingProblem row = testing::random_problem(40, 10, 0.5, 62);
        row.rows[7][2] = bad;
        EXPECT_THROW(solve(row), InputError);
    }
}

TEST(Simplex, RefusesAnEmptyRing) {
    const CsrMatrix<float> rows{1, 1, {0, 1}, {0}, {1.0F}};
    RingSolver solver(rows);
    solver.load({}, {});
    EXPECT_THROW(solver.solve_simplex({}), InputError);
}

TEST(Simplex, AUsedSolverGivesTheSameBitsAsAFreshOne) {
    std::vector<RingProblem> problems;
    RingProblem all = testing::random_problem(400, 50, 0.2, 31);
    const CsrMatrix<float> rows = testing::sparse_rows(all);
    RingSolver used(rows);
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        RandomStream random(seed, 0);
        std::vector<Index> members;
        for (Index i = 0; i < 400; ++i) {
            if (random.uniform() < 0.5) members.push_back(i);
        }
        SparseVector target = testing::sparse_target(testing::random_problem(1, 50, 0.3, seed));
        RingSolver fresh(rows);
        used.load(members, target);
        fresh.load(members, target);
        const Solution& a = used.solve_simplex({});
        const Solution& b = fresh.solve_simplex({});
        ASSERT_EQ(a.support.size(), b.support.size());
        for (std::size_t k = 0; k < a.support.size(); ++k) {
            EXPECT_EQ(a.support[k].position, b.support[k].position);
            EXPECT_EQ(a.support[k].value, b.support[k].value);
        }
    }
}

TEST(RingScale, FollowsItsFormula) {
    RingProblem problem = testing::random_problem(15, 10, 0.4, 41);
    const Solved solved = solve(problem);
    std::vector<double> s(10, 0.0);
    for (const auto& row : problem.rows) {
        for (std::size_t f = 0; f < 10; ++f)
            s[f] += row[f];
    }
    const double st = std::inner_product(s.begin(), s.end(), problem.target.begin(), 0.0);
    const double ss = std::inner_product(s.begin(), s.end(), s.begin(), 0.0);
    EXPECT_NEAR(solved.scale.alpha, st / ss, 1e-13);
    EXPECT_NEAR(solved.scale.total, 15 * st / ss, 1e-12);
}

TEST(RestrictToNearest, SolvesOverTheNearestMembersOnly) {
    RingProblem problem = testing::random_problem(100, 20, 0.3, 51);
    const CsrMatrix<float> rows = testing::sparse_rows(problem);
    const SparseVector target = testing::sparse_target(problem);
    const std::vector<Index> members = testing::all_members(problem);
    std::vector<std::pair<double, Index>> distance;
    for (Index j = 0; j < 100; ++j) {
        double square = 0;
        for (std::size_t f = 0; f < 20; ++f)
            square += std::pow(problem.rows[j][f] - problem.target[f], 2);
        distance.emplace_back(square, j);
    }
    std::sort(distance.begin(), distance.end());
    std::vector<Index> nearest;
    for (int k = 0; k < 30; ++k)
        nearest.push_back(distance[k].second);
    std::sort(nearest.begin(), nearest.end());

    RingSolver solver(rows);
    solver.load(members, target);
    solver.restrict_to_nearest(30);
    EXPECT_TRUE(
        std::equal(nearest.begin(), nearest.end(), solver.positions().begin(), solver.positions().end()));
    const Solution restricted = solver.solve_simplex({});
    solver.load(nearest, target);
    const Solution direct = solver.solve_simplex({});
    ASSERT_EQ(restricted.support.size(), direct.support.size());
    for (std::size_t k = 0; k < direct.support.size(); ++k) {
        EXPECT_EQ(restricted.support[k].position, nearest[direct.support[k].position]);
        EXPECT_EQ(restricted.support[k].value, direct.support[k].value);
    }
}

}  // namespace
}  // namespace hwgcn::simplex_test
