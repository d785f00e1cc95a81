#include <gtest/gtest.h>

#include "report/report_subject.hpp"

namespace hwgcn::importances_section_test {
namespace {

using testing::Json;
using testing::Subject;

TEST(ImportancesSection, ShowsFeatureImportancesOrSaysWhyThereAreNone) {
    const Subject subject;
    const auto shown = [&](const FeatureImportances* importances) {
        ReportPage page;
        add_run(page,
                {subject.manifest,
                 subject.graph,
                 subject.split,
                 subject.probabilities,
                 subject.model.history,
                 subject.weights,
                 subject.explainer.get(),
                 {},
                 "",
                 importances,
                 "No label is left."},
                {1});
        return Json::parse(page.run)["importances"];
    };
    EXPECT_EQ(shown(nullptr), Json({{"missing", "No label is left."}}));
    const FeatureImportances found =
        measure_importances(subject.graph, subject.propagation, subject.settings, subject.model.parameters,
                            subject.split, {.repeats = 2, .columns = 35}, {1});
    const Json json = shown(&found);
    EXPECT_EQ(json["on"], "test");
    EXPECT_EQ(json["nodes"], 60);
    EXPECT_NEAR(json["score"], 100.0 * found.score, 1e-9);
    EXPECT_EQ(json["columns_in_all"], 40);
    EXPECT_EQ(json["measured"], 35);
    ASSERT_EQ(json["columns"].size(), 30U) << "a chart is for looking";
    EXPECT_EQ(json["columns"][0]["name"], found.columns[0].name);
    EXPECT_NEAR(json["columns"][0]["drop"], 100.0 * found.columns[0].summary.mean, 1e-9);
    EXPECT_NEAR(json["columns"][0]["deviation"], 100.0 * found.columns[0].summary.std, 1e-9);
}

}  // namespace
}  // namespace hwgcn::importances_section_test
