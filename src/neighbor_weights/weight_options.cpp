#include <cmath>

#include <fmt/format.h>

#include "hwgcn/neighbor_weights/learn_weights.hpp"
#include "hwgcn/support/error.hpp"

namespace hwgcn {

void validate_options(const WeightOptions& options) {
    const auto require = [](bool holds, const std::string& message) {
        if (!holds) throw InputError(message);
    };
    require(options.order >= 1 && options.order <= max_order,
            fmt::format("order must lie in 1..{}, got {}", max_order, options.order));
    require(options.tolerance > 0 && std::isfinite(options.tolerance),
            fmt::format("tolerance must be a positive number, got {}", options.tolerance));
    require(options.lambda > 0 && std::isfinite(options.lambda),
            fmt::format("lambda must be a positive number, got {}", options.lambda));
    require(options.max_ring >= 0, fmt::format("max_ring must not be negative, got {}", options.max_ring));
    const auto orders = static_cast<std::size_t>(options.order) - 1;
    require(options.keep.empty() || options.keep.size() == orders,
            fmt::format("keep needs one share for each of the orders 2..{}: {} expected, got {}",
                        options.order, orders, options.keep.size()));
    for (const double share : options.keep) {
        require(share > 0 && share <= 1, fmt::format("keep: a share must lie in (0, 1], got {}", share));
    }
}

}  // namespace hwgcn
