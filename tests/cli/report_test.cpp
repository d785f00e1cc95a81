#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.hpp"

namespace hwgcn::testing::report_test {
namespace {

using ::testing::HasSubstr;

const User& user_with_run() {
    static const User user;
    static const bool trained = [] {
        user.run_json({"train", "karate", "--epochs", "30", "--order", "3", "--split", "random:4:8:12",
                       "--out", "run"});
        user.run_json({"train", "karate", "--method", "lp", "--split", "random:4:8:12", "--out", "spread"});
        user.run_json(
            {"train", "karate", "--epochs", "20", "--split", "all", "--method", "hwgcn", "--out", "all"});
        user.run({"evaluate", "karate", "--method", "gcn,hwgcn", "--epochs", "20", "--runs", "2", "--split",
                  "random:4:8:12", "--json", "compared.json"});
        return true;
    }();
    EXPECT_TRUE(trained);
    return user;
}

// Without a page in the message of a failure.
bool page_has(const User& user, const std::string& page, const std::string& text) {
    return content_of(user.work() / page).find(text) != std::string::npos;
}

TEST(Report, WritesOnePage) {
    const User& user = user_with_run();
    const Outcome told = user.run({"report", "run", "--out", "page.html"});
    EXPECT_EQ(told.status, 0) << told;
    EXPECT_THAT(told.out, HasSubstr("Written: page.html ("));
    EXPECT_TRUE(page_has(user, "page.html", "<title>karate: HWGCN of order 3</title>"));
    EXPECT_TRUE(page_has(user, "page.html", "\"explorer\":"));
    EXPECT_EQ(user.run({"report", "run", "--out", "again.html", "--threads", "1"}).status, 0);
    EXPECT_TRUE(content_of(user.work() / "page.html") == content_of(user.work() / "again.html"));
}

TEST(Report, TheJsonSaysWhatIsInIt) {
    const User& user = user_with_run();
    const nlohmann::json result =
        user.run_json({"report", "run", "--result", "compared.json", "--orders", "2", "--out", "full.html"});
    EXPECT_EQ(result["title"], "karate: HWGCN of order 3");
    EXPECT_EQ(result["results"], nlohmann::json({"compared.json"}));
    EXPECT_EQ(result["bytes"], content_of(user.work() / "full.html").size());
    EXPECT_TRUE(page_has(user, "full.html", "\"orders\":[{\"mean\":"));
}

TEST(Report, AResultAloneIsAPage) {
    const User& user = user_with_run();
    EXPECT_EQ(user.run({"report", "compared.json", "--out", "compared.html"}).status, 0);
    EXPECT_TRUE(page_has(user, "compared.html", "<title>karate: methods compared</title>"));
}

TEST(Report, MethodsWithoutExplanationHaveAPageThatSaysSo) {
    const nlohmann::json result = user_with_run().run_json({"report", "spread", "--out", "spread.html"});
    EXPECT_THAT(result["notes"][0].get<std::string>(), HasSubstr("LP is no network"));
    EXPECT_TRUE(page_has(user_with_run(), "spread.html", "LP is no network"));
}

TEST(Report, SaysWhatIsWrong) {
    const User& user = user_with_run();
    user.write("odd.json", "{}");
    const auto message = [&](const std::vector<std::string>& arguments) {
        const Outcome outcome = user.run(arguments);
        EXPECT_EQ(outcome.status, 2) << outcome;
        return outcome.err;
    };
    EXPECT_THAT(message({"report"}), HasSubstr("nothing to report on: expected a folder"));
    EXPECT_THAT(message({"report", "nowhere"}), HasSubstr("nowhere: no such folder"));
    EXPECT_THAT(message({"report", "odd.json"}), HasSubstr("odd.json: is no result of hwgcn evaluate"));
    EXPECT_THAT(message({"report", "run", "--result", "none.json"}), HasSubstr("none.json"));
    EXPECT_THAT(message({"report", "compared.json", "--orders", "2"}), HasSubstr("a result was given"));
    EXPECT_THAT(message({"report", "spread", "--orders", "2"}), HasSubstr("LP has no orders to vary"));
    EXPECT_THAT(message({"report", "all", "--orders", "2"}), HasSubstr("has no test nodes"));
    EXPECT_THAT(message({"report", "run", "--out", "missing/there/page.html", "--resultt", "x"}),
                HasSubstr("did you mean '--result'"));
    EXPECT_THAT(message({"report", std::string(300, 'x')}), HasSubstr("no such folder"));
    EXPECT_THAT(message({"report", "compared.json", "karate"}), HasSubstr("a dataset was given"));
    EXPECT_THAT(message({"report", "compared.json", "--out", "./compared.json"}),
                HasSubstr("is a file that this command reads"));
    EXPECT_THAT(message({"report", "run", "--out", "run/run.json"}),
                HasSubstr("is a file that this command reads"));
    EXPECT_FALSE(std::filesystem::exists(user.work() / "report.html"));
}

}  // namespace
}  // namespace hwgcn::testing::report_test
