#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tensor/blocks/node_blocks.hpp"
#include "tensor/layer_normalization.hpp"
#include "tensor/normalization.hpp"
#include "tensor/on_device.hpp"

namespace hwgcn::gpu_normalization_test {
namespace {

using testing::expect_agreement;
using testing::random_numbers;
using testing::Results;

constexpr double variance_floor = 1e-5;

std::string shape(Index rows, Index columns) {
    return fmt::format("{} x {}", rows, columns);
}

// Random numbers in the memory of a device, or of the host.
DenseMatrix numbers_on(gpu::Device* place, Index rows, Index columns, std::uint64_t seed, double size = 1.0) {
    return copy_on(place, random_numbers(rows, columns, seed, size));
}

// What batch normalisation keeps; all of it begins as zero.
struct Kept {
    DenseMatrix standard, factors, means, variances;

    Kept(gpu::Device* place, Index rows, Index columns)
        : standard(matrix_on(place, rows, columns)),
          factors(matrix_on(place, 1, columns)),
          means(matrix_on(place, 1, columns)),
          variances(matrix_on(place, 1, columns)) {}

    BatchNormalization views() { return {standard, factors, means, variances}; }
};

DenseMatrix normalized(gpu::Device* place, Index rows, Index columns, Kept& kept) {
    const DenseMatrix x = numbers_on(place, rows, columns, 1, 3.0);
    const DenseMatrix scale = numbers_on(place, 1, columns, 2);
    const DenseMatrix offset = numbers_on(place, 1, columns, 3);
    DenseMatrix out = numbers_on(place, rows, columns, 4);
    batch_normalize(x, scale, offset, variance_floor, kept.views(), out);
    return out;
}

TEST(GpuNormalization, OfColumnsIsThatOfTheProcessor) {
    HWGCN_USE_DEVICE(device);
    for (const Index columns : testing::device_widths) {
        for (const Index rows : testing::device_rows)
            expect_agreement(device, 1e-5, shape(rows, columns), [&](gpu::Device* place) -> Results {
                Kept kept(place, rows, columns);
                const DenseMatrix out = normalized(place, rows, columns, kept);
                return {out, kept.standard, kept.factors, kept.means, kept.variances};
            });
    }
}

TEST(GpuNormalization, WithGivenMeansAndVariancesIsThatOfTheProcessor) {
    HWGCN_USE_DEVICE(device);
    for (const Index columns : testing::device_widths)
        expect_agreement(device, 1e-6, shape(1, columns), [&](gpu::Device* place) -> Results {
            const DenseMatrix means = numbers_on(place, 1, columns, 1);
            DenseMatrix variances = random_numbers(1, columns, 2);
            for (Index k = 0; k < columns; ++k)
                variances.at(0, k) = 0.1F + variances.at(0, k) * variances.at(0, k);
            DenseMatrix factors = matrix_on(place, 1, columns), addends = matrix_on(place, 1, columns);
            fixed_normalization(means, copy_on(place, variances), numbers_on(place, 1, columns, 3),
                                numbers_on(place, 1, columns, 4), variance_floor, factors, addends);
            return {factors, addends};
        });
}

// Which gradients are wanted.
struct Wanted {
    bool scale, offset, x;
};
constexpr Wanted combinations[] = {{true, true, true},   {true, false, false}, {false, true, false},
                                   {false, false, true}, {true, false, true},  {false, false, false}};

// Where gradients go, some of them to nowhere.
struct Targets {
    DenseMatrix scale, offset, x;

    Targets(gpu::Device* place, Index rows, Index columns)
        : scale(numbers_on(place, 1, columns, 11)),
          offset(numbers_on(place, 1, columns, 12)),
          x(numbers_on(place, rows, columns, 13)) {}

