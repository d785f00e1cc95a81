#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.hpp"

namespace hwgcn::testing {
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

TEST(Report, WritesOnePage) {
    const User& user = user_with_run();
    const Outcome told = user.run({"report", "run", "--out", "page.html"});
    EXPECT_EQ(told.status, 0) << told;
    EXPECT_THAT(told.out, HasSubstr("Written: page.html ("));
    const std::string page = content_of(user.work() / "page.html");
    EXPECT_THAT(page, HasSubstr("<title>karate: HWGCN of order 3</title>"));
    EXPECT_THAT(page, HasSubstr("\"explorer\":"));
    EXPECT_EQ(user.run({"report", "run", "--out", "again.html", "--threads", "1"}).status, 0);
    EXPECT_EQ(page, content_of(user.work() / "again.html"));
}

TEST(Report, TheJsonSaysWhatIsInIt) {
    const User& user = user_with_run();
    const nlohmann::json result =
        user.run_json({"report", "run", "--result", "compared.json", "--orders", "2", "--out", "full.html"});
    EXPECT_EQ(result["title"], "karate: HWGCN of order 3");
    EXPECT_EQ(result["results"], nlohmann::json({"compared.json"}));
    EXPECT_EQ(result["bytes"], content_of(user.work() / "full.html").size());
    EXPECT_THAT(content_of(user.work() / "full.html"), HasSubstr("\"orders\":[{\"order\":1,"));
}

TEST(Report, AResultAloneIsAPage) {
    const User& user = user_with_run();
    EXPECT_EQ(user.run({"report", "compared.json", "--out", "compared.html"}).status, 0);
    EXPECT_THAT(content_of(user.work() / "compared.html"),
                HasSubstr("<title>karate: methods compared</title>"));
}

TEST(Report, MethodsWithoutExplanationHaveAPage) {
    EXPECT_EQ(user_with_run().run({"report", "spread", "--out", "spread.html"}).status, 0);
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
                HasSubstr("--result"));
    EXPECT_FALSE(std::filesystem::exists(user.work() / "report.html"));
}

}  // namespace
}  // namespace hwgcn::testing
