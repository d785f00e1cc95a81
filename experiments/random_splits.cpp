#include "accuracy_table.hpp"

namespace hwgcn::experiments {

Experiment random_splits() {
    return {"random", "Accuracy on random splits: 20, 10 and 5 training nodes per class",
            [](Laboratory& laboratory, const Plan& plan) {
                return accuracy_table(laboratory, plan, {"random:20", "random:10", "random:5"}, "accuracy");
            }};
}

}  // namespace hwgcn::experiments
