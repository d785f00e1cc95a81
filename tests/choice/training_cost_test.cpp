#include "choice/training_cost.hpp"

#include <gtest/gtest.h>

#include "race_course.hpp"

namespace hwgcn::race_test {
namespace {

// Of many labels, regressions take long and much memory, too: they are counted, and wait for GCN and LP.
TEST(TrainingCost, RegressionsCountByTheirLabels) {
    SyntheticOptions options = small();
    options.nodes = 4000;
    options.vocabulary = 2000;
    const PreparedGraph graph = prepare_graph(make_synthetic(options));
    for (const char* method : {"linear", "linear-neighbors", "diffusion"}) {
        const auto cost_of = [&](Index labels) {
            return training_cost(graph, candidate(method), random_split(graph.dataset, {labels, 90, 100, 1}));
        };
        const TrainingCost few = cost_of(10), many = cost_of(1000);
        EXPECT_GT(many.work(), 20 * few.work() / 2) << method;
        EXPECT_GT(many.bytes, few.bytes) << method;
    }
    const double labels = 3 * 1000;
    EXPECT_GT(
        training_cost(graph, candidate("diffusion"), random_split(graph.dataset, {1000, 90, 100, 1})).bytes,
        4 * labels * 2000)
        << "the diffused features of all labels";
}

}  // namespace
}  // namespace hwgcn::race_test
