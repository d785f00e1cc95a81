// What methods make of weights and directions, and that graphs without them give what they gave before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/pipeline/train_run.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "io/expect_input_error.hpp"
#include "operators/propagation.hpp"
#include "pipeline/warnings.hpp"

namespace hwgcn::edges_test {
namespace {

using ::testing::ElementsAre;
using testing::expect_input_error;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Dataset noisy_dataset() {
    SyntheticOptions options;
    options.nodes = 300;
    options.classes = 3;
    options.homophily = 1.0;
    options.mean_degree = 8;
    options.degree_exponent = 10;
    options.noise_edges = 30;
    options.noise_weight = 0.01;
    options.vocabulary = 60;
    options.words = 4;
    options.topic_share = 0.1;
    return make_synthetic(options);
}

Dataset directed(Dataset dataset) {
    dataset.directed = true;
    return dataset;
}

MethodSettings settings_of(const std::string& method, const std::vector<Setting>& changes = {}) {
    MethodSettings settings(method, "synthetic");
    settings.apply(changes);
    return settings;
}

double test_accuracy(const Dataset& dataset, const std::string& method) {
    const PreparedGraph graph = prepare_graph(Dataset(dataset));
    OperatorPool operators(graph);
    const Split split = random_split(dataset, {10, 50, 150, 1});
    return train_run({graph, operators, settings_of(method), split, 1}, {1}).result.test.accuracy;
}

TEST(EdgesOfMethods, WeightsTellHeavyEdgesFromNoise) {
    const Dataset weighted = noisy_dataset();
    Dataset plain = weighted;
    plain.edge_weights.clear();
    for (const std::string method : {"gcn", "sgc", "lp", "deepwalk"}) {
        const double with = test_accuracy(weighted, method), without = test_accuracy(plain, method);
        EXPECT_GT(with, 0.9) << method;
        EXPECT_GT(with, without + 0.15) << method;
    }
}

TEST(EdgesOfMethods, GatSaysThatItLeavesWeightsOut) {
    const PreparedGraph graph = prepare_graph(noisy_dataset());
    const std::vector<AskedMethod> gat = {settings_of("gat")}, gcn = {settings_of("gcn")},
                                   mlp = {settings_of("mlp")};
    EXPECT_THAT(unused_of_edges(graph, gat),
                ElementsAre(HasSubstr("weights of the edges are not used: GAT")));
    EXPECT_THAT(unused_of_edges(graph, gcn), IsEmpty());
    EXPECT_THAT(unused_of_edges(graph, mlp), IsEmpty());
}

TEST(EdgesOfMethods, OnlyTheOperatorsOfADirectionUseDirections) {
    const PreparedGraph graph = prepare_graph(directed(noisy_dataset()));
    const std::vector<AskedMethod> out = {settings_of("sgc", {{"operator", "out"}})};
    const std::vector<AskedMethod> others = {settings_of("sgc"), settings_of("lp"), asked_method("auto", "")};
    EXPECT_THAT(unused_of_edges(graph, out), IsEmpty());
    EXPECT_THAT(unused_of_edges(graph, others),
                ElementsAre(HasSubstr("directions of the edges are not used: for SGC, LP they"),
                            HasSubstr("of the candidates of auto, SAGE and HWSAGE use the directions")));
    EXPECT_EQ(method_label(settings_of("sgc", {{"operator", "in"}})), "SGC over in-neighbors");
    EXPECT_EQ(method_label(settings_of("mixhop", {{"operator", "out"}})), "MixHop over out-neighbors");
    EXPECT_THROW(settings_of("gcn", {{"operator", "in"}}), InputError);
}

TEST(EdgesOfMethods, TheOperatorOfADirectionIsThatOfItsArcs) {
    const PreparedGraph graph = prepare_graph(directed(noisy_dataset()));
    OperatorPool operators(graph);
    for (const std::string method : {"sgc", "mixhop"}) {
        const Propagation in = operators.get(settings_of(method, {{"operator", "in"}}), {});
        const Propagation out = operators.get(settings_of(method, {{"operator", "out"}}), {});
        const Propagation both = operators.get(settings_of(method), {});
        EXPECT_EQ(in.matrix->values, build_directed_propagation(*graph.arcs, Direction::in).matrix->values);
        EXPECT_EQ(out.matrix->values, build_directed_propagation(*graph.arcs, Direction::out).matrix->values);
        EXPECT_EQ(both.matrix->values, build_propagation(graph.graph).matrix->values);
    }
    const PreparedGraph undirected = prepare_graph(noisy_dataset());
    const Split split = random_split(undirected.dataset, {10, 50, 150, 1});
    expect_input_error(
        [&] {
            check_trainable(undirected, settings_of("sgc", {{"operator", "in"}}), split);
        },
        {"no directions, and `operator=in` needs them; `directed`"});
}

// Labels that only the way of an edge tells: even nodes point to odd ones.
TEST(EdgesOfMethods, DirectionsCanBeLearnedFrom) {
    Dataset dataset;
    dataset.name = "arrows";
    dataset.nodes = 200;
    dataset.directed = true;
    dataset.class_names = {"a", "b"};
    std::vector<Triplet<float>> marks;
    for (Index i = 0; i < 200; ++i) {
        dataset.labels.push_back(i % 2);
        // The hub that an even node points to is marked; odd nodes are pointed to by it.
        if (i < 2) {
            marks.push_back({i, i, 1.0F});
        } else {
            dataset.edges.push_back(i % 2 == 0 ? Edge{i, 0} : Edge{0, i});
            dataset.edges.push_back(i % 2 == 0 ? Edge{1, i} : Edge{i, 1});
        }
    }
    dataset.features = csr_from_triplets(200, 2, marks);
    const Split split = random_split(dataset, {20, 40, 100, 1});
    const PreparedGraph graph = prepare_graph(std::move(dataset));
    OperatorPool operators(graph);
    const auto accuracy = [&](const std::string& kind) {
        const MethodSettings settings = settings_of("sgc", {{"operator", kind}, {"propagations", "1"}});
        return train_run({graph, operators, settings, split, 1}, {1}).result.test.accuracy;
    };
    EXPECT_GT(accuracy("out"), 0.95);  // but for the hubs
    EXPECT_GT(accuracy("in"), 0.95);
    EXPECT_LT(accuracy("plain"), 0.7);
}

TEST(EdgesOfMethods, HashesTellWeightsAndDirections) {
    const Dataset weighted = noisy_dataset();
    Dataset plain = weighted;
    plain.edge_weights.clear();
    Dataset constant = weighted;
    constant.edge_weights.assign(weighted.edges.size(), 3.0F);
    Dataset turned = directed(plain);
    std::swap(turned.edges[0].from, turned.edges[0].to);
    const auto content = [](const Dataset& dataset) { return prepare_graph(Dataset(dataset)).content_hash; };
    const auto hash = [](const Dataset& dataset) { return dataset_hash(prepare_graph(Dataset(dataset))); };
    EXPECT_NE(content(weighted), content(plain));
    EXPECT_EQ(content(constant), content(plain));
    EXPECT_EQ(content(directed(plain)), content(plain));  // learned weights do not depend on directions
    EXPECT_NE(hash(directed(plain)), hash(plain));
    EXPECT_NE(hash(directed(plain)), hash(turned));
    EXPECT_NE(hash(directed(weighted)), hash(directed(plain)));
}

TEST(MinWeight, RingsAreThoseOfTheHeavyEdges) {
    const Dataset weighted = noisy_dataset();
    Dataset heavy = weighted;
    heavy.edges.clear();
    heavy.edge_weights.clear();
    for (std::size_t e = 0; e < weighted.edges.size(); ++e) {
        if (weighted.edge_weights[e] >= 0.5F) heavy.edges.push_back(weighted.edges[e]);
    }
    const PreparedGraph all = prepare_graph(Dataset(weighted));
    const PreparedGraph part = prepare_graph(Dataset(heavy));
    WeightOptions options;
    options.order = 3;
    const LearnedWeights expected = learn_weights(part.graph, *part.features.scaled, options);
    const LearnedWeights every = learn_weights(all.graph, *all.features.scaled, options);
    options.min_weight = 0.5;
    const LearnedWeights found = learn_weights(all.graph, *all.features.scaled, options);
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(found.orders[k].ring_sizes, expected.orders[k].ring_sizes);
        EXPECT_NE(found.orders[k].ring_sizes, every.orders[k].ring_sizes);
    }
    options.min_weight = 100;
    expect_input_error([&] { learn_weights(all.graph, *all.features.scaled, options); },
                       {"no edge weighs as much"});
    expect_input_error([&] { learn_weights(part.graph, *part.features.scaled, options); }, {"`min_weight`"});
}

TEST(MinWeight, IsAmongTheSettingsOnlyWhereItIsGiven) {
    MethodSettings settings = settings_of("hwgcn");
    const auto lists = [&] {
        const std::vector<Setting> all = settings.effective();
        return std::ranges::find(all, "min_weight", &Setting::name) != all.end();
    };
    EXPECT_FALSE(lists());  // hashes of earlier runs stay
    settings.apply({{"min_weight", "2"}});
    EXPECT_TRUE(lists());
    EXPECT_NE(WeightCache::key("x", settings.weights(), 2),
              WeightCache::key("x", settings_of("hwgcn").weights(), 2));
    EXPECT_EQ(MethodSettings::from_listed(listed_settings(settings), "", false).weights().min_weight, 2.0);
}

}  // namespace
}  // namespace hwgcn::edges_test
