// What arrives for parts, sorted in memory and beyond its limit in files.
#include <filesystem>
#include <numeric>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "distributed/io/text_parts.hpp"
#include "distributed/thread_peers.hpp"
#include "test_data.hpp"

namespace hwgcn::part_mail_test {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryDirectory;

std::pair<Index, Index> nodes_of(const Index& node) {
    return {node, (node + 1) % 40};
}

std::ptrdiff_t files_in(const fs::path& folder) {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST(PartMail, KeepsTheOrderInFiles) {
    const TemporaryDirectory directory;
    run_as_threads(3, [&](Peers& peers) {
        const TextParts parts(even_blocks(40, 5), peers);
        PartMail<Index> in_memory(peers, parts, {});
        PartMail<Index> in_files(peers, parts, {directory / ".", "numbers", 24});
        for (int round = 0; round < 9; ++round) {
            for (PartMail<Index>* mail : {&in_memory, &in_files}) {
                for (int k = 0; k < 20; ++k) {
                    const Index node = (17 * k + 3 * round + peers.rank()) % 40;
                    const int owner = parts.owner_of(node);
                    mail->put(owner, node);
                    const int other = parts.owner_of(nodes_of(node).second);
                    if (other != owner) mail->put(other, node);
                }
                mail->deliver(nodes_of);
            }
        }
        do_together(peers, [&] { EXPECT_GT(files_in(directory / "."), 0); });
        for (Index part = parts.firsts[peers.rank()]; part < parts.firsts[peers.rank() + 1]; ++part) {
            std::vector<Index> seen;
            in_files.for_each_of(part, [&](Index node) { seen.push_back(node); });
            EXPECT_EQ(seen, in_files.take(part));
            EXPECT_EQ(seen, in_memory.take(part));
            EXPECT_FALSE(seen.empty());
            EXPECT_TRUE(in_files.take(part).empty());
        }
    });
    EXPECT_EQ(files_in(directory / "."), 0);
}

TEST(PartMail, SaysWhereTheDiskRefuses) {
    const TemporaryDirectory directory;
    const SpillFile file(directory / "missing" / "file");
    EXPECT_THROW(file.append(std::as_bytes(std::span("bytes"))), ExecutionError);
}

}  // namespace
}  // namespace hwgcn::part_mail_test
