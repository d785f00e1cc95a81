#include "weights/weight_parameters.hpp"

namespace hwgcn {

const std::vector<Parameter<WeightOptions>>& weight_parameters() {
    using Options = WeightOptions;
    constexpr bool excluded = true;
    constexpr double any = std::numeric_limits<double>::max();
    static const std::vector<Parameter<Options>> table = {
        number_parameter("order", &Options::order, Range<int>{1, max_order}, "K",
                         "learn the weights of the orders 2..K"),
        choice_parameter<Options, Neighborhood>(
            "neighborhood", &Options::neighborhood,
            {{"distance", Neighborhood::distance}, {"power", Neighborhood::power}},
            "neighbors of order k: nodes at distance exactly k, or non-zeros of the k-th power of the "
            "adjacency matrix"),
        choice_parameter<Options, Weighting>(
            "weighting", &Options::weighting,
            {{"learned", Weighting::learned}, {"uniform", Weighting::uniform}, {"lasso", Weighting::lasso}},
            "how the members of a ring get their weights"),
        number_parameter("tolerance", &Options::tolerance, Range<double>{0, any, excluded}, "T",
                         "largest optimality gap that a solve may leave"),
        number_parameter("lambda", &Options::lambda, Range<double>{0, any, excluded}, "L",
                         "penalty on the sum of the weights")
            .only_with("weighting", "lasso"),
        number_parameter(
            "max_ring", &Options::max_ring, Range<std::int64_t>{0}, "N",
            "nodes of a ring (the nodes at distance k) that may get weight, most similar first; 0: all"),
        number_parameter("sample_ring", &Options::sample_ring, Range<std::int64_t>{0}, "N",
                         "nodes that a ring is cut to before their features are read, by a fixed hash of "
                         "their number, for graphs with hubs; later rings are searched from these; 0: all")
            .listed_if_changed()
            .only_with("neighborhood", "distance"),
        list_parameter("keep", &Options::keep, Range<double>{0, 1, excluded}, "P2,P3,..",
                       "for each order, the share of each ring to keep, largest weights first; empty: all"),
        number_parameter("min_weight", &Options::min_weight, Range<double>{0}, "W",
                         "search rings among the edges of this weight or more, as the data has it; 0: all")
            .listed_if_changed(),
    };
    return table;
}

}  // namespace hwgcn
