#include "distributed/peers/peers.hpp"

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "distributed/peers_contract.hpp"
#include "distributed/thread_peers.hpp"

namespace hwgcn {
namespace {

class PeersTest : public ::testing::TestWithParam<int> {
  protected:
    template <typename Check>
    void holds_for_all(const Check& check) {
        EXPECT_NO_THROW(run_as_threads(GetParam(), [&](Peers& peers) { check(peers); }));
    }
};

TEST_P(PeersTest, EverybodyGetsWhatTheOthersSent) {
    holds_for_all(peers_contract::everybody_gets_what_the_others_sent);
}

TEST_P(PeersTest, AnyRootTellsEverybody) {
    holds_for_all(peers_contract::any_root_tells_everybody);
}

TEST_P(PeersTest, SumsMaximaAndAgreement) {
    holds_for_all(peers_contract::sums_maxima_and_agreement);
}

TEST_P(PeersTest, OneGathersFromAll) {
    holds_for_all(peers_contract::one_gathers_from_all);
}

TEST_P(PeersTest, LongMessagesArriveWhole) {
    holds_for_all([](Peers& peers) { peers_contract::long_messages_arrive_whole(peers, 100'000); });
}

TEST_P(PeersTest, EmptyMessagesAreNoMessages) {
    holds_for_all(peers_contract::empty_messages_are_no_messages);
}

TEST_P(PeersTest, ReceivedBytesAreCounted) {
    holds_for_all(peers_contract::received_bytes_are_counted);
}

TEST_P(PeersTest, DifferentTextsAreRefusedEverywhere) {
    holds_for_all(peers_contract::different_texts_are_refused_everywhere);
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

TEST(Peers, ASingleProcessTalksToItself) {
    run_as_threads(1, [](Peers& alone) {
        EXPECT_NO_THROW(peers_contract::all_of_it(alone));
        EXPECT_EQ(total(alone, 7), 7);
        EXPECT_EQ(exchange_values<int>(alone, {{1, 2}}), (std::vector<std::vector<int>>{{1, 2}}));
        EXPECT_EQ(alone.bytes_received(), 0);
    });
}

}  // namespace
}  // namespace hwgcn
