#include "training/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tensor/elementwise.hpp"

namespace hwgcn {
namespace {

// Kingma and Ba's values, which are never changed.
constexpr double beta1 = 0.9;
constexpr double beta2 = 0.999;
constexpr double epsilon = 1e-8;

// By repeated multiplication: std::pow has other last bits on other processors.
double power(double base, int exponent) {
    double result = 1.0;
    for (int k = 0; k < exponent; ++k)
        result *= base;
    return result;
}

// cos^2(x pi/2) = (1 + cos(x pi)) / 2 for x in 0..1, by the Taylor series of the cosine (the term of degree
// 24 is below 1e-19): std::cos, too, has other last bits on other processors.
double squared_cosine(double x) {
    const double angle = x * (0.5 * std::numbers::pi);
    double sum = 1.0;
    for (int n = 22; n >= 2; n -= 2)
        sum = 1.0 - sum * angle * angle / (n * (n - 1));
    return sum * sum;
}

void step_by_adam(FitState& state, std::span<const DenseMatrix> gradients, const FitOptions& options) {
    AdamStep adam{};
    adam.rate = static_cast<float>(scheduled_rate(options, state.epoch) / (1.0 - power(beta1, state.epoch)));
    adam.root_scale = static_cast<float>(1.0 / std::sqrt(1.0 - power(beta2, state.epoch)));
    adam.beta1 = static_cast<float>(beta1);
    adam.beta2 = static_cast<float>(beta2);
    adam.epsilon = static_cast<float>(epsilon);
    for (std::size_t k = 0; k < gradients.size(); ++k) {
        TrainableMatrix& parameter = state.current[k];
        adam.decay = parameter.decays ? static_cast<float>(options.l2) : 0.0F;
        adam_step(adam, gradients[k], parameter.value, state.mean[k], state.square[k]);
    }
}

void step_downhill(FitState& state, std::span<DenseMatrix> gradients, const FitOptions& options) {
    const auto rate = static_cast<float>(scheduled_rate(options, state.epoch));
    for (std::size_t k = 0; k < gradients.size(); ++k) {
        TrainableMatrix& parameter = state.current[k];
        const float decay = parameter.decays ? static_cast<float>(options.l2) : 0.0F;
        scale({decay}, parameter.value, gradients[k], Write::add);
        scale({-rate}, gradients[k], parameter.value, Write::add);
    }
}

}  // namespace

double scheduled_rate(const FitOptions& options, int epoch) {
    if (options.rate_decay == RateDecay::cosine)
        return options.rate * squared_cosine(static_cast<double>(epoch - 1) / options.epochs);
    if (options.rate_interval == 0) return options.rate;
    const int steps = (epoch - 1) / options.rate_interval;
    return options.rate * std::max(0.0, 1.0 - options.rate_drop * steps);
}

void step(FitState& state, std::span<DenseMatrix> gradients, const FitOptions& options) {
    switch (options.optimizer) {
        case Optimizer::adam:
            return step_by_adam(state, gradients, options);
        case Optimizer::gradient_descent:
            return step_downhill(state, gradients, options);
    }
}

}  // namespace hwgcn
