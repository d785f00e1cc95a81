// Which nodes of the explorer have shares, where there are not enough for all.
#include <algorithm>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "report/report_subject.hpp"

namespace hwgcn::explorer_shares_test {
namespace {

using testing::Json;
using testing::Subject;
using testing::unpacked;

Json explorer_of(const ReportPage& page) {
    return Json::parse(page.run)["explorer"];
}

TEST(ExplorerShares, ThatWouldTakeTooLongAreLeftOutAndItSaysSo) {
    const Subject subject("hwgpr");
    ExplorerLimits limits;
    limits.share_cost = 1000;
    const ReportPage page = subject.page(limits);
    EXPECT_FALSE(explorer_of(page).contains("share"));
    ASSERT_EQ(page.notes.size(), 1U);
    EXPECT_NE(page.notes[0].find("hwgcn explain has them"), std::string::npos);
    EXPECT_NE(page.notes[0].find("--shares N"), std::string::npos);
}

TEST(ExplorerShares, AreThereForAsManyNodesAsTheWorkPaysForAndTestNodesComeFirst) {
    const Subject subject("hwgpr");
    const Json all = explorer_of(subject.page());
    EXPECT_FALSE(all.contains("shared"));
    ExplorerLimits limits;
    limits.share_cost = 20 * subject.explainer->cost();
    const ReportPage page = subject.page(limits);
    const Json some = explorer_of(page);
    const auto shared = unpacked<std::uint8_t>(some["shared"]);
    const auto own = unpacked<std::int16_t>(some["own_share"]);
    const auto own_of_all = unpacked<std::int16_t>(all["own_share"]);
    ASSERT_EQ(shared.size(), 150U);
    EXPECT_EQ(std::accumulate(shared.begin(), shared.end(), 0), 20);
    std::vector<Index> first = subject.split.test;
    std::ranges::sort(first);
    first.resize(20);
    for (Index node = 0; node < 150; ++node) {
        EXPECT_EQ(shared[node] != 0, std::ranges::find(first, node) != first.end()) << node;
        EXPECT_EQ(own[node], shared[node] != 0 ? own_of_all[node] : 0) << node;
    }
    ASSERT_EQ(page.notes.size(), 1U);
    EXPECT_TRUE(page.notes[0].starts_with("The explorer has shares for 20 of its 150 nodes, test nodes"));
    EXPECT_EQ(explorer_of(subject.page(limits, 3)), some) << "on any number of threads";
}

// Behind the first 200 test nodes.
TEST(ExplorerShares, GoOnWithWrongPredictionsAndNodesWithoutALabel) {
    SyntheticOptions options;
    options.nodes = 600;
    options.vocabulary = 40;
    options.words = 3;
    Dataset data = make_synthetic(options);
    for (Index node = 0; node < 40; ++node)
        data.labels[node] = -1;
    Subject subject("gcn", std::move(data));
    subject.split.test.clear();
    std::set<Index> others(subject.split.train.begin(), subject.split.train.end());
    others.insert(subject.split.validation.begin(), subject.split.validation.end());
    for (Index node = 40; node < 600; ++node) {
        if (!others.contains(node)) subject.split.test.push_back(node);
    }
    Index wrong = 0;
    const Decision decision = subject.manifest.decision;
    for (std::size_t k = 200; k < subject.split.test.size(); ++k) {
        const Index node = subject.split.test[k];
        wrong += decide(subject.probabilities, node, decision) != subject.graph.dataset.labels[node] ? 1 : 0;
    }
    ASSERT_GT(wrong, 20);
    ExplorerLimits limits;
    limits.shares = 200 + wrong + 3;
    const auto shared = unpacked<std::uint8_t>(explorer_of(subject.page(limits))["shared"]);
    EXPECT_EQ(std::accumulate(shared.begin(), shared.end(), 0), 200 + wrong + 3);
    for (std::size_t k = 0; k < subject.split.test.size(); ++k) {
        const Index node = subject.split.test[k];
        const bool is_wrong =
            decide(subject.probabilities, node, decision) != subject.graph.dataset.labels[node];
        EXPECT_EQ(shared[node] != 0, k < 200 || is_wrong) << node;
    }
    EXPECT_TRUE(shared[0] && shared[1] && shared[2]);
    EXPECT_FALSE(shared[3]) << "no label, but the three are used up";
}

TEST(ExplorerShares, AreForAsManyNodesAsAskedFor) {
    const Subject subject;
    ExplorerLimits limits;
    limits.shares = 0;
    EXPECT_FALSE(explorer_of(subject.page(limits)).contains("share"));
    limits.shares = 7;
    limits.share_cost = 1;
    const auto shared = unpacked<std::uint8_t>(explorer_of(subject.page(limits))["shared"]);
    EXPECT_EQ(std::accumulate(shared.begin(), shared.end(), 0), 7);
    limits.shares = 1'000'000;
    const Json all = explorer_of(subject.page(limits));
    EXPECT_TRUE(all.contains("share"));
    EXPECT_FALSE(all.contains("shared"));
}

}  // namespace
}  // namespace hwgcn::explorer_shares_test
