#include "tensor/solvers/lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "hwgcn/base/error.hpp"

#include "base/stopping.hpp"

namespace hwgcn {
namespace {

using Vector = std::vector<double>;

// The Armijo rule's share of the descent that the gradient promises, and the halvings before giving up.
constexpr double sufficient_descent = 1e-4;
constexpr int most_halvings = 40;

double dot(const Vector& a, const Vector& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k)
        sum += a[k] * b[k];
    return sum;
}

void add_scaled(Vector& y, double factor, const Vector& x) {
    for (std::size_t k = 0; k < y.size(); ++k)
        y[k] += factor * x[k];
}

double largest(const Vector& x) {
    double result = 0;
    for (const double number : x)
        result = std::max(result, std::abs(number));
    return result;
}

// A step and how the gradient changed along it.
struct Curvature {
    Vector step;
    Vector change;
    double inverse_product;  // 1 / <step, change>
};

// -H g, H being the inverse Hessian that the remembered steps suggest (the two-loop recursion).
Vector direction(const Vector& gradient, const std::deque<Curvature>& memory) {
    Vector d = gradient;
    std::vector<double> share(memory.size());
    for (std::size_t k = memory.size(); k-- > 0;) {
        share[k] = memory[k].inverse_product * dot(memory[k].step, d);
        add_scaled(d, -share[k], memory[k].change);
    }
    const double scale =
        memory.empty()
            ? 1.0 / std::max(1.0, std::sqrt(dot(gradient, gradient)))
            : 1.0 / (memory.back().inverse_product * dot(memory.back().change, memory.back().change));
    for (double& number : d)
        number *= -scale;
    for (std::size_t k = 0; k < memory.size(); ++k) {
        const double back = memory[k].inverse_product * dot(memory[k].change, d);
        add_scaled(d, -share[k] - back, memory[k].step);
    }
    return d;
}

void remember(std::deque<Curvature>& memory, Vector step, Vector change, int size) {
    const double product = dot(step, change);
    if (!(product > 0)) return;
    if (memory.size() == static_cast<std::size_t>(size)) memory.pop_front();
    memory.push_back({std::move(step), std::move(change), 1.0 / product});
}

}  // namespace

Minimum minimize(const Objective& objective, Vector x, const MinimizerOptions& options,
                 const ExecutionControl& control) {
    Minimum result;
    Vector gradient(x.size());
    double value = objective(x, gradient);
    std::deque<Curvature> memory;
    Vector trial(x.size()), trial_gradient(x.size());
    for (;;) {
        result.gradient = largest(gradient);
        result.converged = result.gradient <= options.tolerance;
        if (result.converged || result.iterations >= options.iterations) break;
        throw_if_stopped(control);
        ++result.iterations;
        Vector step = direction(gradient, memory);
        const double slope = dot(gradient, step);
        double length = 1.0;
        int halvings = 0;
        for (; halvings < most_halvings; ++halvings, length *= 0.5) {
            trial = x;
            add_scaled(trial, length, step);
            const double trial_value = objective(trial, trial_gradient);
            if (!(trial_value <= value + sufficient_descent * length * slope)) continue;
            value = trial_value;
            break;
        }
        if (halvings == most_halvings) break;
        for (double& number : step)
            number *= length;
        Vector change = trial_gradient;
        add_scaled(change, -1.0, gradient);
        remember(memory, std::move(step), std::move(change), options.memory);
        std::swap(x, trial);
        std::swap(gradient, trial_gradient);
    }
    result.x = std::move(x);
    result.value = value;
    return result;
}

}  // namespace hwgcn
