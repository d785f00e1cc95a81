#include "hwgcn/dataset/synthetic.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "base/hash.hpp"

namespace hwgcn::synthetic_test {
namespace {

// Over everything that is drawn, as it lies in the memory of a little-endian machine.
std::string content_hash(const Dataset& dataset) {
    Sha256 hash;
    for (const Edge& edge : dataset.edges)
        hash.value(edge.from).value(edge.to);
    hash.array(dataset.labels).array(dataset.features.offsets);
    hash.array(dataset.features.indices).array(dataset.features.values);
    return hash.hex();
}

std::vector<Index> degrees_of(const Dataset& dataset) {
    std::vector<Index> degrees(static_cast<std::size_t>(dataset.nodes));
    for (const Edge& edge : dataset.edges) {
        ++degrees[edge.from];
        ++degrees[edge.to];
    }
    return degrees;
}

double homophily_of(const Dataset& dataset) {
    const auto same = std::count_if(dataset.edges.begin(), dataset.edges.end(), [&](const Edge& edge) {
        return dataset.labels[edge.from] == dataset.labels[edge.to];
    });
    return static_cast<double>(same) / static_cast<double>(dataset.edges.size());
}

void expect_distinct_edges(const Dataset& dataset, std::size_t count) {
    EXPECT_EQ(dataset.edges.size(), count);
    std::set<std::pair<Index, Index>> pairs;
    for (const Edge& edge : dataset.edges) {
        EXPECT_NE(edge.from, edge.to);
        pairs.insert(std::minmax(edge.from, edge.to));
    }
    EXPECT_EQ(pairs.size(), count);
}

void expect_refused(const std::function<void(SyntheticOptions&)>& change, const std::string& message) {
    SyntheticOptions options;
    change(options);
    try {
        make_synthetic(options);
        FAIL() << "accepted, expected: " << message;
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
}

TEST(Synthetic, IsAValidFullyLabelledDataset) {
    const Dataset dataset = make_synthetic({});
    EXPECT_NO_THROW(validate_dataset(dataset));
    EXPECT_EQ(dataset.name, "synthetic");
    EXPECT_EQ(dataset.nodes, 2000);
    EXPECT_EQ(dataset.classes(), 5);
    for (Index label = 0; label < 5; ++label)
        EXPECT_EQ(std::count(dataset.labels.begin(), dataset.labels.end(), label), 400);
}

TEST(Synthetic, GivesTheSameGraphAtAnyThreadCount) {
    SyntheticOptions options;
    options.nodes = 5000;
    const std::string expected = content_hash(make_synthetic(options, {.threads = 1}));
    for (const int threads : {2, 3, 8})
        EXPECT_EQ(content_hash(make_synthetic(options, {.threads = threads})), expected) << threads;
}

TEST(Synthetic, GivesOtherGraphsForOtherSeeds) {
    SyntheticOptions options;
    std::set<std::string> hashes;
    for (const std::uint64_t seed : {0ull, 1ull, 2ull, 1ull << 32, ~0ull}) {
        options.seed = seed;
        hashes.insert(content_hash(make_synthetic(options)));
    }
    EXPECT_EQ(hashes.size(), 5u);
}

// Changes of this value break what others have published from synthetic graphs.
TEST(Synthetic, GivesTheSameGraphOnEveryMachine) {
    SyntheticOptions options;
    options.nodes = 300;
    options.classes = 4;
    options.vocabulary = 120;
    options.words = 9;
    options.seed = 7;
    EXPECT_EQ(content_hash(make_synthetic(options)),
              "ce5d458da5445e23c5386e345c76b1bc933f8b20e1749724bb6a819ce8eebcaf");
}

TEST(Synthetic, NoiseIsLightAndLeavesTheRestAsItIs) {
    SyntheticOptions options;
    options.nodes = 400;
    options.homophily = 1.0;
    const Dataset quiet = make_synthetic(options);
    EXPECT_TRUE(quiet.edge_weights.empty());
    options.noise_edges = 7.5;
    options.noise_weight = 0.1;
    const Dataset noisy = make_synthetic(options);
    EXPECT_NO_THROW(validate_dataset(noisy));
    expect_distinct_edges(noisy, 1000 + 1500);
    EXPECT_EQ(noisy.features.indices, quiet.features.indices);
    EXPECT_EQ(noisy.labels, quiet.labels);
    Index between = 0;
    for (std::size_t e = 0; e < noisy.edges.size(); ++e) {
        const bool heavy = e < quiet.edges.size();
        if (heavy) {
            EXPECT_EQ(noisy.edges[e], quiet.edges[e]);
        }
        EXPECT_GE(noisy.edge_weights[e], heavy ? 0.5F : 0.05F);
        EXPECT_LE(noisy.edge_weights[e], heavy ? 1.5F : 0.15F);
        between += noisy.labels[noisy.edges[e].from] != noisy.labels[noisy.edges[e].to] ? 1 : 0;
    }
    EXPECT_NEAR(between, 0.8 * 1500, 100);  // of five classes
    expect_refused([](SyntheticOptions& bad) { bad.noise_edges = 600; }, "noise_edges is 600");
    expect_refused([](SyntheticOptions& bad) { bad.noise_weight = 0; }, "noise_weight is 0");
}

TEST(Synthetic, HasExactlyTheEdgesAskedForAllDifferent) {
    for (const double mean_degree : {0.0, 0.3, 1.0, 4.999, 30.0}) {
        SyntheticOptions options;
        options.nodes = 701;
        options.mean_degree = mean_degree;
        expect_distinct_edges(make_synthetic(options), std::llround(701 * mean_degree / 2));
    }
}

TEST(Synthetic, HasTheHomophilyAskedFor) {
    for (const double homophily : {0.0, 0.1, 0.5, 0.81, 1.0}) {
        for (const Index classes : {2, 7}) {
            SyntheticOptions options;
            options.homophily = homophily;
            options.classes = classes;
            EXPECT_NEAR(homophily_of(make_synthetic(options)), homophily, 1e-3) << classes << " classes";
        }
    }
}

TEST(Synthetic, CompletesDenseGraphs) {
    SyntheticOptions options;
    options.nodes = 60;
    options.classes = 1;
    options.homophily = 1.0;
    options.mean_degree = 59.0;
    expect_distinct_edges(make_synthetic(options), 60 * 59 / 2);

    options.classes = 60;  // one node each: every pair crosses
    options.homophily = 0.0;
    expect_distinct_edges(make_synthetic(options), 60 * 59 / 2);
}

TEST(Synthetic, AcceptsTheSmallestGraphs) {
    SyntheticOptions options;
    options.nodes = options.classes = 1;
    options.mean_degree = 0.0;
    const Dataset single = make_synthetic(options);
    EXPECT_NO_THROW(validate_dataset(single));
    EXPECT_TRUE(single.edges.empty());

    options.vocabulary = options.words = 0;
    const Dataset bare = make_synthetic(options);
    EXPECT_NO_THROW(validate_dataset(bare));
    EXPECT_EQ(bare.features.columns, 0);
    EXPECT_EQ(bare.features.entries(), 0);
}

// The node of rank r has an expected degree proportional to r^-a with a = 1/(exponent - 1): the means of two
// groups of ranks, both well behind the head, tell a.
TEST(Synthetic, HasPowerLawDegreesWithTheExponentAskedFor) {
    for (const double exponent : {2.5, 3.0, 4.0}) {
        SyntheticOptions options;
        options.nodes = 100000;
        options.mean_degree = 20.0;
        options.degree_exponent = exponent;
        options.words = 0;
        std::vector<Index> degrees = degrees_of(make_synthetic(options));
        std::sort(degrees.begin(), degrees.end(), std::greater<>());
        const auto mean = [&](double from, double to) {
            const auto begin = static_cast<std::ptrdiff_t>(from * options.nodes);
            const auto end = static_cast<std::ptrdiff_t>(to * options.nodes);
            const double sum = std::accumulate(degrees.begin() + begin, degrees.begin() + end, 0.0);
            return sum / static_cast<double>(end - begin);
        };
        const double slope = std::log(mean(0.005, 0.01) / mean(0.05, 0.1)) / std::log(10.0);
        EXPECT_NEAR(slope, 1.0 / (exponent - 1.0), 0.05) << exponent;
    }
}

TEST(Synthetic, KeepsTheLargestDegreeNearItsLimit) {
    SyntheticOptions options;
    options.nodes = 50000;
    options.mean_degree = 8.0;
    options.words = 0;
    const auto largest = [&] {
        const std::vector<Index> degrees = degrees_of(make_synthetic(options));
        return *std::max_element(degrees.begin(), degrees.end());
    };
    const double limit = std::sqrt(50000 * 8.0);
    const Index skewed = largest();
    EXPECT_GT(skewed, 0.5 * limit);
    EXPECT_LT(skewed, 1.5 * limit);
    options.degree_exponent = 100.0;
    EXPECT_LT(largest(), 40);  // nearly Poisson with mean 8
}

TEST(Synthetic, GivesEveryNodeItsNumberOfDistinctWords) {
    for (const Index words : {1, 20, 99, 100}) {
        SyntheticOptions options;
        options.nodes = 400;
        options.vocabulary = 100;
        options.words = words;
        const CsrMatrix<float> features = make_synthetic(options).features;
        EXPECT_NO_THROW(validate_csr(features, "features"));  // ascending strictly, hence distinct
        EXPECT_EQ(features.columns, 100);
        for (Index node = 0; node < features.rows; ++node)
            EXPECT_EQ(features.row(node).size(), static_cast<std::size_t>(words));
        EXPECT_TRUE(std::all_of(features.values.begin(), features.values.end(),
                                [](float value) { return value == 1.0f; }));
    }
}

// A nearest-centroid classifier on the words alone: centroids from even nodes, accuracy on odd ones.
double word_accuracy(const SyntheticOptions& options) {
    const Dataset dataset = make_synthetic(options);
    std::vector<std::vector<double>> centroids(dataset.class_names.size(),
                                               std::vector<double>(options.vocabulary));
    for (Index node = 0; node < dataset.nodes; node += 2) {
        for (const Index word : dataset.features.row(node).indices)
            ++centroids[dataset.labels[node]][word];
    }
    Index correct = 0;
    for (Index node = 1; node < dataset.nodes; node += 2) {
        std::vector<double> scores;
        for (const std::vector<double>& centroid : centroids) {
            double score = 0;
            for (const Index word : dataset.features.row(node).indices)
                score += centroid[word];
            scores.push_back(score);
        }
        const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
        correct += best == dataset.labels[node];
    }
    return 2.0 * correct / dataset.nodes;
}

TEST(Synthetic, HasWordsThatTellTheClassAsFarAsTheTopicShareSays) {
    SyntheticOptions options;
    options.topic_share = 0.0;
    EXPECT_NEAR(word_accuracy(options), 0.2, 0.06);
    options.topic_share = 0.2;
    const double little = word_accuracy(options);
    options.topic_share = 0.8;
    const double much = word_accuracy(options);
    EXPECT_GT(little, 0.3);
    EXPECT_LT(little, 0.9);
    EXPECT_GT(much, little + 0.1);
    EXPECT_GT(much, 0.9);
}

TEST(Synthetic, StopsWhenAsked) {
    const std::atomic<bool> stop = true;
    EXPECT_THROW(make_synthetic({}, {.stop = &stop}), Interrupted);
}

TEST(Synthetic, RefusesOptionsOutOfRange) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    expect_refused([](auto& o) { o.nodes = 0; }, "nodes is 0, expected 1..");
    expect_refused([](auto& o) { o.nodes = -5; }, "nodes is -5");
    expect_refused([](auto& o) { o.classes = 0; }, "classes is 0, expected 1..2000");
    expect_refused([](auto& o) { o.classes = 2001; }, "classes is 2001, expected 1..2000");
    expect_refused([](auto& o) { o.homophily = -0.1; }, "homophily is -0.1, expected 0..1");
    expect_refused([](auto& o) { o.homophily = 1.5; }, "homophily is 1.5");
    expect_refused([&](auto& o) { o.homophily = nan; }, "homophily is nan");
    expect_refused([](auto& o) { o.mean_degree = -1; }, "mean_degree is -1");
    expect_refused([](auto& o) { o.mean_degree = 2000; }, "mean_degree is 2000, expected 0..1999");
    expect_refused([&](auto& o) { o.mean_degree = infinity; }, "mean_degree is inf");
    expect_refused([](auto& o) { o.degree_exponent = 2.0; }, "degree_exponent is 2, expected 2.1..100");
    expect_refused([&](auto& o) { o.degree_exponent = nan; }, "degree_exponent is nan");
    expect_refused([](auto& o) { o.vocabulary = -1; }, "vocabulary is -1");
    expect_refused([](auto& o) { o.words = 1001; }, "words is 1001, expected 0..1000");
    expect_refused([](auto& o) { o.words = -1; }, "words is -1");
    expect_refused([](auto& o) { o.topic_share = 1.01; }, "topic_share is 1.01, expected 0..1");
}

TEST(Synthetic, RefusesMoreEdgesThanThereArePairs) {
    expect_refused([](auto& o) { o.classes = 1; }, "ask for 1000 edges between classes");
    expect_refused([](auto& o) { o.classes = 2000; }, "ask for 4000 edges inside classes");
    expect_refused([](auto& o) { o.mean_degree = 1999; }, "have 399000 pairs");
}

}  // namespace
}  // namespace hwgcn::synthetic_test
