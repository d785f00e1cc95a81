#include "fetch/fetch.hpp"

#include <chrono>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "base/files/atomic_file.hpp"
#include "base/files/input_file.hpp"
#include "base/hash.hpp"
#include "fetch/http_server.hpp"
#include "test_data.hpp"

namespace hwgcn::fetch_test {
namespace {

using testing::HttpServer;
using testing::TemporaryDirectory;

const std::map<std::string, std::string> contents = {{"one", "first file"},
                                                     {"two", std::string(100000, 'x')}};

std::string sha256_of(const std::string& text) {
    return Sha256().bytes(text.data(), text.size()).hex();
}

FetchPlan small_plan() {
    FetchPlan plan{"small", {}};
    for (const auto& [name, text] : contents)
        plan.files.push_back({name, sha256_of(text)});
    return plan;
}

// The right answer to a request for "/one" or "/any/folder/one".
std::string serve_contents(const std::string& path) {
    const auto found = contents.find(path.substr(path.rfind('/') + 1));
    return found == contents.end() ? HttpServer::response("404 Not Found", "no such file")
                                   : HttpServer::ok(found->second);
}

std::string serve_nothing(const std::string&) {
    return HttpServer::response("404 Not Found", "no such file");
}

void expect_contents(const TemporaryDirectory& directory) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory / "planetoid")) {
        ++files;
        const auto found = contents.find(entry.path().filename().string());
        ASSERT_NE(found, contents.end()) << "left behind: " << entry.path();
        EXPECT_EQ(read_file(entry.path()), found->second);
    }
    EXPECT_EQ(files, contents.size());
}

void expect_no_files(const TemporaryDirectory& directory) {
    const auto folder = directory / "planetoid";
    EXPECT_TRUE(!std::filesystem::exists(folder) || std::filesystem::is_empty(folder));
}

template <typename Failure, typename Call>
std::string message_of(const Call& call) {
    try {
        call();
    } catch (const Failure& error) {
        return error.what();
    }
    return "no error of the expected kind";
}

void expect_substring(const std::string& text, const std::string& part) {
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, text);
}

// What a fetch from this single mirror says; nothing may be left behind.
std::string failure_with(HttpServer::Answer answer, bool stalling = false,
                         const FetchPlan& plan = small_plan()) {
    const TemporaryDirectory directory;
    const HttpServer server(std::move(answer), stalling);
    // Short only where the server stalls on purpose: on a busy machine others may pause for a second, too.
    const FetchOptions options{directory.path(), {server.url()}, "", stalling ? 1 : 60, false};
    const std::string message = message_of<ExecutionError>([&] { fetch_files(plan, options); });
    expect_no_files(directory);
    return message;
}

class CountingSink : public ProgressSink {
  public:
    void start(std::string_view task, std::int64_t total_units) override {
        task_ = task;
        total_ = total_units;
    }
    void advance(std::int64_t units) override { done_ += units; }
    void finish() override { finished_ = true; }

    std::string task_;
    std::int64_t total_ = 0;
    std::int64_t done_ = 0;
    bool finished_ = false;
};

TEST(Fetch, DownloadsWhatIsMissingAndReportsProgress) {
    const TemporaryDirectory directory;
    const HttpServer server(serve_contents);
    CountingSink progress;
    const FetchResult result = fetch_files(
        small_plan(), {directory.path(), {server.url() + "/data/"}, "", 10, false}, {.progress = &progress});
    EXPECT_EQ(result.downloaded, 2);
    EXPECT_EQ(result.already_there, 0);
    EXPECT_TRUE(result.notes.empty());
    expect_contents(directory);
    EXPECT_EQ(progress.task_, "fetching small");
    EXPECT_EQ(progress.total_, 2);
    EXPECT_EQ(progress.done_, 2);
    EXPECT_TRUE(progress.finished_);
}

TEST(Fetch, DownloadsNothingTheSecondTime) {
    const TemporaryDirectory directory;
    const HttpServer server(serve_contents);
    const FetchOptions options{directory.path(), {server.url()}, "", 10, false};
    fetch_files(small_plan(), options);
    ASSERT_EQ(server.requests(), 2);
    const FetchResult again = fetch_files(small_plan(), options);
    EXPECT_EQ(again.downloaded, 0);
    EXPECT_EQ(again.already_there, 2);
    EXPECT_EQ(server.requests(), 2);
}

TEST(Fetch, ReplacesDamagedFilesOnly) {
    const TemporaryDirectory directory;
    const HttpServer server(serve_contents);
    write_text_atomically(directory / "planetoid" / "one", contents.at("one"));
    write_text_atomically(directory / "planetoid" / "two", "damaged");
    const FetchResult result = fetch_files(small_plan(), {directory.path(), {server.url()}, "", 10, false});
    EXPECT_EQ(result.downloaded, 1);
    EXPECT_EQ(result.already_there, 1);
    expect_contents(directory);
}

