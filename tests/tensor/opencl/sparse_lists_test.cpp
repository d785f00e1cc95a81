// How OpenCL shares the rows of sparse matrices among work items.
#include "tensor/opencl/sparse_lists.hpp"

#include <set>

#include <gtest/gtest.h>

#include "tensor/on_device.hpp"

namespace hwgcn::opencl_lists_test {
namespace {

TEST(RowPieces, LongRowsAreCutAndOthersSharedByTheirLength) {
    const std::vector<CsrMatrix<float>> matrices = testing::matrices_with_rows_of_all_lengths();
    EXPECT_EQ(opencl::RowPieces(matrices.front().offsets).long_rows, std::vector<Index>{17});
    std::set<Index> slices;
    for (const CsrMatrix<float>& m : matrices)
        slices.insert(opencl::RowPieces(m.offsets).slices);
    EXPECT_EQ(slices, (std::set<Index>{1, 2, 4, 8, 16}));
}

}  // namespace
}  // namespace hwgcn::opencl_lists_test
