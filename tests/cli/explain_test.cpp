#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.hpp"

namespace hwgcn::testing::explain_test {
namespace {

using ::testing::HasSubstr;

const User& user_with_run() {
    static const User user;
    static const bool trained = [] {
        user.run_json({"train", "karate", "--epochs", "40", "--order", "3", "--out", "run"});
        user.run_json({"train", "karate", "--method", "lp", "--out", "spread"});
        return true;
    }();
    EXPECT_TRUE(trained);
    return user;
}

TEST(Explain, TheJsonHasTheKeysOfTheContractAndAddsUp) {
    const nlohmann::json result = user_with_run().run_json({"explain", "run", "--node", "9", "--top", "40"});
    for (const char* const key : {"node", "predicted", "probabilities", "neighbors"})
        EXPECT_TRUE(result.contains(key)) << key;
    EXPECT_EQ(result["node"], "9");
    double sum = result["offset"];
    for (const auto& neighbor : result["neighbors"]) {
        for (const char* const key : {"id", "order", "weight", "share", "label", "path"})
            EXPECT_TRUE(neighbor.contains(key)) << key;
        EXPECT_EQ(neighbor["path"].front(), "9");
        EXPECT_EQ(neighbor["path"].back(), neighbor["id"]);
        sum += neighbor["contribution"].get<double>();
    }
    EXPECT_EQ(result["neighbors"].size(), result["neighbors_in_all"]);
    EXPECT_NEAR(sum, result["margin"], 1e-9);
}

TEST(Explain, AgreesWithThePredictionsOfTheRun) {
    const User& user = user_with_run();
    const nlohmann::json result = user.run_json({"explain", "run", "--node", "20"});
    std::istringstream table(content_of(user.work() / "run/predictions.csv"));
    std::string line;
    while (std::getline(table, line) && !line.starts_with("20,")) {
    }
    EXPECT_THAT(line, HasSubstr("20," + result["predicted"].get<std::string>() + ","));
}

TEST(Explain, SeveralNodesAreToldOneAfterTheOther) {
    const Outcome told = user_with_run().run({"explain", "run", "--node", "9", "--node", "20", "--top", "2"});
    EXPECT_EQ(told.status, 0) << told;
    EXPECT_THAT(told.out, HasSubstr("node 9: "));
    EXPECT_THAT(told.out, HasSubstr("node 20: "));
    EXPECT_THAT(told.out, HasSubstr("nodes with less (--top)"));
    EXPECT_EQ(told.out,
              user_with_run().run({"explain", "run", "--node", "9", "--node", "20", "--top", "2"}).out);
}

TEST(Explain, SaysWhatIsWrong) {
    const User& user = user_with_run();
    const auto message = [&](const std::vector<std::string>& arguments) {
        const Outcome outcome = user.run(arguments);
        EXPECT_EQ(outcome.status, 2) << outcome;
        return outcome.err;
    };
    EXPECT_THAT(message({"explain", "run"}), HasSubstr("no node was given: expected --node ID"));
    EXPECT_THAT(message({"explain", "run", "--node", "99"}), HasSubstr("'99' is none of the 34 node ids"));
    EXPECT_THAT(message({"explain", "--node", "9"}), HasSubstr("no run was given"));
    EXPECT_THAT(message({"explain", "nowhere", "--node", "9"}), HasSubstr("no such folder"));
    EXPECT_THAT(message({"explain", "spread", "--node", "9"}), HasSubstr("LP has no exact explanation"));
}

}  // namespace
}  // namespace hwgcn::testing::explain_test