    NormalizationGradients views(const Wanted& wanted, Write write) {
        NormalizationGradients out;
        if (wanted.scale) out.scale = scale;
        if (wanted.offset) out.offset = offset;
        if (wanted.x) out.x = x;
        out.write = write;
        return out;
    }
};

TEST(GpuNormalization, GradientsOfColumnsAreThoseOfTheProcessor) {
    HWGCN_USE_DEVICE(device);
    const auto expect_right = [&](Index rows, Index columns, const Wanted& wanted, Write write) {
        expect_agreement(device, 1e-5, shape(rows, columns), [&](gpu::Device* place) -> Results {
            Kept kept(place, rows, columns);
            normalized(place, rows, columns, kept);
            const DenseMatrix gradient = numbers_on(place, rows, columns, 5);
            Targets targets(place, rows, columns);
            batch_normalize_gradients(kept.views(), gradient, targets.views(wanted, write));
            return {targets.scale, targets.offset, targets.x};
        });
    };
    for (const Index columns : testing::device_widths) {
        for (const Index rows : {5, 700}) {  // the gradient of a single row is noise times 1 / sqrt(floor)
            for (const Write write : {Write::replace, Write::add})
                expect_right(rows, columns, combinations[0], write);
        }
    }
    for (const Wanted& wanted : combinations)
        expect_right(70, 18, wanted, Write::replace);
}

TEST(GpuNormalization, OfRowsIsThatOfTheProcessor) {
    HWGCN_USE_DEVICE(device);
    for (const Index columns : {1, 7, 8, 9, 16, 18, 40, 200}) {  // the last: several numbers for each item
        for (const Index rows : testing::device_rows)
            expect_agreement(device, 1e-5, shape(rows, columns), [&](gpu::Device* place) -> Results {
                DenseMatrix kept = matrix_on(place, 2, rows);
                DenseMatrix out = numbers_on(place, rows, columns, 4);
                layer_normalize(numbers_on(place, rows, columns, 1, 3.0), numbers_on(place, 1, columns, 2),
                                numbers_on(place, 1, columns, 3), kept, out, {1});
                return {out, kept};
            });
    }
}

TEST(GpuNormalization, GradientsOfRowsAreThoseOfTheProcessor) {
    HWGCN_USE_DEVICE(device);
    const auto expect_right = [&](Index rows, Index columns, const Wanted& wanted, Write write) {
        expect_agreement(device, 2e-5, shape(rows, columns), [&](gpu::Device* place) -> Results {
            const DenseMatrix x = numbers_on(place, rows, columns, 1, 3.0);
            const DenseMatrix scale = numbers_on(place, 1, columns, 2);
            const DenseMatrix gradient = numbers_on(place, rows, columns, 5);
            DenseMatrix kept = matrix_on(place, 2, rows), out = matrix_on(place, rows, columns);
            layer_normalize(x, scale, numbers_on(place, 1, columns, 3), kept, out, {1});
            Targets targets(place, rows, columns);
            layer_normalize_gradients({x, scale, kept}, gradient, targets.views(wanted, write), {1});
            return {targets.scale, targets.offset, targets.x};
        });
    };
    for (const Index columns : {1, 7, 8, 9, 16, 18, 40, 200}) {
        for (const Index rows : testing::device_rows) {
            for (const Write write : {Write::replace, Write::add})
                expect_right(rows, columns, combinations[0], write);
        }
    }
    for (const Wanted& wanted : combinations)
        expect_right(70, 18, wanted, Write::replace);
}

TEST(GpuNormalization, TheGradientOfMixedBlocksIsThatOfTheProcessor) {
    HWGCN_USE_DEVICE(device);
    for (const Index columns : testing::device_widths) {
        for (const Index rows : testing::device_rows) {
            for (const Index blocks : {1, 3, 10})
                expect_agreement(device, 1e-5, shape(rows, columns), [&](gpu::Device* place) -> Results {
                    DenseMatrix out = numbers_on(place, 1, blocks, 4);
                    add_mixing_gradient(numbers_on(place, rows, blocks * columns, 1),
                                        numbers_on(place, 1, blocks, 2), numbers_on(place, rows, columns, 3),
                                        out);
                    return {out};
                });
        }
    }
}

TEST(GpuNormalization, SumsOverBlocksOfNodesAreNotForDevices) {
    HWGCN_USE_DEVICE(device);
    const RowLayout layout;
    const SummedRows blocks{.layout = &layout};
    const DenseMatrix x = matrix_on(&device, 3, 5);
    DenseMatrix out = matrix_on(&device, 1, 1);
    EXPECT_THROW(add_mixing_gradient(x, matrix_on(&device, 1, 1), x, out, blocks), std::logic_error);
}

}  // namespace
}  // namespace hwgcn::gpu_normalization_test
