#include <csignal>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.hpp"

namespace hwgcn::testing::weights_test {
namespace {

using ::testing::HasSubstr;

const std::string small_graph = "nodes=300,vocabulary=60,words=6,seed=3";

std::vector<std::string> weights(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"weights", "synthetic", "--synthetic", small_graph};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

std::vector<bool> cached_orders(const nlohmann::json& result) {
    std::vector<bool> cached;
    for (const auto& order : result["orders"])
        cached.push_back(order["cached"]);
    return cached;
}

TEST(Weights, TheJsonHasTheKeysOfTheContract) {
    const User user;
    for (std::vector<std::string> arguments : {std::vector<std::string>{"weights", "karate"}, weights()}) {
        const std::string dataset = arguments[1];
        arguments.insert(arguments.end(), {"--order", "3", "--threads", "2"});
        const nlohmann::json result = user.run_json(arguments);
        for (const char* const key : {"dataset", "threads", "seconds", "peak_mb", "cached", "orders"})
            EXPECT_TRUE(result.contains(key)) << key;
        EXPECT_EQ(result["dataset"], dataset);
        EXPECT_EQ(result["threads"], 2);
        EXPECT_EQ(result["cached"], false);
        EXPECT_GT(result["peak_mb"].get<double>(), 1.0);
        ASSERT_EQ(result["orders"].size(), 2U);
        for (const auto& order : result["orders"]) {
            for (const char* const key :
                 {"order", "problems", "ring_pairs", "support", "worst_gap", "seconds", "statistics_percent"})
                EXPECT_TRUE(order.contains(key)) << key;
            ASSERT_EQ(order["statistics_percent"].size(), 6U);
            double sum = 0;
            for (const double share : order["statistics_percent"])
                sum += share;
            EXPECT_NEAR(sum, 100.0, 1e-9);
            EXPECT_LE(order["worst_gap"].get<double>(), 1e-7);
        }
    }
}

TEST(Weights, RingPairsAreThoseThatInspectCounts) {
    const User user;
    const nlohmann::json learned = user.run_json(weights({"--order", "4"}));
    const nlohmann::json inspected =
        user.run_json({"inspect", "synthetic", "--synthetic", small_graph, "--order", "4"});
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(learned["orders"][k]["ring_pairs"], inspected["rings"][k]["pairs"]);
        EXPECT_EQ(learned["orders"][k]["largest_ring"], inspected["rings"][k]["largest"]);
    }
}

TEST(Weights, FinishedOrdersAreFoundAgainInTheCache) {
    const User user;
    EXPECT_EQ(cached_orders(user.run_json(weights({"--order", "2", "--out", "a.npz"}))),
              std::vector<bool>({false}));
    const nlohmann::json more = user.run_json(weights({"--order", "3", "--out", "b.npz"}));
    EXPECT_EQ(cached_orders(more), std::vector<bool>({true, false}));
    EXPECT_FALSE(more["cached"]);
    const nlohmann::json again = user.run_json(weights({"--order", "3", "--out", "c.npz"}));
    EXPECT_TRUE(again["cached"]);
    EXPECT_EQ(content_of(user.path("b.npz")), content_of(user.path("c.npz")));
    EXPECT_NE(content_of(user.path("a.npz")), content_of(user.path("c.npz")));
    const nlohmann::json anew = user.run_json(weights({"--order", "3", "--no-cache", "--out", "d.npz"}));
    EXPECT_FALSE(anew["cached"]);
    EXPECT_EQ(content_of(user.path("d.npz")), content_of(user.path("c.npz")));
    EXPECT_EQ(cached_orders(user.run_json(weights({"--cache-dir", user.path("other")}))),
              std::vector<bool>({false}));
    EXPECT_FALSE(std::filesystem::is_empty(user.path("other")));
}

TEST(Weights, ADamagedCacheEntryIsReportedAndLearnedAgain) {
    const User user;
    user.run_json(weights({"--order", "2", "--out", "a.npz"}));
    for (const auto& entry : std::filesystem::directory_iterator(user.cache()))
        std::filesystem::resize_file(entry.path(), std::filesystem::file_size(entry.path()) / 2);
    const Outcome outcome = user.run(weights({"--order", "2", "--out", "b.npz"}));
    EXPECT_EQ(outcome.status, 0) << outcome;
    EXPECT_THAT(outcome.err, HasSubstr("hwgcn: warning: damaged cache entry, learning it again"));
    EXPECT_EQ(content_of(user.path("a.npz")), content_of(user.path("b.npz")));
    EXPECT_TRUE(user.run_json(weights({"--order", "2"}))["cached"]);
}

TEST(Weights, AnUnusableCacheIsNoReasonToFail) {
    const User user;
    user.write("file", "");
    const Outcome outcome = user.run(weights({"--cache-dir", user.path("file/cache"), "--out", "w.npz"}));
    EXPECT_EQ(outcome.status, 0) << outcome;
    EXPECT_THAT(outcome.err, HasSubstr("could not be cached"));
    EXPECT_TRUE(std::filesystem::exists(user.path("w.npz")));
}

TEST(Weights, TheResultDoesNotDependOnTheNumberOfThreads) {
    const User user;
    for (const std::string threads : {"1", "2", "5"})
        user.run_json(
            weights({"--order", "3", "--no-cache", "--threads", threads, "--out", threads + ".npz"}));
    EXPECT_EQ(content_of(user.path("1.npz")), content_of(user.path("2.npz")));
    EXPECT_EQ(content_of(user.path("1.npz")), content_of(user.path("5.npz")));
}

TEST(Weights, OneFilePerOrderIsWrittenOnRequest) {
    const User user;
    const Outcome outcome = user.run(weights({"--order", "3", "--out-orders", "out/w-"}));
    EXPECT_EQ(outcome.status, 0) << outcome;
    EXPECT_TRUE(std::filesystem::exists(user.path("out/w-2.npz")));
    EXPECT_TRUE(std::filesystem::exists(user.path("out/w-3.npz")));
}

TEST(Weights, KeepThinsTheMatricesAndSaysByHowMuch) {
    const User user;
    const nlohmann::json all = user.run_json(weights({"--order", "3"}));
    const nlohmann::json kept = user.run_json(weights({"--order", "3", "--keep", "0.1,0.05"}));
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(kept["orders"][k]["support"], all["orders"][k]["support"]);
        EXPECT_LT(kept["orders"][k]["kept"], all["orders"][k]["kept"]);
    }
    EXPECT_EQ(kept["parameters"]["keep"], nlohmann::json({0.1, 0.05}));
    EXPECT_THAT(user.run(weights({"--order", "3", "--keep", "0.1,0.05"})).out, HasSubstr("--keep left "));
}

