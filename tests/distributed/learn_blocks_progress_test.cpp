// How far several processes are, and how they stop.
#include <atomic>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "distributed/sharded_weights.hpp"

namespace hwgcn::learn_blocks_progress_test {
namespace {

namespace fs = std::filesystem;
using testing::block_files;
using testing::plain;
using testing::plain_nodes;
using testing::Sharded;
using testing::TemporaryDirectory;
using testing::weighted;

TEST(LearnBlocks, AStopOfOneStopsAll) {
    const Sharded sharded(plain());
    for (const int processes : {1, 2, 5}) {
        const TemporaryDirectory out;
        std::atomic<int> interrupted{0};
        run_as_threads(processes, [&](Peers& peers) {
            const std::atomic<bool> stop{peers.rank() == peers.size() - 1};
            try {
                learn_blocks(sharded.reader(), *balanced_partition(sharded.reader(), peers),
                             sharded.options(), {out.path()}, {1, nullptr, &stop});
            } catch (const Interrupted&) {
                ++interrupted;
            }
        });
        EXPECT_EQ(interrupted, processes);
        EXPECT_FALSE(fs::exists(out / "weights.json"));
    }
}

/// Asks for a stop after some transfers.
class StoppingPeers final : public Peers {
  public:
    StoppingPeers(Peers& peers, int transfers) : peers_(peers), left_(transfers) {}

    int rank() const override { return peers_.rank(); }
    int size() const override { return peers_.size(); }
    void transfer(int to, std::span<const std::byte> out, int from, std::span<std::byte> in) override {
        peers_.transfer(to, out, from, in);
        if (--left_ == 0) stop = true;
    }

    std::atomic<bool> stop{false};

  private:
    Peers& peers_;
    int left_;
};

TEST(LearnBlocks, WhatWasFinishedBeforeAStopIsKept) {
    const Sharded sharded(weighted(), 16, {.order = 2});
    bool kept_some = false;
    std::atomic<int> interrupted{3};
    for (int transfers = 1; interrupted == 3; ++transfers) {
        const TemporaryDirectory out;
        interrupted = 0;
        run_as_threads(3, [&](Peers& others) {
            StoppingPeers peers(others, others.rank() == 1 ? transfers : 0);
            try {
                learn_blocks(sharded.reader(), *balanced_partition(sharded.reader(), peers),
                             sharded.options(), {out.path()}, {1, nullptr, &peers.stop});
            } catch (const Interrupted&) {
                ++interrupted;
            }
        });
        ASSERT_TRUE(interrupted == 0 || interrupted == 3) << transfers;
        if (interrupted == 0 || block_files(out.path()).empty()) continue;
        kept_some = true;
        const BlockWeights result = sharded.learn(out.path(), 2);
        EXPECT_GT(result.found, 0);
        sharded.expect_summaries(result);
        sharded.expect_found(out.path());
    }
    EXPECT_TRUE(kept_some) << "the others finish what they have begun";
}

/// Adds up what it is told.
class Heard final : public ProgressSink {
  public:
    void start(std::string_view, std::int64_t units) override { total = units; }
    void advance(std::int64_t units) override { done += units; }
    void finish() override { ++finished; }

    std::int64_t total = 0;
    std::atomic<std::int64_t> done{0};
    int finished = 0;
};

TEST(LearnBlocks, ProgressIsThatOfAllProcesses) {
    const Sharded sharded(plain());
    for (const int processes : {1, 2, 5}) {
        for (const std::int64_t memory : {std::int64_t{0}, std::int64_t{9000}}) {
            const TemporaryDirectory out;
            std::vector<LearnedNodes> own(processes);
            std::vector<LearnedNodes> last;
            run_as_threads(processes, [&](Peers& peers) {
                Heard heard;
                const HearLearned hear = [&](std::span<const LearnedNodes> all) {
                    EXPECT_EQ(peers.rank(), 0);
                    last.assign(all.begin(), all.end());
                };
                own[peers.rank()] =
                    learn_blocks(sharded.reader(), *balanced_partition(sharded.reader(), peers),
                                 sharded.options(), {out.path(), memory}, {2, &heard, nullptr}, hear)
                        .own;
                EXPECT_EQ(heard.total, 2 * plain_nodes) << "two orders";
                EXPECT_EQ(heard.done, heard.total);
                EXPECT_EQ(heard.finished, 1);
            });
            std::int64_t learned = 0;
            for (const LearnedNodes& process : own)
                learned += process.nodes;
            EXPECT_EQ(learned, 2 * plain_nodes);
            if (processes == 1) continue;
            ASSERT_EQ(last.size(), own.size());
            for (std::size_t rank = 0; rank < own.size(); ++rank) {
                EXPECT_EQ(last[rank].nodes, own[rank].nodes);
                EXPECT_EQ(last[rank].seconds, own[rank].seconds);
                EXPECT_EQ(last[rank].per_second() > 0, own[rank].nodes > 0);
            }
        }
    }
}

TEST(LearnBlocks, ProgressLeavesOutWhatIsThere) {
    const Sharded sharded(plain());
    const TemporaryDirectory out;
    sharded.learn(out.path(), 2);
    fs::remove(block_files(out.path())[3]);
    run_as_threads(3, [&](Peers& peers) {
        Heard heard;
        learn_blocks(sharded.reader(), *balanced_partition(sharded.reader(), peers), sharded.options(),
                     {out.path()}, {1, &heard, nullptr});
        EXPECT_EQ(heard.total, 16);
        EXPECT_EQ(heard.done, 16);
    });
}

}  // namespace
}  // namespace hwgcn::learn_blocks_progress_test
