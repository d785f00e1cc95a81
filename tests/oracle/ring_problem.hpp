#pragma once

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "hwgcn/tensor/csr_matrix.hpp"

#include "base/random_stream.hpp"
#include "graph/smoothing.hpp"

namespace hwgcn::testing {

/// One problem in dense form, for oracles that know nothing of the solver: rows x_j and a target t.
struct RingProblem {
    std::string name;
    std::vector<std::vector<double>> rows;
    std::vector<double> target;

    std::size_t members() const { return rows.size(); }
    std::size_t features() const { return target.size(); }
};

/// The rows as the solver wants them. Values become floats; the problem is changed to hold exactly those.
inline CsrMatrix<float> sparse_rows(RingProblem& problem) {
    std::vector<Triplet<float>> triplets;
    for (std::size_t i = 0; i < problem.members(); ++i) {
        for (std::size_t f = 0; f < problem.features(); ++f) {
            const auto value = static_cast<float>(problem.rows[i][f]);
            problem.rows[i][f] = value;
            if (value != 0) triplets.push_back({static_cast<Index>(i), static_cast<Index>(f), value});
        }
    }
    return csr_from_triplets(static_cast<Index>(problem.members()), static_cast<Index>(problem.features()),
                             std::move(triplets));
}

inline SparseVector sparse_target(const RingProblem& problem) {
    SparseVector target;
    for (std::size_t f = 0; f < problem.features(); ++f) {
        if (problem.target[f] == 0) continue;
        target.columns.push_back(static_cast<Index>(f));
        target.values.push_back(problem.target[f]);
    }
    return target;
}

inline std::vector<Index> all_members(const RingProblem& problem) {
    std::vector<Index> members(problem.members());
    std::iota(members.begin(), members.end(), 0);
    return members;
}

/// Random rows that sum to one; `density` of the features are non-zero.
inline RingProblem random_problem(std::size_t members, std::size_t features, double density,
                                  std::uint64_t seed) {
    RandomStream random(seed, 5);
    RingProblem problem{"random", {}, std::vector<double>(features, 0.0)};
    for (std::size_t i = 0; i < members; ++i) {
        std::vector<double> row(features, 0.0);
        double sum = 0;
        for (double& value : row) {
            if (random.uniform() < density) sum += value = random.uniform();
        }
        for (double& value : row)
            value = sum > 0 ? value / sum : 0;
        problem.rows.push_back(std::move(row));
    }
    for (double& value : problem.target) {
        if (random.uniform() < 2 * density) value = random.uniform() * 2 / static_cast<double>(features);
    }
    return problem;
}

/// The residual z = sum_j u_j x_j - t, in long double.
inline std::vector<long double> residual(const RingProblem& problem, const std::vector<double>& u) {
    std::vector<long double> z(problem.features());
    for (std::size_t f = 0; f < z.size(); ++f)
        z[f] = -static_cast<long double>(problem.target[f]);
    for (std::size_t j = 0; j < u.size(); ++j) {
        for (std::size_t f = 0; u[j] != 0 && f < z.size(); ++f)
            z[f] += static_cast<long double>(u[j]) * problem.rows[j][f];
    }
    return z;
}

/// g_j = <x_j, z>, in long double.
inline std::vector<long double> gradient(const RingProblem& problem, const std::vector<long double>& z) {
    std::vector<long double> g(problem.members(), 0);
    for (std::size_t j = 0; j < g.size(); ++j) {
        for (std::size_t f = 0; f < z.size(); ++f)
            g[j] += problem.rows[j][f] * z[f];
    }
    return g;
}

inline double square_norm(const std::vector<long double>& z) {
    long double sum = 0;
    for (const long double value : z)
        sum += value * value;
    return static_cast<double>(sum);
}

}  // namespace hwgcn::testing
