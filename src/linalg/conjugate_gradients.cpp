#include "linalg/conjugate_gradients.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "hwgcn/support/error.hpp"

#include "support/stopping.hpp"

namespace hwgcn {
namespace {

using PerColumn = std::vector<double>;

PerColumn dot(const Columns& a, const Columns& b) {
    PerColumn sums(static_cast<std::size_t>(a.count));
    for (Index i = 0; i < a.rows; ++i) {
        for (Index c = 0; c < a.count; ++c)
            sums[c] += a.row(i)[c] * b.row(i)[c];
    }
    return sums;
}

// y = x * factors + y * keep, column by column.
void add_scaled(const Columns& x, const PerColumn& factors, Columns& y, const PerColumn& keep) {
    for (Index i = 0; i < x.rows; ++i) {
        for (Index c = 0; c < x.count; ++c)
            y.row(i)[c] = x.row(i)[c] * factors[c] + y.row(i)[c] * keep[c];
    }
}

void scale_rows(const Columns& x, std::span<const double> factors, Columns& out) {
    for (Index i = 0; i < x.rows; ++i) {
        for (Index c = 0; c < x.count; ++c)
            out.row(i)[c] = x.row(i)[c] * factors[i];
    }
}

// A column that is solved stands still: its quotient is 0/0.
PerColumn quotients(const PerColumn& a, const PerColumn& b) {
    PerColumn result(a.size());
    for (std::size_t c = 0; c < a.size(); ++c)
        result[c] = b[c] != 0.0 ? a[c] / b[c] : 0.0;
    return result;
}

double worst_residual(const Columns& r, const PerColumn& norms) {
    const PerColumn squares = dot(r, r);
    double worst = 0;
    for (std::size_t c = 0; c < squares.size(); ++c) {
        if (!std::isfinite(squares[c])) return squares[c];  // which the maximum could lose
        if (norms[c] > 0) worst = std::max(worst, std::sqrt(squares[c] / norms[c]));
    }
    return worst;
}

}  // namespace

SolverResult conjugate_gradients(const Apply& apply, std::span<const double> inverse, const Columns& b,
                                 Columns& x, const SolverOptions& options, const ExecutionControl& control) {
    const PerColumn ones(static_cast<std::size_t>(b.count), 1.0);
    const PerColumn minus_ones(ones.size(), -1.0);
    const PerColumn norms = dot(b, b);
    Columns r(b.rows, b.count), z(b.rows, b.count), p(b.rows, b.count), ap(b.rows, b.count);
    apply(x, r);
    add_scaled(b, ones, r, minus_ones);
    scale_rows(r, inverse, z);
    p = z;
    PerColumn rz = dot(r, z);
    SolverResult result;
    for (;;) {
        result.residual = worst_residual(r, norms);
        if (!std::isfinite(result.residual))
            throw Diverged(fmt::format(
                "conjugate gradients diverged at step {}: their residual is not finite", result.iterations));
        result.converged = result.residual <= options.tolerance;
        if (result.converged || result.iterations >= options.iterations) return result;
        throw_if_stopped(control);
        ++result.iterations;
        apply(p, ap);
        throw_if_stopped(control);
        PerColumn step = quotients(rz, dot(p, ap));
        add_scaled(p, step, x, ones);
        throw_if_stopped(control);
        for (double& s : step)
            s = -s;
        add_scaled(ap, step, r, ones);
        throw_if_stopped(control);
        scale_rows(r, inverse, z);
        const PerColumn next = dot(r, z);
        add_scaled(z, ones, p, quotients(next, rz));
        rz = next;
    }
}

}  // namespace hwgcn
