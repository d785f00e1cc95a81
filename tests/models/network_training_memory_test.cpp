#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/dataset/split.hpp"

#include "models/network_training.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::network_training_memory_test {
namespace {

using ::testing::HasSubstr;

// Few nodes, each with a word of its own among very many.
Dataset with_many_features(Index nodes, Index features) {
    Dataset dataset;
    dataset.name = "wide";
    dataset.nodes = nodes;
    std::vector<Triplet<float>> words;
    for (Index i = 0; i < nodes; ++i) {
        words.push_back({i, static_cast<Index>((std::int64_t{i} * features) / nodes), 1.0F});
        dataset.labels.push_back(i % 2);
        if (i > 0) dataset.edges.push_back({i - 1, i});
    }
    dataset.features = csr_from_triplets(nodes, features, words);
    dataset.class_names = {"a", "b"};
    return dataset;
}

std::vector<std::string> notes_of(const std::string& method, const std::vector<Setting>& changes) {
    const PreparedGraph graph = prepare_graph(with_many_features(100, 1000000));
    MethodSettings settings(method, "");
    settings.apply({{"operator", "plain"}, {"hidden", "1"}});
    settings.apply(changes);
    const Propagation propagation = make_operator(graph, settings, {});
    const Split split = make_split(graph.dataset, "random:5:10:10", 0);
    std::vector<std::string> notes;
    const NetworkTraining training(graph, propagation, settings, split, 0, {}, notes);
    return notes;
}

// 8 * 100 * 1,000,000 numbers of four bytes.
TEST(NetworkTraining, SaysWhereItTakesMuchMemoryAndWhatTakesLess) {
    const std::vector<std::string> notes = notes_of("hwgrand", {});
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_THAT(notes[0], HasSubstr("the propagated features of 8 groups of nodes take 3.2 GB"));
    EXPECT_THAT(notes[0], HasSubstr("`node_groups`"));
    EXPECT_TRUE(notes_of("hwgrand", {{"node_groups", "4"}}).empty());
    EXPECT_TRUE(notes_of("hwgrand-sharp", {}).empty());
}

}  // namespace
}  // namespace hwgcn::network_training_memory_test
