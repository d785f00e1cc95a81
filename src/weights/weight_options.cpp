#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "base/parameter.hpp"
#include "weights/weight_parameters.hpp"

namespace hwgcn {

void validate_options(const WeightOptions& options) {
    validate_parameters(weight_parameters(), options);
    if (options.sample_ring > 0 && options.neighborhood != Neighborhood::distance)
        throw InputError(
            fmt::format("`sample_ring`: expected 0 with `neighborhood=power`, got {}", options.sample_ring));
    const auto orders = static_cast<std::size_t>(options.order) - 1;
    if (!options.keep.empty() && options.keep.size() != orders) {
        throw InputError(fmt::format("keep: expected {} shares, one for each of the orders 2..{}, got {}",
                                     orders, options.order, options.keep.size()));
    }
}

}  // namespace hwgcn
