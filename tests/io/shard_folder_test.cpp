// Where shards may be written, by whom, and what is left of those that were there.
#include "io/shards/shard_folder.hpp"

#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hwgcn/dataset/synthetic.hpp"

#include "base/files/atomic_file.hpp"
#include "base/files/input_file.hpp"
#include "dataset/small_splits.hpp"
#include "io/shards/shards.hpp"
#include "test_data.hpp"

namespace hwgcn::shard_folder_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::input_error;
using testing::TemporaryDirectory;
using testing::write_plainly;

class ShardFolders : public ::testing::Test {
  protected:
    const TemporaryDirectory directory;
    const fs::path shards = directory / "s";

    void write(Index block_size) const {
        write_shards(shards, make_karate(), {even_blocks(34, block_size), "keep"});
    }
    void write_weighted(Index block_size) const {
        Dataset dataset = make_karate();
        dataset.edge_weights.assign(dataset.edges.size(), 1.0F);
        dataset.edge_weights.front() = 2.0F;
        write_shards(shards, dataset, {even_blocks(34, block_size), "keep"});
    }

    static std::map<std::string, std::string> files_of(const fs::path& folder) {
        std::map<std::string, std::string> files;
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
            if (entry.is_regular_file())
                files[fs::relative(entry.path(), folder).string()] = read_file(entry.path());
        }
        return files;
    }
    std::string refusal(OldShards old) const {
        return input_error([&] { const ShardFolder folder(shards, old); });
    }
};

TEST_F(ShardFolders, HaveOneWriterAtATime) {
    const ShardFolder first(shards, OldShards::replaced);
    EXPECT_THAT(refusal(OldShards::replaced), HasSubstr("s: is in use by process"));
    EXPECT_THAT(input_error([&] { write(5); }), HasSubstr("s: is in use by process"));
}

TEST_F(ShardFolders, ThatWereReplacedHoldNothingOfTheOldOnes) {
    write(9);
    const auto expected = files_of(shards);
    fs::remove_all(shards);
    write_weighted(5);
    ASSERT_TRUE(fs::exists(shards / "part-0006" / "neighbors_weights.npy"));
    write_plainly(shards / "mine.txt", "beside them");
    write(9);
    auto found = files_of(shards);
    EXPECT_EQ(found.erase("mine.txt"), 1U) << "what is no part of the shards is left alone";
    EXPECT_EQ(found, expected);
    EXPECT_FALSE(fs::exists(shards / "part-0004"));
}

TEST_F(ShardFolders, StayWholeWhereTheirSuccessorsAreNotFinished) {
    write(9);
    const auto before = files_of(shards);
    {
        const ShardFolder folder(shards, OldShards::replaced);
        write_text_atomically(folder.building() / "part-0000" / "labels.npy", "half");
    }
    EXPECT_EQ(files_of(shards), before);
    EXPECT_EQ(read_shards(shards).nodes, 34);
}

TEST_F(ShardFolders, StayWholeWhereAWriterIsKilled) {
    write(9);
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const ShardFolder folder(shards, OldShards::replaced);
        write_text_atomically(folder.building() / "part-0000" / "labels.npy", "half");
        [[maybe_unused]] const ssize_t told = ::write(ready[1], "x", 1);
        ::pause();
    }
    char letter = 0;
    ASSERT_EQ(::read(ready[0], &letter, 1), 1);
    EXPECT_THAT(refusal(OldShards::replaced), HasSubstr("is in use by process " + std::to_string(child)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_EQ(read_shards(shards).blocks.count(), 4);
    write(5);
    EXPECT_EQ(read_shards(shards).blocks.count(), 7);
    EXPECT_FALSE(fs::exists(shards / "shards.new"));
}

// A writer that was killed while it put the new parts in the place of the old ones.
TEST_F(ShardFolders, WithoutAListAreRefusedAndSayWhatToDo) {
    write(9);
    fs::remove(shards / "shards.json");
    const std::string message =
        "has no shards.json yet: its shards are being written, or their writer was interrupted";
    EXPECT_THAT(input_error([&] { read_shards(shards); }), HasSubstr(message));
    EXPECT_THAT(input_error([&] { const ShardReader reader(shards); }), HasSubstr(message));
    EXPECT_THAT(refusal(OldShards::stay),
                HasSubstr("parts of shards that were not finished; `force` replaces them"));
    write(5);
    EXPECT_EQ(read_shards(shards).blocks.count(), 7);
}

TEST_F(ShardFolders, AreNeverMadeOfFoldersThatHoldSomethingElse) {
    for (const OldShards old : {OldShards::stay, OldShards::replaced}) {
        for (const std::string name : {"run.json", "neighbors.npy", "part-0000", "shards.json"}) {
            fs::remove_all(shards);
            fs::create_directory(shards);
            write_plainly(shards / name, "{}");
            EXPECT_THAT(refusal(old), HasSubstr("s: holds other files (" + name + ")"));
            EXPECT_EQ(files_of(shards).size(), 1U);
        }
    }
    fs::remove_all(shards);
    write(9);
    write_plainly(shards / "part-0001" / "notes.txt", "mine");
    EXPECT_THAT(refusal(OldShards::replaced), HasSubstr("holds other files (part-0001)"));
    EXPECT_THAT(input_error([&] {
                    write_shards(shards / "part-0000", make_karate(), {even_blocks(34, 5), "keep"});
                }),
                HasSubstr("part-0000: holds other files"));
    EXPECT_EQ(read_shards(shards).nodes, 34);
}

TEST_F(ShardFolders, ThatAreThereStayUnlessTheyMayBeReplaced) {
    write(9);
    EXPECT_THAT(refusal(OldShards::stay), HasSubstr("s/shards.json is there already; `force` replaces it"));
    fs::create_directory(directory / "empty");
    { const ShardFolder folder(directory / "empty", OldShards::stay); }
    EXPECT_TRUE(fs::exists(directory / "empty"));
    { const ShardFolder folder(directory / "new", OldShards::stay); }
    EXPECT_FALSE(fs::exists(directory / "new")) << "nothing was written";
}

}  // namespace
}  // namespace hwgcn::shard_folder_test
