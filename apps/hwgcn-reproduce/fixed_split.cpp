#include "accuracy_table.hpp"

namespace hwgcn::experiments {

Experiment fixed_split() {
    return {"fixed", "Accuracy on Planetoid's fixed split", [](Laboratory& laboratory, const Plan& plan) {
                return accuracy_table(laboratory, plan, {"fixed"}, "accuracy");
            }};
}

}  // namespace hwgcn::experiments
