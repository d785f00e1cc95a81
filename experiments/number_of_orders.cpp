#include "order_curves.hpp"

namespace hwgcn::experiments {

Experiment number_of_orders() {
    Experiment experiment{"orders",
                          "Accuracy against the number of orders",
                          [](Laboratory& laboratory, const Plan& plan) {
                              return order_curves(laboratory, plan,
                                                  {"random:20", "random:10", "random:5", "fixed"},
                                                  Neighborhood::distance, "orders");
                          },
                          {"order", "neighborhood"}};
    experiment.methods = {"gcn", "hwgcn"};
    return experiment;
}

}  // namespace hwgcn::experiments
