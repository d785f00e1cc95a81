#include "hwgcn/metrics/score.hpp"

#include <set>

#include <gtest/gtest.h>

#include "hwgcn/dataset/dataset.hpp"
#include "hwgcn/dataset/split.hpp"

namespace hwgcn::score_test {
namespace {

TEST(Scores, AreListedInTheOrderOfTheEnumerationWithNamesOfTheirOwn) {
    std::set<std::string> keys, options;
    Metrics metrics;
    double next = 0;
    for (const ScoreInfo& info : all_scores()) {
        EXPECT_EQ(&score_info(info.score), &info);
        keys.insert(info.key);
        options.insert(info.option);
        metrics.*info.value = next += 1;
    }
    EXPECT_EQ(keys.size(), 6U);
    EXPECT_EQ(options.size(), 6U);
    EXPECT_EQ(score_info(Score::roc_auc).key, "roc_auc");
    EXPECT_EQ(metrics.roc_auc, 3);
    EXPECT_EQ(metrics.mcc, 6);
}

TEST(Scores, OfRankingsAreShownForTwoClassesAndWhereOneIsRare) {
    EXPECT_TRUE(shows_ranking(std::vector<Index>{50, 50}));
    EXPECT_TRUE(shows_ranking(std::vector<Index>{50, 0}));
    EXPECT_FALSE(shows_ranking(std::vector<Index>{20, 20, 20}));
    EXPECT_FALSE(shows_ranking(std::vector<Index>{10, 55, 55})) << "a quarter of its equal share";
    EXPECT_TRUE(shows_ranking(std::vector<Index>{9, 55, 55}));
    EXPECT_FALSE(shows_ranking(std::vector<Index>{0, 55, 55})) << "not there at all";
    EXPECT_FALSE(shows_ranking(std::vector<Index>{5}));
    EXPECT_FALSE(shows_ranking({}));
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
}  // namespace hwgcn::score_test
