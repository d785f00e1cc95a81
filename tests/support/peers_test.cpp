#include "hwgcn/support/peers.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "hwgcn/support/error.hpp"

namespace hwgcn {
namespace {

class PeersTest : public ::testing::TestWithParam<int> {};

TEST_P(PeersTest, EverybodyGetsWhatTheOthersSent) {
    run_as_threads(GetParam(), [&](Peers& peers) {
        std::vector<std::vector<int>> out(static_cast<std::size_t>(peers.size()));
        for (int to = 0; to < peers.size(); ++to)
            out[to].assign(static_cast<std::size_t>(to + peers.rank()), 100 * peers.rank() + to);
        const auto in = exchange_values(peers, out);
        for (int from = 0; from < peers.size(); ++from)
            EXPECT_EQ(in[from], std::vector<int>(static_cast<std::size_t>(from + peers.rank()),
                                                 100 * from + peers.rank()));
    });
}

TEST_P(PeersTest, AnyRootTellsEverybody) {
    run_as_threads(GetParam(), [&](Peers& peers) {
        for (int root = 0; root < peers.size(); ++root) {
            std::vector<double> values(5, peers.rank() == root ? 1.5 * root : -1.0);
            broadcast(peers, root, std::as_writable_bytes(std::span(values)));
            EXPECT_EQ(values, std::vector<double>(5, 1.5 * root));
        }
    });
}

TEST_P(PeersTest, SumsMaximaAndAgreement) {
    const int count = GetParam();
    run_as_threads(count, [&](Peers& peers) {
        EXPECT_EQ(total(peers, peers.rank() + 1), std::int64_t{count} * (count + 1) / 2);
        EXPECT_EQ(maximum(peers, -peers.rank()), 0.0);
        EXPECT_TRUE(any(peers, peers.rank() == count - 1));
        EXPECT_FALSE(any(peers, false));
    });
}

TEST_P(PeersTest, OneGathersFromAll) {
    run_as_threads(GetParam(), [&](Peers& peers) {
        const int root = peers.size() - 1;
        const auto all = gather(peers, root, bytes_of(std::vector<int>{peers.rank()}));
        EXPECT_EQ(all.empty(), peers.rank() != root);
        for (std::size_t from = 0; from < all.size(); ++from)
            EXPECT_EQ(values_of<int>(all[from]), std::vector<int>{static_cast<int>(from)});
    });
}

INSTANTIATE_TEST_SUITE_P(Counts, PeersTest, ::testing::Values(1, 2, 3, 5, 8));

TEST(Peers, AFailureReachesThoseWhoWait) {
    const auto fails = [] {
        run_as_threads(3, [](Peers& peers) {
            if (peers.rank() == 1) throw InputError("the cause");
            total(peers, 1);
        });
    };
    EXPECT_THROW(
        {
            try {
                fails();
            } catch (const InputError& error) {
                EXPECT_STREQ(error.what(), "the cause");
                throw;
            }
        },
        InputError);
}

TEST(Peers, DifferentTextsAreRefusedEverywhere) {
    int refused = 0;
    run_as_threads(3, [&](Peers& peers) {
        expect_same(peers, "version", "same");
        try {
            expect_same(peers, "version", peers.rank() == 2 ? "2" : "1.0");
        } catch (const InputError& error) {
            EXPECT_STREQ(error.what(), "process 2 has another version than process 0");
            if (peers.rank() == 0) ++refused;
        }
    });
    EXPECT_EQ(refused, 1);
}

TEST(Peers, ASingleProcessTalksToItself) {
    NoPeers alone;
    EXPECT_EQ(total(alone, 7), 7);
    EXPECT_EQ(exchange_values<int>(alone, {{1, 2}}), (std::vector<std::vector<int>>{{1, 2}}));
    EXPECT_EQ(alone.bytes_received(), 0);
}

}  // namespace
}  // namespace hwgcn
