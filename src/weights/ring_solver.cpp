#include "weights/ring_solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hwgcn/base/error.hpp"

#include "weights/active_set.hpp"

namespace hwgcn {

std::string_view name_of(SolveStatus status) {
    switch (status) {
        case SolveStatus::optimal:
            return "optimal";
        case SolveStatus::iteration_limit:
            return "iteration limit";
        case SolveStatus::stalled:
            return "stalled";
    }
    return "unknown";
}

struct RingSolver::Implementation {
    Implementation(const CsrMatrix<float>& matrix, std::shared_ptr<const RowNorms> row_norms)
        : features(&matrix),
          norms(std::move(row_norms)),
          constant_square(norms->constant_square()),
          active_set(matrix, *norms),
          target_dense(static_cast<std::size_t>(matrix.columns), 0.0),
          ring_sum(static_cast<std::size_t>(matrix.columns), 0.0) {}

    double take_ring_sum_square();
    const Solution& solve(QuadraticForm form, const RingSolverOptions& options);

    const CsrMatrix<float>* features;
    std::shared_ptr<const RowNorms> norms;
    double constant_square;
    ActiveSet active_set;
    std::vector<double> target_dense;  // all zero between calls
    std::vector<double> ring_sum;      // s; all zero between calls
    std::vector<Index> rows;           // that may carry weight
    std::vector<double> correlations;  // <x_j, t> of each
    std::vector<Index> positions;      // of each in the ring
    std::int64_t ring_entries = 0;     // stored feature values over the ring
    double target_square = 0;
    Solution solution;
};

// <s,s>, leaving s zero again: over all features, or over the entries of the ring where those are fewer.
double RingSolver::Implementation::take_ring_sum_square() {
    double square = 0;
    const auto take = [&](double& sum) {
        square += sum * sum;
        sum = 0.0;
    };
    if (ring_entries > features->columns) {
        for (double& sum : ring_sum)
            take(sum);
    } else {
        for (const Index row : rows) {
            for (const Index column : features->row(row).indices)
                take(ring_sum[column]);
        }
    }
    return square;
}

RingSolver::RingSolver(const CsrMatrix<float>& features)
    : RingSolver(std::make_unique<Implementation>(features, std::make_shared<const RowNorms>(features))) {}
RingSolver::RingSolver(const CsrMatrix<float>& features, const FeatureFacts& facts)
    : RingSolver(
          std::make_unique<Implementation>(features, std::make_shared<const RowNorms>(features, facts))) {}
RingSolver::RingSolver(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
RingSolver::RingSolver(RingSolver&&) noexcept = default;
RingSolver& RingSolver::operator=(RingSolver&&) noexcept = default;
RingSolver::~RingSolver() = default;

RingSolver RingSolver::sibling() const {
    return RingSolver(std::make_unique<Implementation>(*implementation_->features, implementation_->norms));
}

// One pass over the ring: <x_j, t> of each member and their sum s. Then <s,t> is the sum of the former.
RingSolver::RingScale RingSolver::load(std::span<const Index> members, const SparseVector& target) {
    Implementation& ring = *implementation_;
    ring.rows.assign(members.begin(), members.end());
    ring.positions.resize(members.size());
    std::iota(ring.positions.begin(), ring.positions.end(), 0);
    ring.correlations.resize(members.size());
    ring.ring_entries = 0;
    ring.target_square = 0;
    for (std::size_t e = 0; e < target.columns.size(); ++e) {
        ring.target_dense[target.columns[e]] = target.values[e];
        ring.target_square += target.values[e] * target.values[e];
    }
    cpu::dot_and_add_rows(*ring.features, members, ring.target_dense.data(), ring.correlations.data(),
                          ring.ring_sum.data());
    for (const Index member : members)
        ring.ring_entries += static_cast<std::int64_t>(ring.features->row(member).size());
    const double sum_with_target = std::accumulate(ring.correlations.begin(), ring.correlations.end(), 0.0);
    for (const Index column : target.columns)
        ring.target_dense[column] = 0.0;

    const double sum_square = ring.take_ring_sum_square();
    // One number that is not finite anywhere in the ring or the target shows in one of the three.
    if (!std::isfinite(sum_square) || !std::isfinite(sum_with_target) || !std::isfinite(ring.target_square)) {
        throw InputError("the features of a ring and its target must be finite");
    }
    const auto count = static_cast<double>(members.size());
    const double square = sum_square + count * count * ring.constant_square;
    RingScale scale;
    if (square > 0) scale.alpha = (sum_with_target + count * ring.constant_square * target.mass) / square;
    scale.total = count * scale.alpha;
    return scale;
}

// |x_j - t|^2 orders like |x_j|^2 - 2 <x_j, t>.
void RingSolver::restrict_to_nearest(std::size_t limit) {
    Implementation& ring = *implementation_;
    if (limit >= ring.rows.size()) return;
    std::vector<double> distance(ring.rows.size());
    for (std::size_t j = 0; j < distance.size(); ++j) {
        const double norm = ring.norms->norms[ring.rows[j]];
        distance[j] = norm * norm - 2 * ring.correlations[j];
    }
    const auto nearer = [&](Index a, Index b) {
        return distance[a] != distance[b] ? distance[a] < distance[b] : a < b;
    };
    const auto end = ring.positions.begin() + static_cast<std::ptrdiff_t>(limit);
    std::nth_element(ring.positions.begin(), end, ring.positions.end(), nearer);
    ring.positions.resize(limit);
    std::sort(ring.positions.begin(), ring.positions.end());
    for (std::size_t k = 0; k < limit; ++k) {
        ring.rows[k] = ring.rows[ring.positions[k]];
        ring.correlations[k] = ring.correlations[ring.positions[k]];
    }
    ring.rows.resize(limit);
    ring.correlations.resize(limit);
}

std::span<const Index> RingSolver::positions() const {
    return implementation_->positions;
}

const Solution& RingSolver::Implementation::solve(QuadraticForm form, const RingSolverOptions& options) {
    if (rows.empty()) throw InputError("a ring without members has no weights to solve for");
    form.target_square = target_square;
    active_set.solve(rows, correlations, form, options, solution);
    for (Share& share : solution.support)
        share.position = positions[share.position];
    return solution;
}

const Solution& RingSolver::solve_simplex(const RingSolverOptions& options) {
    return implementation_->solve({}, options);
}

const Solution& RingSolver::solve_lasso(double lambda, const RingSolverOptions& options) {
    if (!(lambda > 0)) throw InputError("lambda must be positive");
    QuadraticForm form;
    form.on_simplex = false;
    form.half_lambda = lambda / 2;
    return implementation_->solve(form, options);
}

}  // namespace hwgcn
