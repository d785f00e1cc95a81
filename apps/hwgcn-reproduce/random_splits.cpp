#include "accuracy_table.hpp"

namespace hwgcn::experiments {

Experiment random_splits() {
    const std::vector<std::string> settings = {"random:20", "random:10", "random:5"};
    Experiment experiment{"random", "Accuracy on random splits: 20, 10 and 5 training nodes per class",
                          [settings](ExperimentRunner& runner, const Plan& plan) {
                              return accuracy_table(runner, plan, settings, "accuracy");
                          }};
    experiment.settings = settings;
    return experiment;
}

}  // namespace hwgcn::experiments
