// Sums over blocks that several processes have: the bits of one process.
#include <gtest/gtest.h>

#include "distributed/peers/partition.hpp"
#include "distributed/thread_peers.hpp"
#include "tensor/blocks/node_blocks.hpp"
#include "tensor/rough_sums.hpp"

namespace hwgcn::shared_sums_test {
namespace {

using testing::blocks_of;
using testing::rough_numbers;
using testing::tree_sum;

TEST(SharedSums, SameBitsWithAnyProcessesAndOwners) {
    const std::vector<float> numbers = rough_numbers(1000);
    for (const Index size : {1, 7, 100, 1000}) {
        std::vector<Index> bounds{0};
        while (bounds.back() < 1000)
            bounds.push_back(std::min<Index>(1000, bounds.back() + size));
        const NodeBlocks blocks = blocks_of(bounds);
        const double alone = tree_sum(*whole_layout(blocks), numbers);
        for (const int count : {1, 2, 3, 5, 8}) {
            for (const int skew : {0, 1}) {  // evenly, or all but a few at the last process
                run_as_threads(count, [&](Peers& peers) {
                    std::vector<Index> owners{0};
                    for (int rank = 1; rank < count; ++rank)
                        owners.push_back(
                            skew == 1 ? std::min<Index>(rank / 2, blocks.count())
                                      : static_cast<Index>(std::int64_t{blocks.count()} * rank / count));
                    owners.push_back(blocks.count());
                    const Partition partition(blocks, owners, peers);
                    EXPECT_EQ(tree_sum(partition, numbers), alone) << count << " " << size << " " << skew;
                });
            }
        }
    }
}

}  // namespace
}  // namespace hwgcn::shared_sums_test
