#include "hwgcn/weights/learn_weights.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/io/readers.hpp"

#include "graph/rings.hpp"
#include "instruction_sets.hpp"
#include "oracle/ring_problem.hpp"
#include "oracle/smo.hpp"
#include "test_data.hpp"
#include "weights/estimate.hpp"
#include "weights/weight_inputs.hpp"

namespace hwgcn::learn_weights_test {
namespace {

using testing::expect_same_bits;
using testing::Input;
using testing::small_input;

// Section 2 of the method, written down densely and solved by SMO.
TEST(LearnWeights, FollowsItsDefinitionForEveryNodeOfKarate) {
    const Dataset karate = make_karate();
    const Input input(karate);
    const LearnedWeights learned = learn_weights(input.graph, input.features, {.order = 3});
    RingSearch search(input.graph);
    RowSmoother smoother(input.graph, input.features);
    for (const OrderWeights& order : learned.orders) {
        EXPECT_GT(order.summary.support, 0);
        for (Index node = 0; node < karate.nodes; ++node) {
            const auto ring = search.ring(node, order.summary.order);
            testing::RingProblem problem{"", {}, std::vector<double>(34, 0.0)};
            const SparseVector& t = smoother.smooth(node);
            for (std::size_t e = 0; e < t.columns.size(); ++e)
                problem.target[t.columns[e]] = t.values[e];
            std::vector<double> sum(34, 0.0);
            for (const Index member : ring) {
                std::vector<double> row(34, 0.0);
                const auto sparse = input.features.row(member);
                for (std::size_t e = 0; e < sparse.size(); ++e)
                    row[sparse.indices[e]] = sparse.values[e];
                for (std::size_t f = 0; f < 34; ++f)
                    sum[f] += row[f];
                problem.rows.push_back(row);
            }
            const double st = std::inner_product(sum.begin(), sum.end(), problem.target.begin(), 0.0);
            const double ss = std::inner_product(sum.begin(), sum.end(), sum.begin(), 0.0);
            const auto weights = order.matrix.row(node);
            if (ring.empty() || st <= 0) {
                EXPECT_EQ(weights.size(), 0U);
                continue;
            }
            const double total = static_cast<double>(ring.size()) * st / ss;
            EXPECT_NEAR(std::accumulate(weights.values.begin(), weights.values.end(), 0.0), total, 1e-12);
            const auto smo = testing::solve_by_smo(problem, 1e-12, 1'000'000);
            for (std::size_t j = 0; j < ring.size(); ++j) {
                double found = 0;
                for (std::size_t e = 0; e < weights.size(); ++e) {
                    if (weights.indices[e] == ring[j]) found = weights.values[e];
                }
                EXPECT_NEAR(found, total * smo.u[j], 1e-5) << node << " " << ring[j];
            }
        }
    }
}

TEST(LearnWeights, IsTheSameBitForBitAtAnyThreadCount) {
    const Input& input = small_input();
    const WeightOptions options{.order = 4};
    const LearnedWeights one = learn_weights(input.graph, input.features, options, {.threads = 1});
    for (const int threads : {2, 3, 8}) {
        expect_same_bits(one, learn_weights(input.graph, input.features, options, {.threads = threads}));
    }
}

TEST(LearnWeights, IsTheSameBitForBitOnEveryInstructionSet) {
    const Input& input = small_input();
    const LearnedWeights best = learn_weights(input.graph, input.features, {.order = 3});
    testing::for_every_instruction_set([&](const std::string& name) {
        SCOPED_TRACE(name);
        expect_same_bits(best, learn_weights(input.graph, input.features, {.order = 3}));
    });
}

TEST(LearnWeights, GivesWeightsOnlyToMembersOfTheRingAndCertifiesEverySolve) {
    const Input& input = small_input();
    for (const Neighborhood neighborhood : {Neighborhood::distance, Neighborhood::power}) {
        for (const Weighting weighting : {Weighting::learned, Weighting::uniform, Weighting::lasso}) {
            const LearnedWeights learned =
                learn_weights(input.graph, input.features,
                              {.order = 3, .neighborhood = neighborhood, .weighting = weighting});
            RingSearch search(input.graph);
            for (const OrderWeights& order : learned.orders) {
                validate_csr(order.matrix, "weights");
                EXPECT_EQ(order.summary.unfinished, 0);
                EXPECT_LE(order.summary.worst_gap, 1e-7);
                EXPECT_EQ(order.summary.support, order.matrix.entries());
                std::int64_t pairs = 0;
                for (Index node = 0; node < input.graph.nodes(); ++node) {
                    const auto ring = search.ring(node, order.summary.order, neighborhood);
                    const std::set<Index> members(ring.begin(), ring.end());
                    pairs += static_cast<std::int64_t>(ring.size());
                    const auto row = order.matrix.row(node);
                    for (std::size_t e = 0; e < row.size(); ++e) {
                        EXPECT_TRUE(members.contains(row.indices[e]));
                        EXPECT_GT(row.values[e], 0.0);
                    }
                    if (weighting == Weighting::uniform && row.size() > 0) {
                        EXPECT_EQ(row.size(), ring.size());
                    }
                }
                EXPECT_EQ(order.summary.ring_pairs, pairs);
                const auto& percent = order.summary.statistics_percent;
                EXPECT_NEAR(std::accumulate(percent.begin(), percent.end(), 0.0), 100.0, 1e-9);
            }
        }
    }
}

TEST(LearnWeights, CapsRingsReportsItAndKeepsTheTotal) {
    const Input& input = small_input();
    const auto full = learn_weights(input.graph, input.features, {.order = 3});
    const auto capped = learn_weights(input.graph, input.features, {.order = 3, .max_ring = 10});
    const auto& summary = capped.orders[1].summary;
    EXPECT_GT(summary.capped_rings, 0);
    EXPECT_EQ(full.orders[1].summary.capped_rings, 0);
    EXPECT_EQ(summary.ring_pairs, full.orders[1].summary.ring_pairs);
    std::int64_t left_out = 0;
    for (Index node = 0; node < input.graph.nodes(); ++node) {
        const auto a = full.orders[1].matrix.row(node);
        const auto b = capped.orders[1].matrix.row(node);
        EXPECT_LE(b.size(), 10U);
        EXPECT_NEAR(std::accumulate(a.values.begin(), a.values.end(), 0.0),
                    std::accumulate(b.values.begin(), b.values.end(), 0.0), 1e-12);
        if (a.size() > 0) left_out += std::max(0, full.orders[1].ring_sizes[node] - 10);
    }
    EXPECT_EQ(summary.capped_pairs, left_out);
}

TEST(LearnWeights, IsolatedNodesAndZeroFeaturesGetNoWeights) {
    // A path 0-1-2 with a member without features, and a lonely node 3.
    const Graph graph(4, std::vector<Edge>{{0, 1}, {1, 2}});
    const CsrMatrix<float> features{4, 2, {0, 1, 2, 2, 3}, {0, 1, 0}, {1.0F, 1.0F, 1.0F}};
    const auto learned = learn_weights(graph, features, {.order = 5});
    EXPECT_EQ(learned.orders[0].matrix.row(0).size(), 0U);  // its only ring member, 2, has no features
    EXPECT_EQ(learned.orders[0].matrix.row(3).size(), 0U);
    EXPECT_EQ(learned.orders[0].summary.ring_pairs, 2);
    EXPECT_EQ(learned.orders[3].summary.ring_pairs, 0);
}

TEST(LearnWeights, RefusesOptionsOutOfRangeAndDataThatDoNotFit) {
    const Input& input = small_input();
    const auto refuses = [&](const WeightOptions& options) {
        EXPECT_THROW(learn_weights(input.graph, input.features, options), InputError);
    };
    refuses({.order = 0});
    refuses({.order = 1000});
    refuses({.tolerance = 0});
    refuses({.tolerance = std::nan("")});
    refuses({.weighting = Weighting::lasso, .lambda = 0});
    refuses({.max_ring = -1});
    refuses({.sample_ring = -1});
    refuses({.neighborhood = Neighborhood::power, .sample_ring = 5});
    refuses({.order = 3, .keep = {0.5}});
    refuses({.order = 2, .keep = {0.0}});
    refuses({.order = 2, .keep = {1.5}});
    EXPECT_THROW(learn_weights(Graph(3, {}), input.features, {}), InputError);
    EXPECT_THROW(learn_weights(Graph(3, {}), CsrMatrix<float>{3, 0, {0, 0, 0, 0}, {}, {}}, {}), InputError);
}

TEST(LearnWeights, StopsWhenAsked) {
    const Input& input = small_input();
    const std::atomic<bool> stop{true};
    EXPECT_THROW(learn_weights(input.graph, input.features, {.order = 3}, {.stop = &stop}), Interrupted);
}

TEST(KeepHeaviest, KeepsTheGivenShareOfTheRingRoundedUp) {
    const CsrMatrix<double> weights{2, 10, {0, 4, 5}, {1, 3, 5, 7, 2}, {0.1, 0.4, 0.4, 0.2, 1.0}};
    const CsrMatrix<double> kept = keep_heaviest(weights, {10, 3}, 0.2);
    EXPECT_EQ(kept.indices, (std::vector<Index>{3, 5, 2}));
    EXPECT_EQ(kept.offsets, (std::vector<std::int64_t>{0, 2, 3}));
    EXPECT_EQ(keep_heaviest(weights, {10, 3}, 0.1).indices, (std::vector<Index>{3, 2}))
        << "ties go to the first";
    EXPECT_EQ(keep_heaviest(weights, {10, 3}, 1.0).indices, weights.indices);
}

TEST(KeepHeaviest, IsNotFooledByRounding) {
    CsrMatrix<double> weights{1, 100, {0, 100}, {}, std::vector<double>(100, 0.5)};
    for (Index j = 0; j < 100; ++j)
        weights.indices.push_back(j);
    for (const auto& [share, expected] :
         std::vector<std::pair<double, int>>{{0.07, 7}, {0.55, 55}, {0.051, 6}}) {
        EXPECT_EQ(keep_heaviest(weights, {100}, share).entries(), expected) << share;
    }
}

TEST(CombinedWeights, AddUpTheOrders) {
    const Input& input = small_input();
    for (const Neighborhood neighborhood : {Neighborhood::distance, Neighborhood::power}) {
        const auto learned =
            learn_weights(input.graph, input.features, {.order = 3, .neighborhood = neighborhood});
        const CsrMatrix<double> sum = combined_weights(learned);
        validate_csr(sum, "sum");
        for (Index node = 0; node < input.graph.nodes(); ++node) {
            std::vector<double> expected(300, 0.0), found(300, 0.0);
            for (const OrderWeights& order : learned.orders) {
                const auto row = order.matrix.row(node);
                for (std::size_t e = 0; e < row.size(); ++e)
                    expected[row.indices[e]] += row.values[e];
            }
            const auto row = sum.row(node);
            for (std::size_t e = 0; e < row.size(); ++e)
                found[row.indices[e]] += row.values[e];
            EXPECT_EQ(found, expected);
        }
    }
}

TEST(EstimateCost, FindsTheSupportOfTheWholeFromASample) {
    const Input input(make_synthetic({.nodes = 3000, .seed = 2}));
    const WeightOptions options{.order = 3};
    const CostEstimate estimate = estimate_cost(input.graph, input.features, options, {}, 300);
    const LearnedWeights learned = learn_weights(input.graph, input.features, options);
    const auto support = learned.orders[0].summary.support + learned.orders[1].summary.support;
    EXPECT_NEAR(static_cast<double>(estimate.support) / static_cast<double>(support), 1.0, 0.15);
    EXPECT_GT(estimate.seconds, 0.0);
    EXPECT_GT(estimate.peak_mb, 10.0);
}

// The appendix of the paper, in percent. An exact solve stays within 1.6 points of it in the first bin and
// within 1.0 in the mass above 1e-3; on Pubmed, where the paper's solver left noise below 1e-4, within 1.2 in
// that mass.
struct PublishedStatistics {
    const char* dataset;
    std::vector<std::int64_t> ring_pairs;      // orders 2, 3, ..
    std::vector<std::array<double, 6>> paper;  // orders 2, 3, ..
    double mass_tolerance;
    bool compare_first_bin;
};

// Sanitizers slow the solver down twentyfold; the large rings are left to the other builds.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t most_orders = 2;
#else
constexpr std::size_t most_orders = 7;
#endif

void expect_published(const PublishedStatistics& published, const std::filesystem::path& data) {
    const Input input(load_dataset(published.dataset, data));
    const auto orders = static_cast<int>(std::min(most_orders, published.paper.size()));
    const LearnedWeights learned = learn_weights(input.graph, input.features, {.order = orders + 1});
    for (const OrderWeights& weights : learned.orders) {
        const OrderSummary& summary = weights.summary;
        SCOPED_TRACE(std::string(published.dataset) + " order " + std::to_string(summary.order));
        const auto& paper = published.paper[summary.order - 2];
        const auto& ours = summary.statistics_percent;
        EXPECT_EQ(summary.ring_pairs, published.ring_pairs[summary.order - 2]);
        EXPECT_LE(summary.worst_gap, 1e-7);
        EXPECT_EQ(summary.unfinished, 0);
        EXPECT_NEAR(ours[3] + ours[4] + ours[5], paper[3] + paper[4] + paper[5], published.mass_tolerance);
        if (published.compare_first_bin) {
            EXPECT_NEAR(ours[0], paper[0], 1.6);
        }
    }
}

TEST(LearnWeights, ReproducesTheStatisticsOfThePaperOnCora) {
    const auto data = HWGCN_REAL_DATA();
    expect_published({"cora",
                      {86332, 247250, 663302, 1187132, 1389500, 1118348, 693030},
                      {{42.79, 1.05, 1.91, 16.37, 35.09, 2.79},
                       {63.21, 1.21, 1.83, 13.64, 19.51, 0.6},
                       {79.39, 1.12, 1.46, 9.04, 8.8, 0.19},
                       {85.57, 0.91, 1.19, 6.81, 5.44, 0.08},
                       {86.74, 0.8, 1.16, 6.44, 4.8, 0.06},
                       {84.73, 0.79, 1.26, 7.37, 5.78, 0.07},
                       {79.47, 0.78, 1.57, 9.66, 8.42, 0.1}},
                      1.0,
                      true},
                     data);
}

TEST(LearnWeights, ReproducesTheStatisticsOfThePaperOnCiteseer) {
    const auto data = HWGCN_REAL_DATA();
    expect_published({"citeseer",
                      {37826, 94512, 175166, 259986, 336870, 418362, 509472},
                      {{24.07, 0.31, 1.51, 15.92, 50.8, 7.39},
                       {43.06, 0.82, 2.08, 18.3, 34.4, 1.34},
                       {55.59, 0.92, 2.14, 17.43, 23.52, 0.4},
                       {62.46, 1.01, 2.09, 16.16, 18.08, 0.2},
                       {66.37, 1.05, 2.07, 15.11, 15.28, 0.12},
                       {70.16, 0.99, 2.0, 14.02, 12.75, 0.08},
                       {73.59, 0.87, 2.03, 13.18, 10.28, 0.05}},
                      1.0,
                      true},
                     data);
}

TEST(LearnWeights, ReproducesTheStatisticsOfThePaperOnPubmed) {
    const auto data = HWGCN_REAL_DATA();
    expect_published({"pubmed",
                      {1075702, 6596564, 31483408, 65487358},
                      {{55.29, 3.51, 1.36, 11.81, 25.54, 2.49},
                       {85.23, 1.75, 1.04, 5.83, 5.78, 0.37},
                       {94.04, 0.9, 0.69, 2.69, 1.61, 0.07},
                       {95.8, 0.71, 0.57, 1.93, 0.96, 0.03}},
                      1.2,
                      false},
                     data);
}

}  // namespace
}  // namespace hwgcn::learn_weights_test
