// The products of a device against those of the processor.
#include <gtest/gtest.h>

#include "tensor/on_device.hpp"
#include "tensor/operations.hpp"

namespace hwgcn::gpu_products_test {
namespace {

using testing::expect_agreement;
using testing::for_all_sizes;
using testing::named;
using testing::numbers;
using testing::random_csr;
using testing::Results;

constexpr Write both_ways[] = {Write::replace, Write::add};
const ExecutionControl control{1};

struct Kept {
    std::vector<std::uint64_t> bits;
    std::vector<std::int64_t> origin;

    KeptEntries entries() const { return {bits, origin, 1.5F}; }
};

// Entries of the rows of `m` begin at random places of a mask.
Kept random_kept(const CsrMatrix<float>& m, std::uint64_t seed) {
    RandomStream random(seed, 3);
    Kept kept;
    std::int64_t next = 5;
    for (Index i = 0; i < m.rows; ++i) {
        kept.origin.push_back(next);
        next += static_cast<std::int64_t>(m.row(i).size()) + static_cast<std::int64_t>(random.below(3));
    }
    for (std::int64_t word = 0; word < next / 64 + 2; ++word)
        kept.bits.push_back(random.bits());
    return kept;
}

TEST(DeviceProducts, RowsOfAllLengths) {
    HWGCN_USE_DEVICE(device);
    for (const CsrMatrix<float>& m : testing::matrices_with_rows_of_all_lengths()) {
        const Kept kept = random_kept(m, 2);
        for (const Index width : {8, 16, 40, 64, 512}) {
            for (const bool some : {false, true}) {
                const std::string what = named(some ? "kept" : "product", m.rows, width) + " with " +
                                         std::to_string(m.entries()) + " entries";
                expect_agreement(device, 2e-5, what, [&](gpu::Device* where) {
                    const KeptEntries those = kept.entries();
                    const KeptEntries* const chosen = some ? &those : nullptr;
                    DenseMatrix out = numbers(where, m.rows, width, 4);
                    multiply(m, chosen, numbers(where, m.columns, width, 3), out, Write::add, control);
                    DenseMatrix back = numbers(where, m.columns, width, 5);
                    add_transposed_product(m, chosen, numbers(where, m.rows, width, 6), back, control);
                    return Results{out, back};
                });
            }
        }
    }
}

TEST(DeviceProducts, SparseTimesDense) {
    HWGCN_USE_DEVICE(device);
    for_all_sizes([&](Index rows, Index width) {
        const CsrMatrix<float> m = random_csr(rows, 30, 0.3, 1);
        const Kept kept = random_kept(m, 2);
        for (const Write write : both_ways) {
            for (const bool some : {false, true}) {
                expect_agreement(device, 1e-5, named("product", rows, width), [&](gpu::Device* where) {
                    const KeptEntries entries = kept.entries();
                    DenseMatrix out = numbers(where, rows, width, 4);
                    multiply(m, some ? &entries : nullptr, numbers(where, 30, width, 3), out, write, control);
                    return Results{out};
                });
            }
        }
    });
}

TEST(DeviceProducts, SparseTransposedTimesDense) {
    HWGCN_USE_DEVICE(device);
    for_all_sizes([&](Index rows, Index width) {
        const CsrMatrix<float> m = random_csr(rows, 30, 0.3, 1);
        const Kept kept = random_kept(m, 2);
        for (const bool some : {false, true}) {
            expect_agreement(device, 1e-5, named("product", rows, width), [&](gpu::Device* where) {
                const KeptEntries entries = kept.entries();
                DenseMatrix out = numbers(where, 30, width, 4);
                add_transposed_product(m, some ? &entries : nullptr, numbers(where, rows, width, 3), out,
                                       control);
                return Results{out};
            });
        }
    });
}

TEST(DeviceProducts, DenseTimesDense) {
    HWGCN_USE_DEVICE(device);
    for_all_sizes([&](Index rows, Index width) {
        for (const Index inner : {1, 9, 33, 70}) {
            for (const Write write : both_ways) {
                expect_agreement(device, 1e-5, named("product", rows, width), [&](gpu::Device* where) {
                    DenseMatrix out = numbers(where, rows, width, 4);
                    multiply(numbers(where, rows, inner, 1), numbers(where, inner, width, 2), out, write,
                             control);
                    return Results{out};
                });
            }
            expect_agreement(device, 1e-5, named("transposed product", rows, width), [&](gpu::Device* where) {
                DenseMatrix out = numbers(where, inner, width, 4);
                add_transposed_product(numbers(where, rows, inner, 1), numbers(where, rows, width, 2), out,
                                       control);
                return Results{out};
            });
        }
    });
}

// What is kept on the device is not copied again, and forgotten when its owner ends.
TEST(DeviceProducts, OfListsThatAreKept) {
    HWGCN_USE_DEVICE(device);
    CsrMatrix<float> m = random_csr(40, 30, 0.3, 1);
    const auto product = [&](gpu::Device* where) {
        DenseMatrix out = matrix_on(where, 40, 9);
        DenseMatrix back = matrix_on(where, 30, 9);
        multiply(m, nullptr, numbers(where, 30, 9, 3), out, Write::replace, control);
        add_transposed_product(m, nullptr, numbers(where, 40, 9, 3), back, control);
        return Results{out, back};
    };
    {
        gpu::KeptLists lists(device);
        lists.add(m);
        expect_agreement(device, 1e-5, "kept", product);
        const DenseMatrix before = copy_on(nullptr, product(&device).front());
        for (float& value : m.values)
            value += 1.0F;
        testing::expect_close(product(&device).front(), before, 0.0);  // the list that was kept
    }
    expect_agreement(device, 1e-5, "changed since", product);
}

// More rows than NVIDIA's devices have groups for in one dimension.
TEST(DeviceProducts, OfVeryManyRows) {
    HWGCN_USE_DEVICE(device);
    const Index rows = 300'000;
    DenseMatrix x(rows, 64);
    for (const Index i : {0, 262'143, 262'144, rows - 1})
        x.at(i, 63) = 1.0F;
    expect_agreement(device, 1e-6, "rows", [&](gpu::Device* where) {
        DenseMatrix out = matrix_on(where, rows, 64);
        scale({2.0F}, copy_on(where, x), out, Write::replace);
        DenseMatrix sums = matrix_on(where, 1, 64);
        add_column_sums(out, sums);
        DenseMatrix factors = matrix_on(where, 1, rows);
        fill(factors, 0.5F);
        DenseMatrix scaled = matrix_on(where, rows, 64);
        scale_rows(factors, out, scaled, Write::replace);
        return Results{sums, scaled};
    });
}

}  // namespace
}  // namespace hwgcn::gpu_products_test