TEST(Weights, CappedRingsAreReported) {
    const User user;
    const Outcome outcome = user.run(weights({"--max-ring", "3"}));
    EXPECT_EQ(outcome.status, 0) << outcome;
    EXPECT_THAT(outcome.err, HasSubstr("hwgcn: warning: order 2: --max-ring 3 capped "));
    const nlohmann::json order = user.run_json(weights({"--max-ring", "3"}))["orders"][0];
    EXPECT_GT(order["capped_rings"].get<int>(), 0);
    EXPECT_LE(order["mean_support"].get<double>(), 3.0);
}

TEST(Weights, SampledRingsAreReported) {
    const User user;
    const Outcome outcome = user.run(weights({"--sample-ring", "3"}));
    EXPECT_EQ(outcome.status, 0) << outcome;
    EXPECT_THAT(outcome.err, HasSubstr("hwgcn: warning: order 2: --sample-ring 3 left "));
    const nlohmann::json order = user.run_json(weights({"--sample-ring", "3"}))["orders"][0];
    EXPECT_GT(order["sampled_rings"].get<int>(), 0);
    EXPECT_EQ(order["largest_ring"].get<int>(), 3);
    EXPECT_EQ(user.run_json(weights({}))["orders"][0]["sampled_rings"].get<int>(), 0);
    const Outcome refused = user.run(weights({"--sample-ring", "3", "--neighborhood", "power"}));
    EXPECT_EQ(refused.status, 2) << refused;
    EXPECT_THAT(refused.err, HasSubstr("--sample-ring: expected 0 with --neighborhood power, got 3"));
}

TEST(Weights, SolvesThatMissTheToleranceFailTheRunButAreWritten) {
    const User user;
    const Outcome outcome = user.run(weights({"--tolerance", "1e-300", "--order", "3", "--out", "w.npz"}));
    EXPECT_EQ(outcome.status, 1) << outcome;
    EXPECT_THAT(outcome.err, HasSubstr("did not reach the tolerance 1e-300"));
    EXPECT_TRUE(std::filesystem::exists(user.path("w.npz")));
}

