#include <fstream>
#include <functional>

#include <gtest/gtest.h>

#include "hwgcn/weights/learn_weights.hpp"

#include "test_data.hpp"
#include "weights/weight_inputs.hpp"

namespace hwgcn::weight_cache_test {
namespace {

using testing::expect_same_bits;
using testing::Input;
using testing::small_input;

TEST(WeightCache, ReusesOrdersAcrossRunsAndNoticesEveryChange) {
    const Input& input = small_input();
    const testing::TemporaryDirectory directory;
    const WeightCache cache(directory.path());
    const auto learn = [&](const WeightOptions& options) {
        return learn_weights(input.graph, input.features, options, {}, &cache);
    };
    const LearnedWeights first = learn({.order = 3});
    const LearnedWeights second = learn({.order = 4});
    EXPECT_FALSE(first.orders[0].cached);
    EXPECT_TRUE(second.orders[0].cached);
    EXPECT_TRUE(second.orders[1].cached);
    EXPECT_FALSE(second.orders[2].cached);
    expect_same_bits(learn({.order = 4}), learn_weights(input.graph, input.features, {.order = 4}));
    EXPECT_TRUE(learn({.order = 2, .keep = {0.2}}).orders[0].cached) << "keep is applied afterwards";
    EXPECT_FALSE(learn({.order = 2, .tolerance = 1e-8}).orders[0].cached);
    EXPECT_FALSE(learn({.order = 2, .max_ring = 5}).orders[0].cached);
    EXPECT_FALSE(learn({.order = 2, .weighting = Weighting::uniform}).orders[0].cached);
    EXPECT_FALSE(learn({.order = 2, .neighborhood = Neighborhood::power}).orders[0].cached);

    CsrMatrix<float> changed = input.features;
    changed.values[0] += 0.01F;
    EXPECT_FALSE(learn_weights(input.graph, changed, {.order = 2}, {}, &cache).orders[0].cached);
    std::vector<Edge> edges{{0, 1}};
    EXPECT_FALSE(learn_weights(Graph(300, edges), input.features, {.order = 2}, {}, &cache).orders[0].cached);
}

TEST(WeightCache, DetectsADamagedEntryReportsItAndLearnsAgain) {
    const Input& input = small_input();
    const testing::TemporaryDirectory directory;
    const WeightCache cache(directory.path());
    const LearnedWeights good = learn_weights(input.graph, input.features, {.order = 2}, {}, &cache);
    const auto file = cache.entry_path(
        WeightCache::key(WeightCache::content_hash(input.graph, input.features), {.order = 2}, 2));
    ASSERT_TRUE(std::filesystem::exists(file));
    const auto size = std::filesystem::file_size(file);

    const std::vector<std::function<void()>> damages{
        [&] { std::filesystem::resize_file(file, size / 2); },
        [&] { std::ofstream(file, std::ios::binary) << "not an archive"; },
        [&] { std::filesystem::resize_file(file, 0); },
        [&] {
            std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
            stream.seekp(static_cast<std::streamoff>(size / 2));
            stream.put('\x5a').put('\x5a');
        },
    };
    for (const auto& damage : damages) {
        damage();
        const LearnedWeights again = learn_weights(input.graph, input.features, {.order = 2}, {}, &cache);
        EXPECT_FALSE(again.orders[0].cached);
        ASSERT_EQ(again.notes.size(), 1U);
        EXPECT_NE(again.notes[0].find("damaged cache entry"), std::string::npos) << again.notes[0];
        expect_same_bits(good, again);
        EXPECT_TRUE(learn_weights(input.graph, input.features, {.order = 2}, {}, &cache).orders[0].cached);
    }
}

TEST(WeightCache, ThatCannotBeWrittenIsReportedNotFatal) {
    const Input& input = small_input();
    const testing::TemporaryDirectory directory;
    std::ofstream(directory / "file") << "in the way";
    const WeightCache cache(directory / "file");
    const LearnedWeights learned = learn_weights(input.graph, input.features, {.order = 2}, {}, &cache);
    ASSERT_EQ(learned.notes.size(), 1U);
    EXPECT_NE(learned.notes[0].find("could not be cached"), std::string::npos) << learned.notes[0];
}

}  // namespace
}  // namespace hwgcn::weight_cache_test
