#include "tensor/solvers/conjugate_gradients.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/stopping.hpp"
#include "tensor/blocks/row_exchange.hpp"

namespace hwgcn {
namespace {

using PerColumn = std::vector<double>;

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

}  // namespace

std::vector<double> column_products(const Columns& a, const Columns& b, const SummedRows& rows) {
    return sum_over_rows(rows, a.rows, static_cast<std::size_t>(a.count),
                         [&](RowRange range, std::span<double> sums) {
                             for (Index i = range.begin; i < range.end; ++i) {
                                 for (Index c = 0; c < a.count; ++c)
                                     sums[c] += a.row(i)[c] * b.row(i)[c];
                             }
                         });
}

double worst_residual(std::span<const double> squares_of_r, std::span<const double> squares_of_b) {
    double worst = 0;
    for (std::size_t c = 0; c < squares_of_r.size(); ++c) {
        if (!std::isfinite(squares_of_r[c])) return squares_of_r[c];  // which the maximum could lose
        if (squares_of_b[c] > 0) worst = std::max(worst, std::sqrt(squares_of_r[c] / squares_of_b[c]));
    }
    return worst;
}

SolverResult conjugate_gradients(const Apply& apply, std::span<const double> inverse, const Columns& b,
                                 Columns& x, const SolverOptions& options, const ExecutionControl& control,
                                 const SummedRows& rows) {
    RowExchange* const exchange = exchange_of(rows.layout);
    const ExecutionControl inner = until_agreement(exchange, control);
    const auto dot = [&](const Columns& left, const Columns& right) {
        return column_products(left, right, rows);
    };
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
        result.residual = worst_residual(dot(r, r), norms);
        if (!std::isfinite(result.residual))
            throw Diverged(fmt::format(
                "conjugate gradients diverged at step {}: their residual is not finite", result.iterations));
        result.converged = result.residual <= options.tolerance;
        if (result.converged || result.iterations >= options.iterations) return result;
        throw_if_any_is_stopped(exchange, control);
        ++result.iterations;
        apply(p, ap);
        throw_if_stopped(inner);
        PerColumn step = quotients(rz, dot(p, ap));
        add_scaled(p, step, x, ones);
        throw_if_stopped(inner);
        for (double& s : step)
            s = -s;
        add_scaled(ap, step, r, ones);
        throw_if_stopped(inner);
        scale_rows(r, inverse, z);
        const PerColumn next = dot(r, z);
        add_scaled(z, ones, p, quotients(next, rz));
        rz = next;
    }
}

}  // namespace hwgcn
