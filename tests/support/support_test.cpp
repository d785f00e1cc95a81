#include <atomic>
#include <numeric>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hwgcn/support/error.hpp"
#include "hwgcn/support/run_control.hpp"

#include "support/hash.hpp"
#include "support/parallel_for.hpp"
#include "support/random_stream.hpp"

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

TEST(Sha256, MatchesThePublishedExample) {
    Sha256 hash;
    hash.bytes("abc", 3);
    EXPECT_EQ(hash.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
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

}  // namespace
}  // namespace hwgcn::support_test