TEST(Weights, EveryWeightingAndNeighborhoodRuns) {
    const User user;
    const auto support = [&](const std::vector<std::string>& more) {
        const nlohmann::json result = user.run_json(weights(more));
        return result["orders"][0]["support"].get<double>();
    };
    const double learned = support({});
    EXPECT_GT(support({"--weighting", "uniform"}), learned);
    EXPECT_GT(support({"--weighting", "lasso", "--lambda", "1e-4"}), 0.0);
    EXPECT_GT(support({"--neighborhood", "power"}), learned);
}

TEST(Weights, QuietRunsPrintTheResultAlone) {
    const User user;
    const Outcome outcome = user.run(weights({"--quiet"}));
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out, HasSubstr("worst gap"));
    EXPECT_THAT(outcome.out, HasSubstr("(1e-5,1e-4)"));
    EXPECT_EQ(outcome.out.find('\033'), std::string::npos) << "no colours in a file";
}

TEST(Weights, YourOwnTablesWorkFromEndToEnd) {
    const User user;
    user.write("links.tsv",
               "kind\tfrom\tto\nx\talpha\tbeta\nx\tbeta\tgamma\nx\tgamma\tdelta\nx\tdelta\talpha\n");
    user.write("papers.csv",
               "topic,paper,w1,w2,w3\nA,alpha,1,1,0\nA,beta,1,0,0\n,gamma,1,1,1\nB,delta,0,1,1\n");
    const nlohmann::json result =
        user.run_json({"weights", "--edges", "links.tsv", "--source", "from", "--target", "to", "--nodes",
                       "papers.csv", "--id", "paper", "--label", "topic", "--out", "W.npz"});
    const auto& order = result["orders"][0];
    // In a ring of four nodes each has one node at distance 2.
    EXPECT_EQ(order["ring_pairs"], 4);
    EXPECT_EQ(order["problems"], 4);
    EXPECT_THAT(std::vector<std::string>({"alpha", "beta", "gamma", "delta"}),
                ::testing::Contains(order["worst_node"].get<std::string>()));
    EXPECT_TRUE(std::filesystem::exists(user.path("W.npz")));
}

// Waits until the first order is in the cache: the signal comes in the middle of the second.
void wait_for_cache(const User& user) {
    for (int attempt = 0; attempt < 600; ++attempt) {
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(user.cache(), ignored)) {
            if (entry.path().extension() == ".npz") return;
        }
        ::usleep(50'000);
    }
    FAIL() << "no order was finished within half a minute";
}

TEST(Interrupt, StopsSoonAndLeavesNothingHalfWritten) {
    for (const int signal : {SIGINT, SIGTERM}) {
        const User user;
        const pid_t process =
            user.start({"weights", "--synthetic", "nodes=1500,mean_degree=8,words=10,vocabulary=500",
                        "--order", "8", "--out", "w.npz", "--json", "w.json"});
        wait_for_cache(user);
        ::kill(process, signal);
        const Outcome outcome = user.finish(process);
        EXPECT_EQ(outcome.status, 130) << outcome;
        EXPECT_THAT(outcome.err, HasSubstr("interrupted; the same command goes on from what is in the cache, "
                                           "if that could be written\n"));
        EXPECT_EQ(outcome.out, "");
        for (const std::string& name : user.files()) {
            EXPECT_EQ(name.find(".partial"), std::string::npos) << name;
            EXPECT_EQ(name.find("work/w"), std::string::npos) << name;
        }
    }
}

TEST(StandardOutput, AFullDiskIsAFailureAndAClosedPipeIsNot) {
    const User user;
    const std::string program = program_path();
    const auto shell = [&](const std::string& command) {
        const int status =
            std::system(("bash -o pipefail -c '" + command + "' 2> " + user.path("err")).c_str());
        return WEXITSTATUS(status);
    };
    EXPECT_EQ(shell(program + " info > /dev/full"), 1);
    EXPECT_THAT(content_of(user.path("err")), HasSubstr("cannot write to standard output: No space left"));
    EXPECT_EQ(shell(program + " info --json - | true"), 0);
    EXPECT_EQ(content_of(user.path("err")), "");
}

}  // namespace
}  // namespace hwgcn::testing::weights_test
