#include "methods/trees/neighbor_statistics.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "base/random_stream.hpp"
#include "io/expect_input_error.hpp"
#include "methods/small_graphs.hpp"
#include "operators/propagation.hpp"

namespace hwgcn::testing::neighbor_statistics_test {
namespace {

// A directed graph with weights; node 0 has no neighbor at all, and node 1 none that leads to it.
struct DirectedGraph {
    Propagation operators;
    CsrMatrix<float> features = random_features(12, 3, 0.6, 5);
    std::vector<Triplet<float>> arcs;

    DirectedGraph() {
        RandomStream random(2, 0);
        std::vector<Edge> edges;
        for (int k = 0; k < 30; ++k) {
            const auto from = static_cast<Index>(1 + random.below(11));
            const auto to = static_cast<Index>(2 + random.below(10));
            if (from == to || std::ranges::any_of(
                                  arcs, [&](const auto& arc) { return arc.row == from && arc.column == to; }))
                continue;
            arcs.push_back({from, to, static_cast<float>(1 + random.below(5))});
            edges.push_back({from, to});
        }
        const CsrMatrix<float> matrix = csr_from_triplets(12, 12, arcs);
        operators = build_separate_operators(Graph(12, edges), &matrix);
    }

    ClassicGraph view() const { return classic_view(operators, features, 2); }

    float x(Index node, Index f) const {
        const SparseRow<float> row = features.row(node);
        for (std::size_t e = 0; e < row.size(); ++e) {
            if (row.indices[e] == f) return row.values[e];
        }
        return 0;
    }
    // Neighbors of one relation and their weights: 0 those that lead to the node, 1 those that it leads to.
    std::vector<std::pair<Index, double>> around(Index node, Index relation) const {
        std::vector<std::pair<Index, double>> result;
        for (const Triplet<float>& arc : arcs) {
            if ((relation == 0 ? arc.column : arc.row) == node)
                result.emplace_back(relation == 0 ? arc.row : arc.column, static_cast<double>(arc.value));
        }
        return result;
    }
    double mean(Index node, Index relation, Index f) const {
        double sum = 0, total = 0;
        for (const auto& [j, w] : around(node, relation)) {
            sum += w * static_cast<double>(x(j, f));
            total += w;
        }
        return sum / total;
    }
};

TEST(NeighborTable, HasTheStatisticsOfTheirDefinitions) {
    const DirectedGraph graph;
    const NeighborTable table(graph.view(), table_layout(3, 2, NeighborColumns::all), {2});
    std::vector<float> row(static_cast<std::size_t>(table.layout().columns()));
    ASSERT_EQ(row.size(), 3U * 11 + 4);
    for (Index node = 0; node < 12; ++node) {
        table.fill(node, row);
        for (Index r = 0; r < 2; ++r) {
            const auto around = graph.around(node, r);
            double total = 0;
            for (const auto& [j, w] : around)
                total += w;
            EXPECT_EQ(row[33 + 2 * r], static_cast<float>(around.size()));
            EXPECT_EQ(row[34 + 2 * r], static_cast<float>(total));
            for (Index f = 0; f < 3; ++f) {
                EXPECT_EQ(row[f], graph.x(node, f));
                const auto at = [&](int statistic) { return row[3 + 15 * r + 3 * statistic + f]; };
                if (around.empty()) {
                    for (int statistic = 0; statistic < 5; ++statistic)
                        EXPECT_TRUE(std::isnan(at(statistic)));
                    continue;
                }
                const double mean = graph.mean(node, r, f);
                double variance = 0, two_hops = 0, heard = 0;
                float lowest = 1e9F, highest = -1e9F;
                for (const auto& [j, w] : around) {
                    variance += w / total * std::pow(static_cast<double>(graph.x(j, f)) - mean, 2);
                    lowest = std::min(lowest, graph.x(j, f));
                    highest = std::max(highest, graph.x(j, f));
                    if (graph.around(j, r).empty()) continue;
                    two_hops += w * graph.mean(j, r, f);
                    heard += w;
                }
                EXPECT_NEAR(at(0), mean, 1e-6);
                EXPECT_NEAR(at(1), std::sqrt(variance), 1e-5);
                EXPECT_EQ(at(2), lowest);
                EXPECT_EQ(at(3), highest);
                EXPECT_EQ(std::isnan(at(4)), heard == 0);
                if (heard == 0) continue;
                EXPECT_NEAR(at(4), two_hops / heard, 1e-6);
            }
        }
    }
}

TEST(NeighborTable, SourcesShareAColumnAmongThoseWhoMadeIt) {
    const DirectedGraph graph;
    const NeighborTable table(graph.view(), table_layout(3, 2, NeighborColumns::all), {1});
    std::vector<float> row(37);
    for (Index node = 0; node < 12; ++node) {
        table.fill(node, row);
        for (Index column = 0; column < 37; ++column) {
            double sum = 0;
            for (const NeighborTable::Source& source : table.sources(node, column)) {
                EXPECT_GE(source.share, 0.0);
                sum += source.share;
                const Index statistic = column < 3 || column >= 33 ? -1 : (column - 3) / 3 % 5;
                if (std::isnan(row[column]) || statistic < 0) {
                    EXPECT_EQ(source.node, node);
                    EXPECT_EQ(source.feature, column < 3 ? column : TracedTerm::of_the_graph);
                } else {
                    EXPECT_EQ(source.feature, column % 3);
                    if (statistic != 2 && statistic != 3) continue;
                    EXPECT_EQ(graph.x(source.node, source.feature), row[column]);
                }
            }
            EXPECT_NEAR(sum, 1.0, 1e-9);
        }
    }
}

TEST(TableLayout, TakesFewerStatisticsOfManyFeaturesAndRefusesTooMany) {
    EXPECT_EQ(table_layout(10, 1, NeighborColumns::chosen).columns(), 62);
    EXPECT_EQ(table_layout(10, 2, NeighborColumns::chosen).columns(), 114);
    EXPECT_EQ(table_layout(1433, 1, NeighborColumns::chosen).columns(), 2868);
    EXPECT_EQ(table_layout(1433, 1, NeighborColumns::none).columns(), 1435);
    expect_input_error([] { table_layout(5000, 1, NeighborColumns::chosen); },
                       {"Boosted makes a table of 10002 columns from 5000 features", "8192",
                        "`neighbor_columns=none` makes fewer", "linear, diffusion"});
    expect_input_error([] { table_layout(100'000, 1, NeighborColumns::none); }, {"take sparse features"});
}

}  // namespace
}  // namespace hwgcn::testing::neighbor_statistics_test
