#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/dataset/split.hpp"
#include "hwgcn/metrics/metrics.hpp"

#include "metrics/ranking.hpp"

namespace hwgcn::metric_info_test {
namespace {

TEST(AllMetrics, HaveNamesAndNumbersOfTheirOwn) {
    std::set<std::string> keys, titles, options;
    Metrics metrics;
    double next = 0;
    for (const MetricInfo& info : all_metrics()) {
        EXPECT_EQ(&metric_info(info.metric), &info);
        EXPECT_EQ(info.option.empty(), !info.more_is_better) << info.key;
        keys.insert(info.key);
        titles.insert(info.title);
        if (info.more_is_better) options.insert(info.option);
        metrics.*info.metric = next += 1;
    }
    EXPECT_EQ(keys.size(), 8U);
    EXPECT_EQ(titles.size(), 8U);
    EXPECT_EQ(options.size(), 6U);
    EXPECT_EQ(metric_info(&Metrics::roc_auc).key, "roc_auc");
    EXPECT_EQ(metrics.roc_auc, 5);
    EXPECT_EQ(metrics.mcc, 8);
    EXPECT_EQ(metric_info(&Metrics::mcc).shown(metrics), 800);
    EXPECT_EQ(metric_info(&Metrics::nll).shown(metrics), 3) << "no share";
}

TEST(AllMetrics, AreWhatIsLeftOfMetricsInNumbers) {
    Metrics metrics;
    metrics.count = 7;
    metrics.mcc = -0.5;
    metrics.ece = 0.25;
    metrics.positive = 1;
    metrics.confusion = {{3, 1}, {2, 1}};
    const Metrics numbers = numbers_of(metrics);
    EXPECT_EQ(numbers.count, 7);
    EXPECT_EQ(numbers.mcc, -0.5);
    EXPECT_EQ(numbers.ece, 0.25);
    EXPECT_TRUE(std::isnan(numbers.roc_auc));
    EXPECT_TRUE(numbers.confusion.empty());
}

TEST(PositiveClass, IsTheRarerOneOfTrainingAndValidationWhateverTheTestLabelsAre) {
    Dataset dataset;
    dataset.class_names = {"no", "yes"};
    dataset.labels = {0, 0, 1, 1, 1, 0, 0, 0};
    EXPECT_EQ(positive_class(dataset, {"s", {0, 2}, {3, 4}, {5, 6, 7}}), 0);
    EXPECT_EQ(positive_class(dataset, {"s", {0, 2}, {1}, {3, 4}}), 1);
    EXPECT_EQ(positive_class(dataset, {"s", {0, 2}, {}, {3, 4}}), 1) << "the second of equals";
    dataset.class_names.emplace_back("perhaps");
    EXPECT_EQ(positive_class(dataset, {"s", {0, 2}, {}, {3, 4}}), -1);
}

}  // namespace
}  // namespace hwgcn::metric_info_test
