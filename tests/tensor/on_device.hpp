#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hwgcn/tensor/csr_matrix.hpp"

#include "base/random_stream.hpp"
#include "tensor/devices.hpp"
#include "tensor/kept_lists.hpp"
#include "tensor/transfer.hpp"
#include "tensor/wide_matrices.hpp"

/// Declares `device`, a gpu::Device&, or skips the test.
#define HWGCN_USE_DEVICE(device)                                                        \
    if (::hwgcn::testing::test_device() == nullptr) GTEST_SKIP() << "no OpenCL device"; \
    ::hwgcn::gpu::Device& device = *::hwgcn::testing::test_device()

namespace hwgcn::testing {

/// In rows of 8, of 16 and longer, with and without padding.
inline constexpr Index device_widths[] = {1, 7, 8, 9, 16, 18, 40};
/// One piece of a sum over rows, and several with a shorter last one.
inline constexpr Index device_rows[] = {1, 5, 700};

/// Null where this machine has none.
inline gpu::Device* test_device() {
    return devices().empty() ? nullptr : &gpu::Device::open(0);
}

/// Each place has an entry with probability `density`; the last row has none where there are several.
inline CsrMatrix<float> random_csr(Index rows, Index columns, double density, std::uint64_t seed) {
    RandomStream random(seed, 4);
    std::vector<Triplet<float>> entries;
    for (Index i = 0; i < std::max<Index>(rows - 1, 1); ++i) {
        for (Index j = 0; j < columns; ++j) {
            if (random.uniform() < density)
                entries.push_back({i, j, static_cast<float>(2.0 * random.uniform() - 1.0)});
        }
    }
    return csr_from_triplets(rows, columns, std::move(entries));
}

/// Rows that one item adds up, that up to sixteen share, and a long one, which is cut: row 17 of the first.
inline std::vector<CsrMatrix<float>> matrices_with_rows_of_all_lengths() {
    const CsrMatrix<float> with_hub = random_csr(40, 1500, 0.004, 2);
    const CsrMatrix<float> hub = random_csr(2, 1500, 0.99, 3);
    std::vector<Triplet<float>> entries;
    for (Index i = 0; i < 40; ++i) {
        const SparseRow<float> row = (i == 17 ? hub : with_hub).row(i == 17 ? 0 : i);
        for (std::size_t k = 0; k < row.size(); ++k)
            entries.push_back({i, row.indices[k], row.values[k]});
    }
    std::vector<CsrMatrix<float>> matrices{csr_from_triplets(40, 1500, std::move(entries))};
    for (const double density : {0.01, 0.02, 0.04, 0.12, 0.3, 0.9})
        matrices.push_back(random_csr(50, 600, density, 1));
    return matrices;
}

/// Numbers differ by at most `tolerance` times the largest one, or 1; the padding is zero.
inline void expect_close(ConstMatrixView on_device, const DenseMatrix& host, double tolerance) {
    const DenseMatrix result = copy_on(nullptr, on_device);
    ASSERT_EQ(result.rows(), host.rows());
    ASSERT_EQ(result.columns(), host.columns());
    double size = 1.0;
    for (const float number : host.numbers())
        size = std::max(size, std::abs(static_cast<double>(number)));
    for (Index i = 0; i < host.rows(); ++i) {
        for (Index j = 0; j < host.columns(); ++j)
            ASSERT_NEAR(result.at(i, j), host.at(i, j), tolerance * size) << "row " << i << ", column " << j;
        for (auto k = static_cast<std::size_t>(host.columns()); k < host.view().stride(); ++k)
            ASSERT_EQ(result.row(i)[k], 0.0F) << "padding of row " << i;
    }
}

using Results = std::vector<DenseMatrix>;

/// What `compute` gives on the device is close to what it gives on the host, whose device is null, and has
/// the same bits when computed again.
inline void expect_agreement(gpu::Device& device, double tolerance, const std::string& what,
                             const std::function<Results(gpu::Device*)>& compute) {
    const Results host = compute(nullptr);
    const Results first = compute(&device);
    const Results again = compute(&device);
    ASSERT_EQ(first.size(), host.size());
    for (std::size_t k = 0; k < host.size(); ++k) {
        SCOPED_TRACE(what + ", result " + std::to_string(k));
        expect_close(first[k], host[k], tolerance);
        EXPECT_TRUE(have_same_bits(copy_on(nullptr, first[k]), copy_on(nullptr, again[k])));
    }
}

/// Uniform in -1 .. 1.
inline DenseMatrix numbers(gpu::Device* device, Index rows, Index columns, std::uint64_t seed) {
    RandomStream random(seed, 9);
    DenseMatrix matrix(rows, columns);
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j)
            matrix.at(i, j) = static_cast<float>(2.0 * random.uniform() - 1.0);
    }
    return copy_on(device, matrix);
}

inline std::string named(const std::string& what, Index rows, Index width) {
    return what + " of " + std::to_string(rows) + " x " + std::to_string(width);
}

/// Calls check(rows, width) for all sizes.
template <typename Check>
void for_all_sizes(const Check& check) {
    for (const Index rows : device_rows) {
        for (const Index width : device_widths)
            check(rows, width);
    }
}

}  // namespace hwgcn::testing
