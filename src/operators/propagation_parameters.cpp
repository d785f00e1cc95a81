#include "operators/propagation_parameters.hpp"

namespace hwgcn {

const std::vector<Parameter<PropagationOptions>>& propagation_parameters() {
    using Options = PropagationOptions;
    static const std::vector<Parameter<Options>> table = {
        choice_parameter<Options, Orientation>(
            "orientation", &Options::orientation,
            {{"paper", Orientation::paper},
             {"transposed", Orientation::transposed},
             {"symmetric", Orientation::symmetric}},
            "orientation of the learned weights: as in the paper, transposed as in the authors' program, or "
            "with both directions of a weight replaced by their mean"),
        number_parameter(
            "least_share", &Options::least_share, Range<double>{0.0, 0.5}, "SHARE",
            "leave out learned weights that would be smaller than this in the normalised operator, which "
            "makes training faster; 0: none")
            .listed_if_changed(),
    };
    return table;
}

}  // namespace hwgcn
