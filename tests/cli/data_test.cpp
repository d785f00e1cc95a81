#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_program.hpp"
#include "fetch/fetch.hpp"
#include "fetch/http_server.hpp"

namespace hwgcn::testing::data_test {
namespace {

using ::testing::HasSubstr;

TEST(DataList, NamesWhatIsThere) {
    const User user;
    EXPECT_EQ(user.run_json({"data", "list"})["datasets"].size(), 2U);  // the built-in ones
    std::filesystem::create_directories(user.work() / "mine");
    user.run({"data", "export", "karate", "--format", "npz", "--out", "mine/club.npz"});
    user.write("mine/broken.npz", "no archive");

    const nlohmann::json list = user.run_json({"data", "list", "--data-dir", "mine"});
    ASSERT_EQ(list["datasets"].size(), 4U);
    EXPECT_EQ(list["datasets"][1]["name"], "club");
    EXPECT_EQ(list["datasets"][1]["format"], "npz");
    EXPECT_FALSE(list["datasets"][1].contains("nodes")) << "nothing is read without --details";

    const Outcome details = user.run({"data", "list", "--details", "--data-dir", "mine"});
    EXPECT_EQ(details.status, 0) << details;
    EXPECT_THAT(details.err, HasSubstr("broken.npz"));
    EXPECT_THAT(details.out, HasSubstr("club"));
    EXPECT_EQ(user.run_json({"data", "list", "--details", "--data-dir", "mine"})["datasets"][1]["edges"], 78);
}

// What stays the same whatever format a dataset is kept in.
nlohmann::json essence(nlohmann::json inspection) {
    for (const char* const key : {"dataset", "source", "estimate", "notes", "columns"})
        inspection.erase(key);
    return inspection;
}

TEST(DataExport, EveryFormatIsReadBackAsTheSameDataset) {
    const User user;
    const std::string settings = "nodes=200,vocabulary=40,words=5,mean_degree=4,seed=5";
    const auto inspected =
        essence(user.run_json({"inspect", "synthetic", "--synthetic", settings, "--order", "3"}));
    user.run_json({"weights", "synthetic", "--synthetic", settings, "--order", "3", "--out", "w.npz"});
    const std::vector<std::pair<std::string, std::string>> formats = {
        {"npz", "out.npz"}, {"csv", "out-csv"}, {"matrix-market", "out-mm"}};
    for (const auto& [format, name] : formats) {
        const Outcome exported = user.run(
            {"data", "export", "synthetic", "--synthetic", settings, "--format", format, "--out", name});
        ASSERT_EQ(exported.status, 0) << exported;
        EXPECT_EQ(essence(user.run_json({"inspect", "./" + name, "--order", "3"})), inspected) << format;
        user.run_json(
            {"weights", "./" + name, "--order", "3", "--no-cache", "--out", "w-" + format + ".npz"});
        EXPECT_EQ(content_of(user.path("w.npz")), content_of(user.path("w-" + format + ".npz"))) << format;
    }
}

TEST(DataSplit, TheSameSeedDrawsTheSameSplitAndAFileGivesItBack) {
    const User user;
    const auto split = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = {"data", "split", "synthetic"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return user.run_json(arguments);
    };
    const nlohmann::json first = split({"--split", "random:20", "--seed", "1", "--out", "split.json"});
    EXPECT_EQ(first["train"], 100);
    EXPECT_EQ(first["validation"], 500);
    EXPECT_EQ(first["test"], 1000);
    ASSERT_EQ(first["classes"].size(), 5U);
    for (const auto& label : first["classes"])
        EXPECT_EQ(label["train"], 20);
    EXPECT_EQ(split({"--split", "random:20", "--seed", "1"})["hash"], first["hash"]);
    EXPECT_NE(split({"--split", "random:20", "--seed", "2"})["hash"], first["hash"]);
    EXPECT_EQ(split({"--split", "split.json"})["hash"], first["hash"]);
    EXPECT_THAT(content_of(user.path("split.json")), HasSubstr(first["hash"].get<std::string>()));
}

TEST(DataFetch, DownloadsFromAMirrorThenVerifiesOffline) {
    const auto data = HWGCN_REAL_DATA();
    if (libcurl_version() == "not built in") GTEST_SKIP() << "no downloads";
    const HttpServer server([&](const std::string& path) {
        return HttpServer::ok(content_of(data / "planetoid" / std::filesystem::path(path).filename()));
    });
    const User user;
    const Outcome fetched = user.run({"data", "fetch", "cora", "--mirror", server.url()});
    ASSERT_EQ(fetched.status, 0) << fetched;
    const nlohmann::json offline = user.run_json({"data", "fetch", "cora", "--offline"});
    EXPECT_EQ(offline["datasets"][0]["already_there"], 8);
    EXPECT_EQ(user.run_json({"inspect", "cora"})["nodes"], 2708);
}

TEST(DataFetch, WithoutLibcurlItSaysInOneLineWhatIsMissing) {
    const User user;
    user.write("libcurl.so.4", "found first, and no library");
    const std::vector<std::string> hidden = {"LD_LIBRARY_PATH=" + user.work().string()};
    const Outcome fetch = user.run({"data", "fetch", "cora", "--mirror", "http://127.0.0.1:9"}, hidden);
    EXPECT_EQ(fetch.status, 2) << fetch;
    const bool built_in = libcurl_version() != "not built in";
    EXPECT_THAT(fetch.err, HasSubstr(built_in ? "package libcurl4" : "this build has no downloads"));
    EXPECT_EQ(std::ranges::count(fetch.err, '\n'), 1);
    EXPECT_THAT(user.run({"info"}, hidden).out, HasSubstr(built_in ? "not installed" : "not built in"));
}

}  // namespace
}  // namespace hwgcn::testing::data_test
