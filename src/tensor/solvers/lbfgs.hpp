#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hwgcn/base/run_control.hpp"

namespace hwgcn {

/// A smooth convex function: returns its value at `x` and writes its gradient.
using Objective = std::function<double(std::span<const double> x, std::span<double> gradient)>;

struct MinimizerOptions {
    double tolerance = 1e-6;  ///< of the gradient's largest number
    int iterations = 2000;
    int memory = 10;  ///< steps that the curvature is estimated from
};

struct Minimum {
    std::vector<double> x;
    double value = 0;
    double gradient = 0;  ///< the gradient's largest number
    int iterations = 0;
    bool converged = false;
};

/// L-BFGS (Nocedal 1980) with step halving, starting from `x`. It ends early where rounding hides any further
/// descent. Throws Interrupted.
Minimum minimize(const Objective& objective, std::vector<double> x, const MinimizerOptions& options,
                 const ExecutionControl& control);

}  // namespace hwgcn
