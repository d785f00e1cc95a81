#pragma once

// dlib's sequential minimal optimisation, an independent solver of the simplex problem. It knows only the
// Gram matrix.

#include <numeric>
#include <vector>

#include <dlib/optimization/optimization_solve_qp_using_smo.h>

#include "oracle/ring_problem.hpp"

namespace hwgcn::testing {

struct SmoSolution {
    std::vector<double> u;
    unsigned long iterations;
};

/// min || sum_j u_j x_j - t ||^2 over the unit simplex.
inline SmoSolution solve_by_smo(const RingProblem& problem, double tolerance, unsigned long max_iterations) {
    const auto n = static_cast<long>(problem.members());
    const auto inner = [](const std::vector<double>& a, const std::vector<double>& b) {
        return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    };
    dlib::matrix<double> gram(n, n);
    dlib::matrix<double, 0, 1> correlation(n), alpha(n);
    for (long i = 0; i < n; ++i) {
        for (long j = 0; j < n; ++j)
            gram(i, j) = inner(problem.rows[i], problem.rows[j]);
        correlation(i) = inner(problem.rows[i], problem.target);
        alpha(i) = 1.0 / static_cast<double>(n);
    }
    const unsigned long iterations =
        dlib::solve_qp_using_smo(gram, correlation, alpha, tolerance, max_iterations);
    return {{alpha.begin(), alpha.end()}, iterations};
}

}  // namespace hwgcn::testing
