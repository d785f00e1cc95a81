#include "hwgcn/propagation/propagation_parameters.hpp"

namespace hwgcn {

const std::vector<Parameter<PropagationOptions>>& propagation_parameters() {
    using Options = PropagationOptions;
    static const std::vector<Parameter<Options>> table = {
        choice_parameter<Options, Orientation>(
            "orientation", &Options::orientation,
            {{"paper", Orientation::paper},
             {"transposed", Orientation::transposed},
             {"symmetric", Orientation::symmetric}},
            "how the operator of the learned weights is turned: as in the paper, as the authors' program "
            "multiplies, or with both directions of a weight replaced by their mean"),
    };
    return table;
}

}  // namespace hwgcn
