// Names of random streams: no two things that are drawn in a run share one.

#include <set>

#include <gtest/gtest.h>

#include "methods/pass.hpp"

namespace hwgcn::streams_test {
namespace {

TEST(StreamOf, EpochPassAndPlaceAllCount) {
    std::set<std::uint64_t> streams;
    for (const std::uint32_t epoch : {0U, 1U, 2U, 255U, 256U, 65536U, 1000000U}) {
        for (const std::uint32_t pass : {0U, 1U, 255U}) {
            for (const std::uint32_t place : {0U, 1U, 2U, 65535U})
                EXPECT_TRUE(
                    streams.insert(stream_of({.seed = 3, .epoch = epoch, .pass = pass}, place)).second);
        }
    }
}

TEST(StreamOf, PurposesAreApart) {
    std::set<std::uint64_t> streams;
    for (const StreamPurpose purpose :
         {StreamPurpose::split, StreamPurpose::parameters, StreamPurpose::dropout, StreamPurpose::walks,
          StreamPurpose::folds, StreamPurpose::sweeps, StreamPurpose::permutations}) {
        for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{1}, (std::uint64_t{1} << 56) - 1})
            EXPECT_TRUE(streams.insert(stream_for(purpose, number)).second);
    }
    EXPECT_EQ(stream_of({.seed = 3, .epoch = 7}, 5) >> 56, std::uint64_t{2})
        << "dropout, as in files of runs";
}

TEST(StreamOf, SplitsAreThoseOfEarlierVersions) {
    EXPECT_EQ(stream_for(StreamPurpose::split, 4), std::uint64_t{4});
}

}  // namespace
}  // namespace hwgcn::streams_test
