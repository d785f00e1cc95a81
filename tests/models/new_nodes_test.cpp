// What new nodes may not change, for every method of the table that takes them: their own probabilities, and
// those of old nodes, depend on nothing that no edge leads to.

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/models/train.hpp"

#include "base/random_stream.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::new_nodes_test {
namespace {

// Every class a component of its own, or several; edges with weights where wanted.
Dataset old_graph(bool weighted) {
    SyntheticOptions options;
    options.nodes = 120;
    options.classes = 3;
    options.vocabulary = 40;
    options.words = 6;
    options.topic_share = 0.8;
    Dataset dataset = make_synthetic(options);
    std::erase_if(dataset.edges,
                  [&](const Edge& edge) { return dataset.labels[edge.from] != dataset.labels[edge.to]; });
    RandomStream random(3, 1);
    for (std::size_t e = 0; weighted && e < dataset.edges.size(); ++e)
        dataset.edge_weights.push_back(0.5F + static_cast<float>(random.uniform()));
    return dataset;
}

Dataset without_features(Dataset dataset) {
    dataset.features = {dataset.nodes, 0, std::vector<std::int64_t>(dataset.nodes + std::size_t{1}), {}, {}};
    dataset.feature_names.clear();
    return dataset;
}

// New nodes behind the old ones: each has a few words, and edges to the old nodes that are given for it.
struct NewNode {
    std::uint64_t words;
    std::vector<Index> neighbors = {};
};

Dataset with(Dataset dataset, const std::vector<NewNode>& added) {
    for (const NewNode& node : added) {
        RandomStream random(node.words, 2);
        for (Index word = 0; word < dataset.features.columns; ++word) {
            if (random.uniform() > 0.2) continue;
            dataset.features.indices.push_back(word);
            dataset.features.values.push_back(1.0F);
        }
        dataset.features.offsets.push_back(dataset.features.entries());
        for (const Index neighbor : node.neighbors) {
            dataset.edges.push_back({dataset.nodes, neighbor});
            if (!dataset.edge_weights.empty()) dataset.edge_weights.push_back(50.0F);
        }
        ++dataset.nodes;
        dataset.labels.push_back(unlabelled);
    }
    dataset.features.rows = dataset.nodes;
    if (!dataset.node_ids.empty()) {
        for (auto k = static_cast<Index>(dataset.node_ids.size()); k < dataset.nodes; ++k)
            dataset.node_ids.push_back("new" + std::to_string(k));
    }
    return dataset;
}

std::vector<NewNode> loners(std::uint64_t count) {
    std::vector<NewNode> nodes;
    for (std::uint64_t k = 0; k < count; ++k)
        nodes.push_back({k});
    return nodes;
}

// A trained method, and what it predicts where nodes are added.
struct Model {
    Dataset source;
    MethodSettings settings;
    std::shared_ptr<const PreparedGraph> before;
    TrainedModel trained;

    Model(Dataset dataset, const std::string& method, const char* kind)
        : source(dataset),
          settings(method, "synthetic"),
          before(std::make_shared<const PreparedGraph>(prepare_graph(std::move(dataset)))) {
        settings.apply(settings.read_among({{"epochs", "6"}, {"order", "2"}, {"operator", kind}}));
        OperatorPool operators(*before);
        const Split split = random_split(before->dataset, {8, 30, 30, 1});
        trained = train(*before, operators.get(settings, {1}), settings, split, 5, {1});
    }

    bool takes_new_nodes() const {
        try {
            check_takes_new_nodes(prepare_addition(with(source, {{1}}), {before, false}), settings);
        } catch (const InputError&) {
            return false;
        }
        return true;
    }

