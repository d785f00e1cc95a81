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
    };
    return table;
}

}  // namespace hwgcn
