#include "hwgcn/training/fit_options.hpp"

namespace hwgcn {

const std::vector<Parameter<FitOptions>>& fit_parameters() {
    using Options = FitOptions;
    static const std::vector<Parameter<Options>> table = {
        number_parameter("epochs", &Options::epochs, Range<int>{1, 1000000}, "N", "epochs to train at most"),
        choice_parameter("optimizer", &Options::optimizer,
                         {{"adam", Optimizer::adam}, {"gradient-descent", Optimizer::gradient_descent}},
                         "how the parameters follow their gradients"),
        number_parameter("rate", &Options::rate, Range<double>{0.0, 1e6, true}, "RATE", "learning rate"),
        number_parameter("l2", &Options::l2, Range<double>{0.0, 1e6}, "WEIGHT",
                         "weight of the penalty: half the squared norm of the parameters that decay"),
        number_parameter("rate_interval", &Options::rate_interval, Range<int>{0, 1000000}, "N",
                         "epochs between two steps down of the learning rate; 0: it stays"),
        number_parameter("rate_drop", &Options::rate_drop, Range<double>{0.0, 1.0}, "SHARE",
                         "share of the first learning rate that each step takes away"),
        choice_parameter("selection", &Options::selection,
                         {{"accuracy", Selection::accuracy}, {"loss", Selection::loss}},
                         "what the best epoch is judged by, on the validation nodes"),
        number_parameter("patience", &Options::patience, Range<int>{0, 1000000}, "N",
                         "stop after so many epochs without a better validation loss or accuracy; 0: never"),
    };
    return table;
}

}  // namespace hwgcn