    DenseMatrix predict(const std::vector<NewNode>& added, bool update = false) const {
        const PreparedGraph graph = prepare_addition(with(source, added), {before, update});
        OperatorPool operators(graph);
        return predict_nodes(graph, operators.get(settings, {1}), settings, trained.parameters, {1});
    }
};

bool same_row(const DenseMatrix& a, Index i, const DenseMatrix& b, Index j) {
    return std::memcmp(a.row(i), b.row(j), static_cast<std::size_t>(a.columns()) * sizeof(float)) == 0;
}

Index changed_rows(const DenseMatrix& before, const DenseMatrix& after) {
    Index changed = 0;
    for (Index i = 0; i < before.rows(); ++i)
        changed += same_row(before, i, after, i) ? 0 : 1;
    return changed;
}

class NewNodesOfEveryMethod : public ::testing::TestWithParam<std::string> {
  protected:
    // On plain and learned operators, of words, of weighted edges, and of structural features.
    template <typename Check>
    void for_models(const Check& check) {
        for (const char* const kind : {"plain", "higher-order"}) {
            for (const int form : {0, 1, 2}) {
                const Dataset dataset = old_graph(form == 1);
                const Model model(form == 2 ? without_features(dataset) : dataset, GetParam(), kind);
                SCOPED_TRACE(std::string(kind) + ", form " + std::to_string(form));
                if (model.takes_new_nodes()) check(model);
            }
        }
    }
};

TEST_P(NewNodesOfEveryMethod, IsolatedOnesChangeNoBitOfOldNodes) {
    for_models([](const Model& model) {
        const DenseMatrix before = model.predict({});
        EXPECT_EQ(changed_rows(before, model.predict(loners(150))), 0);
        EXPECT_EQ(changed_rows(before, model.predict(loners(3), true)), 0);
    });
}

TEST_P(NewNodesOfEveryMethod, APairOfItsOwnChangesNoBitOfOldNodes) {
    for_models([](const Model& model) {
        const Index old = model.source.nodes;
        const DenseMatrix before = model.predict({});
        EXPECT_EQ(changed_rows(before, model.predict({{1}, {2, {old}}, {3, {old, old + 1}}})), 0);
    });
}

TEST_P(NewNodesOfEveryMethod, AreWhatTheyAreAlone) {
    for_models([](const Model& model) {
        const Index old = model.source.nodes;
        const std::vector<Index>& labels = model.source.labels;
        const auto first_of = [&](Index label) {
            return static_cast<Index>(std::ranges::find(labels, label) - labels.begin());
        };
        // In two components, and in none.
        const std::vector<NewNode> nodes = {{1, {first_of(0)}}, {2, {first_of(1)}}, {3}, {4}};
        const DenseMatrix together = model.predict(nodes);
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            EXPECT_TRUE(same_row(together, old + static_cast<Index>(k), model.predict({nodes[k]}), old))
                << "new node " << k;
        }
    });
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const MethodInfo& method : method_table())
        all.push_back(method.name);
    return all;
}

INSTANTIATE_TEST_SUITE_P(Table, NewNodesOfEveryMethod, ::testing::ValuesIn(names()), [](const auto& test) {
    std::string name = test.param;
    std::ranges::replace(name, '-', '_');  // what test names may hold
    return name;
});

// The statistics of MixHop are those of its own graph to the bit, and those of a model without them are found
// there again.
TEST(NewNodesOfMixHop, StatisticsAreThoseOfTheTrainingGraph) {
    for (const char* const method : {"mixhop", "mixhop-light"}) {
        const Model model(old_graph(false), method, "plain");
        OperatorPool operators(*model.before);
        const Propagation& propagation = operators.get(model.settings, {1});
        const auto predict = [&](std::span<const TrainableMatrix> parameters) {
            return predict_nodes(*model.before, propagation, model.settings, parameters, {1});
        };
        std::vector<TrainableMatrix> bare = model.trained.parameters;
        bare.resize(empty_parameters(*model.before, model.settings).size());
        ASSERT_TRUE(lacks_statistics(*model.before, model.settings, bare));
        EXPECT_EQ(changed_rows(predict(bare), predict(model.trained.parameters)), 0);
        add_statistics(*model.before, propagation, model.settings, bare, {1});
        ASSERT_EQ(bare.size(), model.trained.parameters.size());
        for (std::size_t k = 0; k < bare.size(); ++k)
            EXPECT_TRUE(
                std::ranges::equal(bare[k].value.numbers(), model.trained.parameters[k].value.numbers()));
        EXPECT_FALSE(lacks_statistics(*model.before, model.settings, bare));
    }
}

}  // namespace
}  // namespace hwgcn::new_nodes_test
