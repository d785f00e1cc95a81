// The pool never hands out the operator of other settings.
#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/models/prepared_graph.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "operators/propagation.hpp"

namespace hwgcn::operator_pool_test {
namespace {

Dataset small_dataset() {
    SyntheticOptions options;
    options.nodes = 120;
    options.classes = 3;
    options.vocabulary = 40;
    options.words = 6;
    return make_synthetic(options);
}

void expect_same(const CsrMatrix<float>& found, const CsrMatrix<float>& expected, const std::string& what) {
    EXPECT_EQ(found.offsets, expected.offsets) << what;
    EXPECT_EQ(found.indices, expected.indices) << what;
    EXPECT_EQ(found.values, expected.values) << what;
}

TEST(OperatorPool, EverySettingOfTheOperatorIsPartOfItsKey) {
    const PreparedGraph graph = prepare_graph(small_dataset());
    OperatorPool operators(graph);
    const std::vector<std::vector<Setting>> variants = {
        {},
        {{"orientation", "transposed"}},
        {{"orientation", "symmetric"}},
        {{"order", "2"}},
        {{"neighborhood", "power"}},
        {{"weighting", "uniform"}},
        {{"weighting", "lasso"}, {"lambda", "0.01"}},
        {{"weighting", "lasso"}, {"lambda", "0.001"}},
        {{"max_ring", "4"}},
        {{"keep", "0.2,0.1"}},
        {{"operator", "plain"}},
    };
    for (const char* const method : {"hwgcn", "lp", "sage"}) {  // the weights as they are; side by side
        for (const std::vector<Setting>& variant : variants) {
            MethodSettings settings(method, "synthetic");
            settings.apply({{"operator", "higher-order"}, {"order", "3"}});
            settings.apply(settings.read_among(variant));
            const LearnedWeights weights = learn_weights_for(graph, settings, {1}, nullptr);
            expect_same(*operators.get(settings, {1}).matrix, *make_operator(graph, settings, weights).matrix,
                        std::string(method) + (variant.empty() ? "" : ", " + variant[0].text));
        }
    }
}

TEST(OperatorPool, MakesEachOperatorOnce) {
    const PreparedGraph graph = prepare_graph(small_dataset());
    OperatorPool operators(graph);
    MethodSettings settings("hwgcn", "synthetic");
    const Propagation* const first = &operators.get(settings, {1});
    settings.apply({{"hidden", "5"}, {"epochs", "3"}});
    EXPECT_EQ(&operators.get(settings, {1}), first) << "settings of the network are none of the operator";
    settings.apply({{"orientation", "transposed"}});
    EXPECT_NE(&operators.get(settings, {1}), first);
}

}  // namespace
}  // namespace hwgcn::operator_pool_test
