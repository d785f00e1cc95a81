#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "hwgcn/dataset/feature_scaling.hpp"
#include "hwgcn/tensor/csr_matrix.hpp"

#include "graph/smoothing.hpp"

namespace hwgcn {

/// How a solve ended. Only `optimal` promises that the gap is within tolerance.
enum class SolveStatus {
    optimal,          ///< gap <= tolerance
    iteration_limit,  ///< stopped by max_iterations; the best point so far and its true gap are returned
    stalled,  ///< rounding leaves no further progress; the best point so far and its true gap are returned
};
std::string_view name_of(SolveStatus status);

struct RingSolverOptions {
    double tolerance = 1e-7;    ///< on the gap
    int max_iterations = 1000;  ///< rounds, see Solution::iterations
};

/// A member of the ring that carries weight: position in `members`, and its share.
struct Share {
    Index position;
    double value;
};

/// The answer of a solver, always with its certificate.
struct Solution {
    SolveStatus status = SolveStatus::optimal;
    int iterations = 0;          ///< rounds in which the ring was searched for members to enter
    double gap = 0;              ///< certificate: see the function that returned it
    double objective = 0;        ///< value of the minimised function
    std::vector<Share> support;  ///< the non-zero shares, by position
};

/// min || sum_j u_j x_j - t ||^2 over the unit simplex (u >= 0, sum u = 1): the point of the convex hull of
/// the members' feature rows nearest to the target. With z = sum_j u_j x_j - t and g_j = <x_j, z>,
///     gap = sum_j u_j g_j - min_j g_j >= 0   and   f(u) - f* <= 2 gap.
/// The same for every x_j repeated: ties go to the member with the smallest position.
class RingSolver {
  public:
    /// `features` are rows of the whole graph; it must outlive the solver. One solver per thread.
    explicit RingSolver(const CsrMatrix<float>& features);

    /// `features` are some rows of a whole of which the `facts` are known.
    RingSolver(const CsrMatrix<float>& features, const FeatureFacts& facts);
    RingSolver(RingSolver&&) noexcept;
    RingSolver& operator=(RingSolver&&) noexcept;
    RingSolver(const RingSolver&) = delete;
    RingSolver& operator=(const RingSolver&) = delete;
    ~RingSolver();

    /// A solver for another thread, which shares what this one knows of the feature rows.
    RingSolver sibling() const;

    /// What one pass over the ring finds out: <x_j, t> per member and the scale of the ring.
    struct RingScale {
        /// <s,t>/<s,s> with s the sum of the members' rows; 0 where <s,s> = 0. Where features are negative,
        /// it is fitted with a constant feature b beside them, b^2 the largest |x_j|^2 of the graph:
        /// (<s,t> + m b^2 mass)/(<s,s> + m^2 b^2). On the simplex a constant changes nothing; here it keeps
        /// alpha from becoming negative, because <x_j,x_k> + b^2 >= 0 for any two rows.
        double alpha = 0;
        double total = 0;  ///< members * alpha: the sum of the weights of the ring
    };

    /// Fixes target and members for the calls below. Throws InputError where a number is not finite.
    RingScale load(std::span<const Index> members, const SparseVector& target);

    /// Keeps only the `limit` members nearest to the target (ties by position) for the solve that follows;
    /// the scale of the full ring is not changed. Positions in the solution still refer to the members given
    /// to `load`.
    void restrict_to_nearest(std::size_t limit);

    /// The positions of the members that may carry weight, ascending; valid until the next `load`.
    std::span<const Index> positions() const;

    /// Solves over the simplex. Valid until the next call.
    const Solution& solve_simplex(const RingSolverOptions& options);

    /// The ablation: min || sum_j w_j x_j - t ||^2 + lambda * sum_j w_j over w >= 0, lambda > 0;
    /// the gap is the duality gap of this problem.
    const Solution& solve_lasso(double lambda, const RingSolverOptions& options);

  private:
    struct Implementation;
    explicit RingSolver(std::unique_ptr<Implementation> implementation);

    std::unique_ptr<Implementation> implementation_;
};

}  // namespace hwgcn
