#include "order_curves.hpp"

namespace hwgcn::experiments {

Experiment matrix_powers() {
    const std::vector<std::string> settings = {"random:20", "random:10", "random:5"};
    Experiment experiment{"powers",
                          "Matrix powers in place of distances",
                          [settings](ExperimentRunner& runner, const Plan& plan) {
                              return order_curves(runner, plan, settings, Neighborhood::power, "powers");
                          },
                          {"order", "neighborhood"}};
    experiment.settings = settings;
    experiment.methods = {"gcn", "hwgcn"};
    return experiment;
}

}  // namespace hwgcn::experiments
