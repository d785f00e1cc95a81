#include "base/parameter.hpp"
#include "tensor/devices.hpp"
#include "training/fit_options.hpp"

namespace hwgcn {
namespace {

Parameter<FitOptions> device_parameter() {
    return Parameter<FitOptions>{"device",
                                 "NAME",
                                 "cpu, gpu, gpu:N or auto",
                                 "where to train: cpu; gpu, the first GPU that OpenCL finds; gpu:N, device N "
                                 "of `hwgcn info`; auto: a GPU "
                                 "where there is one",
                                 [](FitOptions& options, std::string_view text) {
                                     const std::optional<DeviceChoice> choice = parse_device(text);
                                     if (choice) options.device = *choice;
                                     return choice.has_value();
                                 },
                                 [](const FitOptions& options) { return device_text(options.device); }}
        .listed_if_changed();
}

Parameter<FitOptions> rate_decay_parameter() {
    return choice_parameter(
               "rate_decay", &FitOptions::rate_decay,
               {{"none", RateDecay::none}, {"cosine", RateDecay::cosine}},
               "how the learning rate falls: not at all, or over all epochs along half a cosine to 0")
        .listed_if_changed();
}

}  // namespace

const std::vector<Parameter<FitOptions>>& fit_parameters() {
    using Options = FitOptions;
    static const std::vector<Parameter<Options>> table = {
        number_parameter("epochs", &Options::epochs, Range<int>{1, 1000000}, "N", "epochs to train at most"),
        choice_parameter("optimizer", &Options::optimizer,
                         {{"adam", Optimizer::adam}, {"gradient-descent", Optimizer::gradient_descent}},
                         "optimizer"),
        number_parameter("rate", &Options::rate, Range<double>{0.0, 1e6, true}, "RATE", "learning rate"),
        number_parameter("l2", &Options::l2, Range<double>{0.0, 1e6}, "WEIGHT",
                         "L2 regularisation: weight of half the squared norm of the parameters that decay"),
        rate_decay_parameter(),
        number_parameter("rate_interval", &Options::rate_interval, Range<int>{0, 1000000}, "N",
                         "epochs between two decreases of the learning rate; 0: constant rate")
            .only_with("rate_decay", "none"),
        number_parameter("rate_drop", &Options::rate_drop, Range<double>{0.0, 1.0}, "SHARE",
                         "share of the initial learning rate subtracted at each decrease")
            .only_without("rate_interval", "0"),
        choice_parameter("selection", &Options::selection,
                         {{"auto", Selection::automatic},
                          {"accuracy", Selection::accuracy},
                          {"loss", Selection::loss},
                          {"auc", Selection::auc},
                          {"balanced", Selection::balanced},
                          {"macro-f1", Selection::macro_f1}},
                         "criterion on the validation nodes that selects the epoch: accuracy, log loss, ROC "
                         "AUC, balanced accuracy or macro-F1; auto: AUC for two classes one of which has "
                         "less than 30 % of the known labels, else accuracy"),
        choice_parameter(
            "scheme", &Options::scheme, {{"plain", Scheme::plain}, {"consistency", Scheme::consistency}},
            "training loss: cross-entropy, or with a consistency loss between stochastic passes"),
        number_parameter("passes", &Options::passes, Range<int>{2, 64}, "N",
                         "stochastic passes that the consistency loss compares")
            .only_with("scheme", "consistency"),
        number_parameter("node_dropout", &Options::node_dropout, Range<double>{0.0, 0.99}, "RATE",
                         "share of the nodes whose features are set to zero in a pass")
            .only_with("scheme", "consistency"),
        number_parameter("sharpening", &Options::sharpening, Range<double>{0.0, 1.0, true}, "T",
                         "temperature that sharpens the mean prediction of the passes")
            .only_with("scheme", "consistency"),
        number_parameter("consistency_weight", &Options::consistency_weight, Range<double>{0.0, 1e6},
                         "WEIGHT", "weight of the squared distance between each pass and the sharpened mean")
            .only_with("scheme", "consistency"),
        number_parameter("consistency_ramp", &Options::consistency_ramp, Range<int>{1, 1000000}, "N",
                         "epochs over which the weight grows to its full value")
            .only_with("scheme", "consistency"),
        number_parameter("self_training", &Options::self_training, Range<int>{0, 1000000}, "N",
                         "pseudo-labels per class from a first training, used in a second; 0: none"),
        number_parameter("self_training_weight", &Options::self_training_weight, Range<double>{0.0, 1e6},
                         "WEIGHT", "weight of the loss of the pseudo-labelled nodes")
            .only_without("self_training", "0"),
        number_parameter(
            "patience", &Options::patience, Range<int>{0, 1000000}, "N",
            "stop after so many epochs without a better validation loss or accuracy (or whatever "
            "selects the epoch); 0: never"),
        device_parameter(),
    };
    return table;
}

}  // namespace hwgcn
