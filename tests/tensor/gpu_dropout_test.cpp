#include <cstring>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tensor/blocks/node_blocks.hpp"
#include "tensor/dropout.hpp"
#include "tensor/on_device.hpp"

namespace hwgcn::gpu_dropout_test {
namespace {

using testing::expect_agreement;
using testing::random_csr;
using testing::random_numbers;
using testing::Results;

// A word fills two floats; a workspace hands out whole rows of them.
std::vector<std::uint64_t> words_of(const DropMask& mask) {
    std::vector<std::uint64_t> words(mask.bits.size());
    const std::vector<float> halves =
        download({reinterpret_cast<const float*>(mask.bits.data()), 1, static_cast<Index>(2 * words.size())});
    std::memcpy(words.data(), halves.data(), mask.bits.size_bytes());
    return words;
}

TEST(GpuDropout, MasksHaveTheBitsOfTheProcessor) {
    HWGCN_USE_DEVICE(device);
    const MaskStream stream{0x123456789abcdef0U, 0x0fedcba987654321U, 77};
    Workspace host, workspace(&device);
    for (const double rate : {1e-12, 0x1.0p-16, 0.1, 0.25, 0.5, 0.6, 0.75, 0.99, 1.0 - 0x1.0p-16}) {
        for (const std::size_t count : {1, 63, 64, 1000, 100003}) {
            host.reset();
            workspace.reset();
            const DropMask expected = draw_mask(host, count, rate, stream);
            const DropMask mask = draw_mask(workspace, count, rate, stream);
            EXPECT_EQ(mask.scale, expected.scale) << rate;
            EXPECT_EQ(words_of(mask), words_of(expected)) << count << " bits, rate " << rate;
        }
    }
}

// Every other node of the graph.
std::vector<Index> odd_nodes(Index count) {
    std::vector<Index> nodes;
    for (Index i = 0; i < count; ++i)
        nodes.push_back(2 * i + 1);
    return nodes;
}

TEST(GpuDropout, KeepsTheSameNumbersAndRows) {
    HWGCN_USE_DEVICE(device);
    const auto expect_right = [&](Index rows, Index columns, bool whole_rows, Write write) {
        const std::vector<Index> nodes = odd_nodes(rows);
        const std::size_t bits = 2 * static_cast<std::size_t>(rows) * row_stride(columns);
        expect_agreement(device, 1e-6, fmt::format("{} x {}", rows, columns),
                         [&](gpu::Device* place) -> Results {
                             Workspace workspace(place);
                             DropMask mask = draw_mask(workspace, bits, 0.4, {5, 6});
                             mask.whole_rows = whole_rows;
                             const DenseMatrix x = copy_on(place, random_numbers(rows, columns, 1));
                             DenseMatrix out = copy_on(place, random_numbers(rows, columns, 2));
                             apply_dropout(x, nodes, mask, out, write);
                             return {out};
                         });
    };
    for (const Index columns : testing::device_widths) {
        for (const Index rows : testing::device_rows) {
            for (const Write write : {Write::replace, Write::add}) {
                expect_right(rows, columns, false, write);
                expect_right(rows, columns, true, write);
            }
        }
    }
}

TEST(GpuDropout, HiddenLayersAgree) {
    HWGCN_USE_DEVICE(device);
    for (const Index columns : testing::device_widths) {
        for (const bool drops_rows : {false, true}) {
            for (const bool drops_units : {false, true}) {
                const Index count = 37;
                const std::vector<Index> nodes = odd_nodes(count);
                expect_agreement(
                    device, 1e-6, fmt::format("{} columns", columns), [&](gpu::Device* place) -> Results {
                        Workspace workspace(place);
                        HiddenMasks masks;
                        if (drops_rows) {
                            masks.nodes = draw_mask(workspace, 2 * count, 0.4, {5, 6});
                            masks.nodes->whole_rows = true;
                        }
                        const std::size_t bits = 2 * static_cast<std::size_t>(count) * row_stride(columns);
                        if (drops_units) masks.units = draw_mask(workspace, bits, 0.4, {7, 6});
                        const DenseMatrix x = copy_on(place, random_numbers(count, columns, 1));
                        const DenseMatrix bias = copy_on(place, random_numbers(1, columns, 2));
                        const DenseMatrix gradient = copy_on(place, random_numbers(count, columns, 3));
                        DenseMatrix out = matrix_on(place, count, columns);
                        DenseMatrix back = matrix_on(place, count, columns);
                        apply_hidden(x, bias, nodes, masks, out);
                        hidden_gradient(out, masks, gradient, back);
                        return {out, back};
                    });
            }
        }
    }
}

TEST(GpuDropout, ScalesTheKeptPartOfSparseRowsToTheSameLength) {
    HWGCN_USE_DEVICE(device);
    for (const Index rows : testing::device_rows) {
        const CsrMatrix<float> m = random_csr(rows, 12, 0.2, 3);
        std::vector<std::int64_t> origin(m.offsets.begin(), m.offsets.end() - 1);
        for (std::int64_t& first : origin)
            first += 70;  // part of a larger matrix
        for (const bool dropped : {false, true})
            expect_agreement(device, 1e-6, fmt::format("{} rows", rows), [&](gpu::Device* place) -> Results {
                Workspace workspace(place);
                const std::size_t bits = m.values.size() + 70;
                const DropMask mask = draw_mask(workspace, bits, 0.7, {7, 8});  // some rows lose all
                const KeptEntries kept{mask.bits, origin, mask.scale};
                DenseMatrix out = matrix_on(place, 1, rows);
                inverse_lengths(m, dropped ? &kept : nullptr, out);
                return {out};
            });
    }
}

TEST(GpuDropout, MasksOfBlocksAreNotForDevices) {
    HWGCN_USE_DEVICE(device);
    Workspace workspace(&device);
    const std::vector<std::uint64_t> first_words{0, 4, 9};
    EXPECT_THROW(draw_block_masks(workspace, first_words, 0, 0.5, {1, 2}), std::logic_error);
    DropMask mask = draw_mask(workspace, 100, 0.5, {1, 2});
    const RowLayout layout;
    mask.layout = &layout;
    DenseMatrix x = matrix_on(&device, 1, 5), out = matrix_on(&device, 1, 5);
    EXPECT_THROW(apply_dropout(x, odd_nodes(1), mask, out, Write::replace), std::logic_error);
}

}  // namespace
}  // namespace hwgcn::gpu_dropout_test
