// Weights that are learned in several attempts: the same bits, whatever was kept of the earlier ones.
#include "weights/kept_rows.hpp"

#include <atomic>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "base/files/input_file.hpp"
#include "test_data.hpp"
#include "weights/learn_order.hpp"
#include "weights/weight_inputs.hpp"

namespace hwgcn::kept_rows_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Input;
using ::testing::IsEmpty;
using testing::TemporaryDirectory;

constexpr Index nodes = 5000;  // two blocks of 2,048 rows and a shorter one
constexpr auto at_once = KeptRows::Clock::duration::zero();

const Input& input() {
    static const Input input(make_synthetic({.nodes = nodes, .vocabulary = 200, .words = 5, .seed = 3}));
    return input;
}

/// Asks for a stop when so many nodes are done.
class StopAfter final : public ProgressSink {
  public:
    explicit StopAfter(std::int64_t units) : left_(units) {}
    void start(std::string_view, std::int64_t) override {}
    void advance(std::int64_t units) override {
        done_ += units;
        if ((left_ -= units) <= 0) stop_ = true;
    }
    void finish() override {}

    ExecutionControl control(int threads) { return {threads, this, &stop_}; }
    std::int64_t done() const { return done_; }

  private:
    std::atomic<std::int64_t> left_;
    std::atomic<std::int64_t> done_{0};
    std::atomic<bool> stop_{false};
};

OrderWeights learn(KeptRows* kept, const ExecutionControl& control = {.threads = 2}) {
    const WeightOptions options{.order = 2, .sample_ring = 30};  // cuts some rings
    std::vector<RingLearner> learners =
        make_learners(input().graph, input().graph, input().features, options, control);
    return learn_order(input().graph, learners, 2, control, kept);
}

const OrderWeights& undisturbed() {
    static const OrderWeights weights = learn(nullptr);
    return weights;
}

void expect_same(const OrderWeights& found) {
    testing::expect_same_bits({{found}, {}}, {{undisturbed()}, {}});
    EXPECT_EQ(found.ring_sizes, undisturbed().ring_sizes);
    const OrderSummary& a = found.summary;
    const OrderSummary& b = undisturbed().summary;
    EXPECT_EQ(a.problems, b.problems);
    EXPECT_EQ(a.ring_pairs, b.ring_pairs);
    EXPECT_EQ(a.largest_ring, b.largest_ring);
    EXPECT_EQ(a.support, b.support);
    EXPECT_EQ(a.kept, b.kept);
    EXPECT_EQ(a.unfinished, b.unfinished);
    EXPECT_EQ(a.iterations, b.iterations);
    EXPECT_EQ(a.sampled_rings, b.sampled_rings);
    EXPECT_GT(a.sampled_rings, 0);
}

std::set<std::string> files_in(const fs::path& folder) {
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        names.insert(entry.path().filename().string());
    return names;
}

// Leaves what a process keeps that is stopped after so many nodes.
void stop_after(std::int64_t units, const fs::path& folder, int threads = 2) {
    std::vector<std::string> notes;
    KeptRows kept(folder, "key", notes, at_once);
    StopAfter stop(units);
    EXPECT_THROW(learn(&kept, stop.control(threads)), Interrupted);
    EXPECT_THAT(notes, IsEmpty());
}

TEST(KeptRows, AStoppedOrderGoesOnWithTheSameBits) {
    for (const std::int64_t units : {10, 2048, 2500, 4096, 4900}) {
        const TemporaryDirectory directory;
        stop_after(units, directory.path());
        const std::size_t files = files_in(directory.path()).size();
        EXPECT_LE(files, static_cast<std::size_t>(units / 2048));
        std::vector<std::string> notes;
        KeptRows kept(directory.path(), "key", notes, at_once);
        StopAfter counted(2 * nodes);  // never
        expect_same(learn(&kept, counted.control(1)));
        EXPECT_EQ(counted.done(), nodes) << "rows that were kept count as progress";
        EXPECT_THAT(notes, IsEmpty());
        kept.remove();
        EXPECT_THAT(files_in(directory.path()), IsEmpty());
    }
}

TEST(KeptRows, WhatIsKeptIsNotLearnedAgain) {
    const TemporaryDirectory directory;
    stop_after(4500, directory.path());
    ASSERT_THAT(files_in(directory.path()),
                ElementsAre("weights-key-rows-0000000000.npz", "weights-key-rows-0000002048.npz"));
    std::vector<std::string> notes;
    KeptRows kept(directory.path(), "key", notes, at_once);
    OrderWeights found;
    found.matrix = {nodes, nodes, {0}, {}, {}};
    OrderTally tally;
    kept.restore(found, tally);
    EXPECT_EQ(found.ring_sizes.size(), 4096U);
    EXPECT_GT(tally.summary.problems, 0);
    EXPECT_GT(tally.summary.seconds, 0.0);
    KeptRows other(directory.path(), "another", notes, at_once);
    OrderWeights nothing;
    nothing.matrix = {nodes, nodes, {0}, {}, {}};
    other.restore(nothing, tally);
    EXPECT_TRUE(nothing.ring_sizes.empty()) << "of other data or settings";
}

TEST(KeptRows, DamagedOnesAreLearnedAgainWithANote) {
    const std::vector<std::function<void(const fs::path&)>> damages = {
        [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2); },
        [](const fs::path& file) { testing::write_plainly(file, "not an archive"); },
        [](const fs::path& file) {
            std::string content = read_file(file);
            content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 1);
            testing::write_plainly(file, content);
        },
        [](const fs::path& file) {  // the rows of another place
            const fs::path first = file.parent_path() / "weights-key-rows-0000000000.npz";
            fs::copy_file(first, file, fs::copy_options::overwrite_existing);
        }};
    for (const auto& damage : damages) {
        const TemporaryDirectory directory;
        stop_after(4500, directory.path());
        damage(directory / "weights-key-rows-0000002048.npz");
        std::vector<std::string> notes;
        KeptRows kept(directory.path(), "key", notes, at_once);
        expect_same(learn(&kept));
        EXPECT_THAT(notes, ElementsAre(HasSubstr("damaged part of the weights, learning it again")));
        kept.remove();
        EXPECT_THAT(files_in(directory.path()), IsEmpty());
    }
}

TEST(KeptRows, AFolderThatCannotBeWrittenCostsOneNote) {
    const TemporaryDirectory directory;
    testing::write_plainly(directory / "file", "");
    std::vector<std::string> notes;
    KeptRows kept(directory / "file", "key", notes, at_once);
    expect_same(learn(&kept));
    EXPECT_THAT(notes, ElementsAre(HasSubstr("unfinished weights could not be kept")));
}

TEST(KeptRows, ShortWorkIsNotKept) {
    const TemporaryDirectory directory;
    std::vector<std::string> notes;
    KeptRows kept(directory.path(), "key", notes, std::chrono::hours(1));
    expect_same(learn(&kept));
    EXPECT_THAT(files_in(directory.path()), IsEmpty());
}

}  // namespace
}  // namespace hwgcn::kept_rows_test
