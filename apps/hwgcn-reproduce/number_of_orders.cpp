#include "order_curves.hpp"

namespace hwgcn::experiments {

Experiment number_of_orders() {
    const std::vector<std::string> settings = {"random:20", "random:10", "random:5", "fixed"};
    Experiment experiment{"orders",
                          "Accuracy against the number of orders",
                          [settings](ExperimentRunner& runner, const Plan& plan) {
                              return order_curves(runner, plan, settings, Neighborhood::distance, "orders");
                          },
                          {"order", "neighborhood"}};
    experiment.settings = settings;
    experiment.methods = {"gcn", "hwgcn"};
    return experiment;
}

}  // namespace hwgcn::experiments
