#include <algorithm>
#include <array>
#include <set>

#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"

namespace hwgcn::karate_test {
namespace {

using Adjacency = std::array<std::array<bool, 34>, 34>;

Adjacency adjacency_of(const Dataset& dataset) {
    Adjacency adjacency{};
    for (const Edge& edge : dataset.edges)
        adjacency[edge.from][edge.to] = adjacency[edge.to][edge.from] = true;
    return adjacency;
}

int degree(const Adjacency& adjacency, int member) {
    const auto& row = adjacency[member - 1];
    return static_cast<int>(std::count(row.begin(), row.end(), true));
}

TEST(Karate, IsAValidDatasetWithoutAPublishedSplit) {
    const Dataset karate = make_karate();
    EXPECT_NO_THROW(validate_dataset(karate));
    EXPECT_EQ(karate.name, "karate");
    EXPECT_EQ(karate.source, "built-in");
    EXPECT_FALSE(karate.published_split.has_value());
}

TEST(Karate, Has78DifferentTiesAmong34Members) {
    const Dataset karate = make_karate();
    EXPECT_EQ(karate.nodes, 34);
    std::set<std::pair<Index, Index>> ties;
    for (const Edge& edge : karate.edges) {
        EXPECT_NE(edge.from, edge.to);
        ties.insert(std::minmax(edge.from, edge.to));
    }
    EXPECT_EQ(ties.size(), 78u);
    EXPECT_EQ(karate.edges.size(), 78u);
}

TEST(Karate, HasThePublishedDegreesAnd45Triangles) {
    const Adjacency adjacency = adjacency_of(make_karate());
    const std::array<int, 34> published = {16, 9, 10, 6, 3, 4, 4, 4, 5, 2, 3, 1, 2, 5, 2, 2,  2,
                                           2,  2, 3,  2, 2, 2, 5, 3, 3, 2, 4, 3, 4, 4, 6, 12, 17};
    for (int member = 1; member <= 34; ++member)
        EXPECT_EQ(degree(adjacency, member), published[member - 1]) << "member " << member;

    int triangles = 0;
    for (int a = 0; a < 34; ++a) {
        for (int b = 0; b < a; ++b) {
            for (int c = 0; c < b; ++c)
                triangles += adjacency[a][b] && adjacency[b][c] && adjacency[a][c];
        }
    }
    EXPECT_EQ(triangles, 45);
}

TEST(Karate, HasTwoFactionsOf17LedByMembers1And34) {
    const Dataset karate = make_karate();
    EXPECT_EQ(karate.class_names, (std::vector<std::string>{"Mr. Hi", "Officer"}));
    EXPECT_EQ(std::count(karate.labels.begin(), karate.labels.end(), 0), 17);
    EXPECT_EQ(std::count(karate.labels.begin(), karate.labels.end(), 1), 17);
    EXPECT_EQ(karate.labels.front(), 0);
    EXPECT_EQ(karate.labels.back(), 1);
    EXPECT_EQ(node_id(karate, 0), "1");
    EXPECT_EQ(node_id(karate, 33), "34");
}

TEST(Karate, FeaturesAreTheMembersItKnows) {
    const CsrMatrix<float> features = make_karate().features;
    EXPECT_NO_THROW(validate_csr(features, "features"));
    ASSERT_EQ(features.rows, 34);
    ASSERT_EQ(features.columns, 34);
    EXPECT_EQ(features.entries(), 34 + 2 * 78);
    EXPECT_EQ(features.row(0).size(), 17U);  // member 1 knows 16 others and itself
    for (const float value : features.values)
        EXPECT_EQ(value, 1.0F);
}

}  // namespace
}  // namespace hwgcn::karate_test