TEST(Fetch, GoesOnToTheNextMirrorAndStaysThere) {
    const TemporaryDirectory directory;
    const HttpServer empty(serve_nothing);
    const HttpServer full(serve_contents);
    const FetchResult result =
        fetch_files(small_plan(), {directory.path(), {empty.url(), full.url()}, "", 10, false});
    EXPECT_EQ(result.downloaded, 2);
    EXPECT_EQ(result.notes, std::vector<std::string>{empty.url() + "/one: HTTP status 404"});
    EXPECT_EQ(empty.requests(), 1);
    expect_contents(directory);
}

TEST(Fetch, TakesNoFileWithAnotherChecksum) {
    const TemporaryDirectory directory;
    const HttpServer corrupted(
        [](const std::string&) { return HttpServer::ok("<html>log in first</html>"); });
    const HttpServer full(serve_contents);
    const FetchResult result =
        fetch_files(small_plan(), {directory.path(), {corrupted.url(), full.url()}, "", 10, false});
    expect_contents(directory);
    ASSERT_EQ(result.notes.size(), 1u);
    expect_substring(result.notes[0], "sent 25 bytes with the SHA-256 " +
                                          sha256_of("<html>log in first</html>") + ", expected " +
                                          sha256_of("first file"));
}

TEST(Fetch, ListsTheReasonOfEveryMirrorWhereAllFail) {
    const TemporaryDirectory directory;
    const HttpServer empty(serve_nothing);
    const HttpServer broken([](const std::string&) { return HttpServer::response("503 Unavailable", ""); });
    const FetchOptions options{directory.path(), {empty.url(), broken.url()}, "", 10, false};
    const std::string message = message_of<ExecutionError>([&] { fetch_files(small_plan(), options); });
    EXPECT_EQ(message, "cannot download one: " + empty.url() + "/one: HTTP status 404; " + broken.url() +
                           "/one: HTTP status 503");
    expect_no_files(directory);
}

TEST(Fetch, RefusesBodiesThatAreCutShort) {
    expect_substring(failure_with([](const std::string&) {
                         return "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\nfirst";
                     }),
                     "with 5 bytes remaining to read");
    expect_substring(failure_with([](const std::string&) {
                         return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\nfirst";
                     }),
                     "/one: ");
    // Without a length only the checksum can tell.
    expect_substring(failure_with([](const std::string&) { return "HTTP/1.1 200 OK\r\n\r\nfirst"; }),
                     "sent 5 bytes with the SHA-256");
}

TEST(Fetch, RefusesFilesThatAreTooLarge) {
    expect_substring(failure_with([](const std::string&) {
                         return "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n";
                     }),
                     "sends more than the 67108864 bytes");
    expect_substring(failure_with([](const std::string&) {
                         return "HTTP/1.1 200 OK\r\n\r\n" + std::string((64u << 20) + 1, 'x');
                     }),
                     "sends more than the 67108864 bytes");
}

TEST(Fetch, RefusesWhatIsNotHttp) {
    expect_substring(failure_with([](const std::string&) { return "\x01\x02\x03 rubbish"; }), "/one: ");
    expect_substring(failure_with([](const std::string&) { return ""; }), "/one: ");
}

