#include <atomic>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/base/run_control.hpp"

#include "base/base64.hpp"
#include "base/fail.hpp"
#include "base/hash.hpp"
#include "base/parallel_for.hpp"
#include "base/random_sample.hpp"
#include "base/random_stream.hpp"
#include "base/suggestions.hpp"

namespace hwgcn::support_test {
namespace {

TEST(NearestName, SuggestsCloseNamesOnly) {
    const std::vector<std::string> names{"cora", "citeseer", "pubmed"};
    EXPECT_EQ(nearest_name("corra", names), "cora");
    EXPECT_EQ(nearest_name("citesser", names), "citeseer");
    EXPECT_EQ(nearest_name("croa", names), "cora");
    EXPECT_EQ(nearest_name("xyz", names), "");
    EXPECT_EQ(nearest_name("", names), "");
}

TEST(LikelyNames, HaveTheWordAsAPartOrAreItsLastPart) {
    const std::vector<std::string> names{"input_dropout", "hidden_dropout", "rate", "rate_drop", "max_ring",
                                         "walks",         "epochs",         "l2",   "ica_counts"};
    using List = std::vector<std::string>;
    EXPECT_EQ(likely_names("dropout", names), (List{"input_dropout", "hidden_dropout"}));
    EXPECT_EQ(likely_names("learning_rate", names), (List{"rate"}));
    EXPECT_EQ(likely_names("n-epochs", names), (List{"epochs"}));
    EXPECT_EQ(likely_names("epoch", names), (List{"epochs"})) << "each once";
    EXPECT_EQ(likely_names("drop", names), (List{"rate_drop", "input_dropout", "hidden_dropout"}));
    EXPECT_EQ(likely_names("ca", names), List{}) << "a fragment this short is in too many names";
    EXPECT_EQ(likely_names("max", names), (List{"max_ring"}));
    EXPECT_EQ(likely_names("xyzzy", names), List{});
    EXPECT_EQ(likely_names("", names), List{});
    std::vector<std::string> numbered;
    for (int k = 0; k < 9; ++k)
        numbered.push_back("word_" + std::to_string(k));
    EXPECT_EQ(likely_names("word", numbered).size(), 5U);
}

TEST(FailUnknownName, OfManyNamesShowsOnlyThoseThatMayBeMeant) {
    std::vector<std::string> names;
    for (int k = 0; k < 60; ++k)
        names.push_back("name" + std::to_string(k));
    const auto message_of = [&](const char* word) -> std::string {
        try {
            fail_unknown_name("setting", word, names);
        } catch (const InputError& error) {
            return error.what();
        }
    };
    EXPECT_EQ(message_of("nane7"), "unknown setting 'nane7', did you mean 'name7'?");
    EXPECT_EQ(message_of("xyzzyx"), "unknown setting 'xyzzyx' (60 others are known)");
}

TEST(FailUnknownName, SaysWhatIsKnownAndWhatWasMeant) {
    const std::vector<std::string> names{"learned", "uniform"};
    try {
        fail_unknown_name("weighting", "unifrom", names);
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(),
                     "unknown weighting 'unifrom', did you mean 'uniform'? (known: learned, uniform)");
    }
}

TEST(ParallelFor, CallsEveryIndexOnceAndWorkersNeverShareANumber) {
    for (const int threads : {1, 2, 7}) {
        std::vector<std::atomic<int>> calls(1000);
        std::vector<std::atomic<int>> busy(static_cast<std::size_t>(threads));
        parallel_for(1000, 3, {.threads = threads}, [&](int worker, std::int64_t index) {
            EXPECT_EQ(busy[worker].fetch_add(1), 0);
            calls[index].fetch_add(1);
            busy[worker].fetch_sub(1);
        });
        for (const auto& count : calls)
            EXPECT_EQ(count.load(), 1);
    }
}

TEST(ParallelFor, RunsOnAsManyThreadsAsAsked) {
    std::atomic<int> arrived{0};
    // Three bodies that wait for one another finish only when three threads run them.
    parallel_for(3, 1, {.threads = 3}, [&](int, std::int64_t) {
        arrived.fetch_add(1);
        while (arrived.load() < 3)
            std::this_thread::yield();
    });
    EXPECT_EQ(arrived.load(), 3);
}

TEST(ParallelFor, PassesOnWhatABodyThrows) {
    const auto body = [](int, std::int64_t index) {
        if (index == 50) throw InputError("node 50");
    };
    EXPECT_THROW(parallel_for(100, 1, {.threads = 2}, body), InputError);
}

TEST(ParallelFor, StopsWhenAsked) {
    std::atomic<bool> stop{false};
    std::atomic<int> calls{0};
    const ExecutionControl control{.threads = 2, .stop = &stop};
    const auto body = [&](int, std::int64_t) {
        if (calls.fetch_add(1) == 10) stop = true;
    };
    EXPECT_THROW(parallel_for(1'000'000, 1, control, body), Interrupted);
    EXPECT_LT(calls.load(), 1000);
}

// The threads of a parent are not there in its child.
TEST(ParallelFor, WorksInAForkedProcess) {
    const ExecutionControl control{.threads = 3};
    parallel_for(100, 1, control, [](int, std::int64_t) {});
    // Until the workers sleep: the sanitizer's runtime may not be forked while a thread is inside it.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(60);  // for a child that waits in vain
        std::atomic<int> arrived{0};
        parallel_for(3, 1, control, [&](int, std::int64_t) {
            arrived.fetch_add(1);
            while (arrived.load() < 3)
                std::this_thread::yield();
        });
        ::_exit(arrived.load() == 3 ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST(ParallelFor, CallsWithinCallsAndFromSeveralThreadsAllEnd) {
    const ExecutionControl control{.threads = 3};
    std::atomic<int> calls{0};
    const auto nested = [&] {
        parallel_for(10, 1, control, [&](int, std::int64_t) {
            parallel_for(10, 1, control, [&](int, std::int64_t) { ++calls; });
        });
    };
    std::thread other(nested);
    nested();
    other.join();
    EXPECT_EQ(calls.load(), 200);
}

class CountingSink : public ProgressSink {
  public:
    void start(std::string_view, std::int64_t) override {}
    void advance(std::int64_t units) override { units_ += units; }
    void finish() override {}
    std::int64_t units() const { return units_; }

  private:
    std::atomic<std::int64_t> units_{0};
};

TEST(ParallelFor, ReportsEveryUnitOfProgress) {
    CountingSink sink;
    parallel_for(1003, 10, {.threads = 2, .progress = &sink}, [](int, std::int64_t) {});
    EXPECT_EQ(sink.units(), 1003);
}

std::string sha256_of(std::string_view text) {
    return Sha256().bytes(text.data(), text.size()).hex();
}

// FIPS 180-4 and NIST's CSRC: no block, one, two, and many.
TEST(Sha256, MatchesThePublishedExamples) {
    EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256_of(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// The lengths at which the padding takes another block are among these; the last number is of Python's
// hashlib.
TEST(Sha256, DoesNotDependOnThePieces) {
    Sha256 of_all;
    for (std::size_t length = 0; length <= 200; ++length) {
        std::string text(length, ' ');
        std::iota(text.begin(), text.end(), '\1');
        for (const std::size_t cut : {length / 3, length / 2, length - length / 9}) {
            Sha256 in_pieces;
            in_pieces.bytes(text.data(), cut).bytes(text.data() + cut, length - cut);
            ASSERT_EQ(in_pieces.hex(), sha256_of(text)) << length << " bytes cut at " << cut;
        }
        const std::string hash = sha256_of(text);
        of_all.bytes(hash.data(), hash.size());
    }
    EXPECT_EQ(of_all.hex(), "1b2a124790334d8b4030b712db43fa646a609a3264216ff165d6e946736f5781");
}

TEST(Base64, MatchesThePublishedExamples) {
    const auto base64_of = [](std::string_view text) { return base64(std::as_bytes(std::span(text))); };
    EXPECT_EQ(base64_of(""), "");
    EXPECT_EQ(base64_of("f"), "Zg==");
    EXPECT_EQ(base64_of("fo"), "Zm8=");
    EXPECT_EQ(base64_of("foo"), "Zm9v");
    EXPECT_EQ(base64_of("foobar"), "Zm9vYmFy");
    EXPECT_EQ(base64_of("\xfb\xff\xbf"), "+/+/");
}

TEST(Sha256, OfTextsDependsOnWhereOneEnds) {
    EXPECT_NE(Sha256().text("ab").text("c").hex(), Sha256().text("a").text("bc").hex());
}

TEST(RandomStream, IsAFunctionOfSeedAndStream) {
    RandomStream a(1, 2), b(1, 2), other_stream(1, 3), other_seed(2, 2);
    std::set<std::uint64_t> numbers;
    for (int k = 0; k < 100; ++k) {
        const std::uint64_t bits = a.bits();
        EXPECT_EQ(bits, b.bits());
        numbers.insert({bits, other_stream.bits(), other_seed.bits()});
    }
    EXPECT_EQ(numbers.size(), 300U);
}

TEST(RandomStream, BelowIsUnbiasedAndInRange) {
    RandomStream random(3, 0);
    std::vector<int> counts(3);
    for (int k = 0; k < 30'000; ++k)
        ++counts.at(random.below(3));
    for (const int count : counts)
        EXPECT_NEAR(count, 10'000, 400);
}

TEST(RandomStream, UniformHasTheRightMeanAndStaysBelowOne) {
    RandomStream random(4, 0);
    double sum = 0;
    for (int k = 0; k < 10'000; ++k) {
        const double value = random.uniform();
        ASSERT_GE(value, 0.0);
        ASSERT_LT(value, 1.0);
        sum += value;
    }
    EXPECT_NEAR(sum / 10'000, 0.5, 0.02);
}

TEST(RandomSample, IsAscendingOfTheSizeAskedForAndInStepWithNothing) {
    EXPECT_EQ(random_sample(3, 5), (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_TRUE(random_sample(0, 5).empty());
    const std::vector<std::size_t> places = random_sample(20'000, 5'000);
    EXPECT_EQ(places.size(), 5'000U);
    EXPECT_LT(places.back(), 20'000U);
    std::vector<int> counts(4);
    EXPECT_TRUE(std::ranges::is_sorted(places));
    EXPECT_EQ(std::ranges::adjacent_find(places), places.end());
    for (const std::size_t place : places)
        ++counts.at(place % 4);
    for (const int count : counts)
        EXPECT_NEAR(count, 1'250, 120);
    EXPECT_EQ(places, random_sample(20'000, 5'000));
}

}  // namespace
}  // namespace hwgcn::support_test
