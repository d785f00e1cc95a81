#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/models/train.hpp"

namespace hwgcn::binary_features_test {
namespace {

// Words that count differently, and one that is listed and counts nothing.
Dataset weighted_words() {
    SyntheticOptions options;
    options.nodes = 200;
    options.classes = 3;
    options.vocabulary = 50;
    options.words = 8;
    Dataset dataset = make_synthetic(options);
    float weight = 0.25F;
    for (float& value : dataset.features.values) {
        value = weight;
        weight = weight > 4 ? 0.25F : weight + 0.5F;
    }
    return dataset;
}

TEST(BinaryFeatures, AreOneWhereThereIsSomething) {
    const PreparedGraph graph = prepare_graph(weighted_words());
    MethodSettings settings("mixhop", "pubmed");
    const auto binary = features_for(graph.features, settings);
    EXPECT_EQ(binary->indices, graph.features.scaled->indices);
    EXPECT_EQ(binary->offsets, graph.features.scaled->offsets);
    for (std::size_t k = 0; k < binary->values.size(); ++k)
        EXPECT_EQ(binary->values[k], graph.features.scaled->values[k] == 0.0F ? 0.0F : 1.0F) << k;
    settings.apply({{"feature_values", "given"}});
    EXPECT_EQ(features_for(graph.features, settings), graph.features.scaled);
    EXPECT_EQ(features_for(graph.features, MethodSettings("gcn", "pubmed")), graph.features.scaled);
    EXPECT_EQ(features_for(graph.features, MethodSettings("mixhop", "cora")), graph.features.scaled);
}

}  // namespace
}  // namespace hwgcn::binary_features_test