TEST(Fetch, GivesUpOnAServerThatFallsSilent) {
    const auto begin = std::chrono::steady_clock::now();
    const auto stall = [](const std::string&) { return "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfir"; };
    expect_substring(failure_with(stall, true), "Operation too slow");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(Fetch, FollowsRedirectsToHttpOnlyAndNotForEver) {
    const TemporaryDirectory directory;
    const HttpServer server([](const std::string& path) {
        return path.starts_with("/moved/")
                   ? serve_contents(path)
                   : HttpServer::response("302 Found", "", "Location: /moved" + path + "\r\n");
    });
    EXPECT_EQ(fetch_files(small_plan(), {directory.path(), {server.url()}, "", 10, false}).downloaded, 2);
    expect_contents(directory);

    expect_substring(failure_with([](const std::string&) {
                         return HttpServer::response("302 Found", "", "Location: /again\r\n");
                     }),
                     "Maximum (5) redirects followed");
    const TemporaryDirectory elsewhere;
    write_text_atomically(elsewhere / "one", contents.at("one"));
    expect_substring(failure_with([&](const std::string&) {
                         const std::string target = "file://" + (elsewhere / "one").string();
                         return HttpServer::response("302 Found", "", "Location: " + target + "\r\n");
                     }),
                     "Protocol \"file\" not supported or disabled");
}

TEST(Fetch, RefusesMirrorsOtherThanHttpAndBadTimeouts) {
    const TemporaryDirectory directory;
    for (const std::string mirror : {"file:///etc", "ftp://host/data", "data", ""}) {
        const std::string message = message_of<InputError>([&] {
            fetch_files(small_plan(), {directory.path(), {mirror}, "", 10, false});
        });
        EXPECT_EQ(message, "mirror '" + mirror + "': expected a URL with http:// or https://");
    }
    expect_substring(message_of<InputError>([&] {
                         fetch_files(small_plan(), {directory.path(), {"http://127.0.0.1"}, "", 0, false});
                     }),
                     "timeout_seconds is 0, expected at least 1");
}

TEST(Fetch, NamesTheMirrorThatCannotBeReached) {
    std::string address;
    {
        const HttpServer gone(serve_contents);
        address = gone.url();
    }
    const TemporaryDirectory directory;
    const std::string message = message_of<ExecutionError>([&] {
        fetch_files(small_plan(), {directory.path(), {address}, "", 10, false});
    });
    expect_substring(message, "cannot download one: " + address + "/one: Failed to connect");
}

TEST(Fetch, UsesTheProxyItIsGiven) {
    const TemporaryDirectory directory;
    const HttpServer proxy(serve_contents);
    const FetchOptions options{directory.path(), {"http://mirror.invalid/data"}, proxy.url(), 10, false};
    EXPECT_EQ(fetch_files(small_plan(), options).downloaded, 2);
    EXPECT_EQ(proxy.requests(), 2);
}

TEST(Fetch, SaysOfflineWhatIsMissingOrDamaged) {
    const TemporaryDirectory directory;
    const HttpServer server(serve_contents);
    const FetchOptions options{directory.path(), {server.url()}, "", 10, true};
    write_text_atomically(directory / "planetoid" / "two", "damaged");
    const std::string message = message_of<InputError>([&] { fetch_files(small_plan(), options); });
    expect_substring(message, "small: 2 of 2 files are not usable in ");
    expect_substring(message, "(offline): one (missing), two (damaged)");
    EXPECT_EQ(server.requests(), 0);

    for (const auto& [name, text] : contents)
        write_text_atomically(directory / "planetoid" / name, text);
    EXPECT_EQ(fetch_files(small_plan(), options).already_there, 2);
}

TEST(Fetch, StopsWhenAsked) {
    const TemporaryDirectory directory;
    std::atomic<bool> stop = false;
    const HttpServer server(
        [&](const std::string&) {
            stop = true;
            return "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfir";
        },
        true);
    const FetchOptions options{directory.path(), {server.url()}, "", 60, false};
    EXPECT_THROW(fetch_files(small_plan(), options, {.stop = &stop}), Interrupted);
    expect_no_files(directory);
}

TEST(Fetch, SaysWhereItCannotWrite) {
    const TemporaryDirectory directory;
    const HttpServer server(serve_contents);
    write_text_atomically(directory / "planetoid", "a file where the folder should be");
    expect_substring(message_of<ExecutionError>([&] {
                         fetch_files(small_plan(), {directory.path(), {server.url()}, "", 10, false});
                     }),
                     "cannot create the folder");
}

TEST(Fetch, KnowsThreeDatasetsOfEightPinnedFiles) {
    std::set<std::string> names;
    std::set<std::string> checksums;
    for (const FetchPlan& plan : fetch_plans()) {
        EXPECT_EQ(plan.files.size(), 8u) << plan.dataset;
        for (const PinnedFile& file : plan.files) {
            EXPECT_TRUE(file.name.starts_with("ind." + plan.dataset + ".")) << file.name;
            EXPECT_EQ(file.sha256.size(), 64u);
            EXPECT_EQ(file.sha256.find_first_not_of("0123456789abcdef"), std::string::npos) << file.name;
            names.insert(file.name);
            checksums.insert(file.sha256);
        }
    }
    EXPECT_EQ(names.size(), 24u);
    EXPECT_EQ(checksums.size(), 24u);
    for (const std::string& mirror : default_mirrors())
        EXPECT_TRUE(mirror.starts_with("https://")) << mirror;
}

TEST(Fetch, SuggestsTheNearestDatasetForAnUnknownOne) {
    const TemporaryDirectory directory;
    expect_substring(message_of<InputError>([&] {
                         fetch_dataset("coral", {directory.path(), {}, "", 10, false});
                     }),
                     "unknown dataset 'coral', did you mean 'cora'?");
}

TEST(Fetch, FindsTheRealFilesIntact) {
    const auto data = HWGCN_REAL_DATA();
    for (const char* dataset : {"cora", "citeseer", "pubmed"}) {
        const FetchOptions options{data, {}, "", 10, true};
        EXPECT_EQ(fetch_dataset(dataset, options).already_there, 8) << dataset;
    }
}

}  // namespace
}  // namespace hwgcn::fetch_test
