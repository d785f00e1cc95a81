#include "accuracy_table.hpp"

namespace hwgcn::experiments {

Experiment fixed_split() {
    return {"fixed", "Accuracy on Planetoid's fixed split", [](ExperimentRunner& runner, const Plan& plan) {
                return accuracy_table(runner, plan, {"fixed"}, "accuracy");
            }};
}

}  // namespace hwgcn::experiments
