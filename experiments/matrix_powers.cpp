#include "order_curves.hpp"

namespace hwgcn::experiments {

Experiment matrix_powers() {
    Experiment experiment{"powers",
                          "Matrix powers in place of distances",
                          [](Laboratory& laboratory, const Plan& plan) {
                              return order_curves(laboratory, plan, {"random:20", "random:10", "random:5"},
                                                  Neighborhood::power, "powers");
                          },
                          {"order", "neighborhood"}};
    experiment.methods = {"gcn", "hwgcn"};
    return experiment;
}

}  // namespace hwgcn::experiments
