// The operations of a device against those of the processor: rows, numbers, losses, transfer.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "hwgcn/base/error.hpp"

#include "tensor/devices.hpp"
#include "tensor/on_device.hpp"
#include "tensor/operations.hpp"

namespace hwgcn::gpu_operations_test {
namespace {

using testing::device_widths;
using testing::expect_agreement;
using testing::for_all_sizes;
using testing::named;
using testing::numbers;
using testing::random_csr;
using testing::Results;

constexpr Write both_ways[] = {Write::replace, Write::add};
const ExecutionControl control{1};

TEST(DeviceRows, AreGatheredAndScattered) {
    HWGCN_USE_DEVICE(device);
    const std::vector<Index> ascending = {0, 2, 3, 4};
    const std::vector<Index> mixed = {3, 0, 4};
    const std::vector<Index> repeated = {4, 0, 4, 1, 0, 4};
    for (const Index width : device_widths) {
        for (const std::vector<Index>& rows : {ascending, mixed, repeated}) {
            const auto count = static_cast<Index>(rows.size());
            expect_agreement(device, 1e-6, named("rows", count, width), [&](gpu::Device* where) {
                const DenseMatrix x = numbers(where, 5, width, 1);
                DenseMatrix gathered = matrix_on(where, count, width);
                gather_rows(x, rows, gathered);
                DenseMatrix scattered = numbers(where, 5, width, 2);
                scatter_add_rows(gathered, rows, scattered);
                return Results{gathered, scattered};
            });
        }
    }
}

TEST(DeviceRows, OfSeveralMatricesOfTheHostAreAddedUp) {
    HWGCN_USE_DEVICE(device);
    const std::vector<Index> rows = {4, 0, 2};
    const DenseMatrix a = numbers(nullptr, 5, 9, 1);
    const DenseMatrix b = numbers(nullptr, 5, 9, 2);
    const DenseMatrix c = numbers(nullptr, 5, 9, 3);
    expect_agreement(device, 1e-6, "sums of rows", [&](gpu::Device* where) {
        DenseMatrix first = matrix_on(where, 3, 9);
        DenseMatrix second = matrix_on(where, 3, 9);
        const std::vector<RowSums> sums = {{{a, b, c}, first}, {{c}, second}};
        gather_row_sums(sums, rows, 1.5F);
        return Results{first, second};
    });
}

TEST(DeviceRows, AndColumns) {
    HWGCN_USE_DEVICE(device);
    for_all_sizes([&](Index rows, Index width) {
        for (const Write write : both_ways) {
            expect_agreement(device, 1e-5, named("rows", rows, width), [&](gpu::Device* where) {
                const DenseMatrix x = numbers(where, rows, width, 1);
                DenseMatrix scaled = numbers(where, rows, width, 2);
                scale_rows(numbers(where, 1, rows, 3), x, scaled, write);
                DenseMatrix scaled_columns = numbers(where, rows, width, 10);
                scale_columns(numbers(where, 1, width, 11), x, scaled_columns, write);
                DenseMatrix shifted = matrix_on(where, rows, width);
                add_row(x, numbers(where, 1, width, 4), shifted);
                DenseMatrix sums = numbers(where, 1, width, 5);
                add_column_sums(x, sums);
                DenseMatrix dots = numbers(where, 1, rows, 6);
                add_row_dots(x, scaled, dots);
                DenseMatrix turned = matrix_on(where, width, rows);
                transpose(x, turned);
                DenseMatrix wider = numbers(where, rows, width + 3, 7);
                copy_columns(x, 0, width, wider, 2, write);
                DenseMatrix narrower = numbers(where, rows, 1, 8);
                copy_columns(x, width - 1, 1, narrower, 0, write);
                DenseMatrix same = numbers(where, rows, width, 9);
                copy_columns(x, 0, width, same, 0, write);
                return Results{scaled, scaled_columns, shifted, sums, dots, turned, wider, narrower, same};
            });
        }
    });
}

TEST(DeviceNumbers, AreScaledAndActivated) {
    HWGCN_USE_DEVICE(device);
    for_all_sizes([&](Index rows, Index width) {
        for (const Write write : both_ways) {
            for (const Activation activation :
                 {Activation::relu, Activation::elu, Activation::tanh, Activation::softmax}) {
                expect_agreement(device, 1e-5, named("numbers", rows, width), [&](gpu::Device* where) {
                    const DenseMatrix x = numbers(where, rows, width, 1);
                    const DenseMatrix gradient = numbers(where, rows, width, 2);
                    DenseMatrix scaled = numbers(where, rows, width, 3);
                    const DenseMatrix row = numbers(where, 1, 5, 4);
                    scale({-2.0F, row, 3, 7.0F}, x, scaled, write);
                    DenseMatrix y = matrix_on(where, rows, width);
                    activate(activation, x, y);
                    DenseMatrix back = numbers(where, rows, width, 5);
                    activation_gradient(activation, y, gradient, back, write);
                    DenseMatrix smooth = matrix_on(where, rows, width);
                    gelu(x, smooth, control);
                    DenseMatrix smooth_back = numbers(where, rows, width, 6);
                    gelu_gradient(x, gradient, smooth_back, write, control);
                    DenseMatrix dot = numbers(where, 1, 4, 7);
                    add_dot(x, gradient, dot, 2);
                    return Results{scaled, y, back, smooth, smooth_back, dot};
                });
            }
        }
    });
}

TEST(DeviceNumbers, TakeAStepOfAdam) {
    HWGCN_USE_DEVICE(device);
    expect_agreement(device, 1e-6, "Adam", [&](gpu::Device* where) {
        DenseMatrix value = numbers(where, 30, 9, 1);
        DenseMatrix mean = matrix_on(where, 30, 9);
        DenseMatrix square = matrix_on(where, 30, 9);
        for (std::uint64_t step = 0; step < 3; ++step)
            adam_step({0.01F, 1.1F, 0.9F, 0.999F, 1e-8F, 5e-4F}, numbers(where, 30, 9, 2 + step), value, mean,
                      square);
        return Results{value, mean, square};
    });
}

TEST(DeviceNumbers, ThatAreNotFiniteAreFound) {
    HWGCN_USE_DEVICE(device);
    for (const float bad :
         {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        DenseMatrix x = numbers(nullptr, 700, 9, 1);
        const DenseMatrix others = x;
        const auto found = [&](gpu::Device* where) {
            DenseMatrix count = numbers(where, 1, 1, 2);
            const DenseMatrix here = copy_on(where, others);
            const DenseMatrix there = copy_on(where, x);
            count_infinite(std::vector<ConstMatrixView>{here, there}, count);
            return number(count);
        };
        EXPECT_EQ(found(&device), 0.0F);
        EXPECT_EQ(found(nullptr), 0.0F);
        x.at(699, 8) = bad;
        x.at(0, 0) = bad;
        EXPECT_EQ(found(&device), 2.0F);
        EXPECT_EQ(found(nullptr), 2.0F);
    }
}

TEST(DeviceLosses, AreThoseOfTheProcessor) {
    HWGCN_USE_DEVICE(device);
    for_all_sizes([&](Index rows, Index width) {
        RandomStream random(1, 1);
        std::vector<Index> labels;
        std::vector<float> weights;
        for (Index i = 0; i < rows; ++i) {
            labels.push_back(static_cast<Index>(random.below(static_cast<std::uint64_t>(width))));
            weights.push_back(static_cast<float>(random.uniform() + 0.5));
        }
        expect_agreement(device, 1e-5, named("losses", rows, width), [&](gpu::Device* where) {
            const DenseMatrix scores = numbers(where, rows, width, 1);
            Results results;
            for (const std::vector<float>& used : {std::vector<float>{}, weights}) {
                DenseMatrix errors = matrix_on(where, rows, width);
                DenseMatrix loss = matrix_on(where, 1, 1);
                EXPECT_EQ(cross_entropy(scores, labels, used, errors, loss), rows);
                results.push_back(errors);
                results.push_back(loss);
            }
            DenseMatrix difference = matrix_on(where, rows, width);
            DenseMatrix distance = matrix_on(where, 1, 1);
            EXPECT_EQ(squared_distance(scores, numbers(where, rows, width, 2), difference, distance), rows);
            results.push_back(difference);
            results.push_back(distance);
            return results;
        });
    });
}

TEST(DeviceLosses, SharpenTheMeanOfDistributions) {
    HWGCN_USE_DEVICE(device);
    for (const double temperature : {0.5, 0.2, 1.0}) {
        for (const Index width : device_widths) {
            expect_agreement(device, 1e-5, named("mean", 20, width), [&](gpu::Device* where) {
                DenseMatrix a = matrix_on(where, 20, width);
                DenseMatrix b = matrix_on(where, 20, width);
                activate(Activation::softmax, numbers(where, 20, width, 1), a);
                activate(Activation::softmax, numbers(where, 20, width, 2), b);
                DenseMatrix out = matrix_on(where, 20, width);
                const std::vector<ConstMatrixView> both = {a, b};
                sharpened_mean(both, temperature, out);
                return Results{out};
            });
        }
    }
}

TEST(DeviceLosses, CountTheRowsThatAreRight) {
    HWGCN_USE_DEVICE(device);
    for_all_sizes([&](Index rows, Index width) {
        const DenseMatrix scores = numbers(nullptr, rows, width, 1);
        std::vector<Index> labels;
        Index expected = 0;
        for (Index i = 0; i < rows; ++i) {
            labels.push_back(i % width);
            bool is_largest = true;
            for (Index c = 0; c < width; ++c)
                is_largest = is_largest && scores.at(i, c) <= scores.at(i, i % width);
            expected += is_largest ? 1 : 0;
        }
        for (gpu::Device* const where : {static_cast<gpu::Device*>(nullptr), &device}) {
            DenseMatrix count = numbers(where, 1, 1, 2);
            count_correct(copy_on(where, scores), labels, count);
            EXPECT_EQ(number(count), static_cast<float>(expected)) << named("scores", rows, width);
        }
    });
    for (gpu::Device* const where : {static_cast<gpu::Device*>(nullptr), &device}) {
        DenseMatrix equals = matrix_on(where, 2, 3);  // below zero: the padding would be larger
        fill(equals, -1.0F);
        DenseMatrix count = matrix_on(where, 1, 1);
        count_correct(equals, std::vector<Index>{0, 1}, count);  // the first of equals counts
        EXPECT_EQ(number(count), 1.0F);
    }
}

// Passes of several shapes in the same memory; matrices without padding fill all of theirs.
TEST(DeviceWorkspace, PaddingIsZeroWhateverPassCameBefore) {
    HWGCN_USE_DEVICE(device);
    using Shape = std::pair<Index, Index>;
    const std::vector<std::vector<Shape>> passes{{{9, 3}, {20, 16}, {5, 7}},
                                                 {{9, 3}, {20, 16}, {5, 7}},
                                                 {{9, 3}, {40, 16}},
                                                 {{9, 3}, {20, 16}, {5, 7}},
                                                 {{200, 16}},
                                                 {{9, 3}, {20, 16}, {5, 7}},
                                                 {{3, 9}, {5, 16}, {40, 20}},
                                                 {{9, 3}, {20, 16}, {5, 7}},
                                                 {{9, 3}, {20, 16}, {5, 7}}};
    Workspace workspace(&device);
    for (const std::vector<Shape>& pass : passes) {
        workspace.reset();
        for (const auto& [rows, columns] : pass) {
            const MatrixView matrix = workspace.matrix(rows, columns);
            const DenseMatrix before = copy_on(nullptr, matrix);
            for (Index i = 0; i < rows; ++i) {
                for (auto k = static_cast<std::size_t>(columns); k < matrix.stride(); ++k)
                    EXPECT_EQ(before.row(i)[k], 0.0F) << rows << " x " << columns;
            }
            copy_columns(numbers(&device, rows, columns, 3), 0, columns, matrix, 0, Write::replace);
        }
    }
}

TEST(DeviceMatrix, NumbersComeAndGo) {
    HWGCN_USE_DEVICE(device);
    DenseMatrix there = matrix_on(&device, 3, 9);
    EXPECT_EQ(device_of(there), &device);
    EXPECT_EQ(download(there), std::vector<float>(27, 0.0F));
    std::vector<float> list(27);
    for (std::size_t k = 0; k < list.size(); ++k)
        list[k] = static_cast<float>(k);
    upload(list, there);
    EXPECT_EQ(download(there), list);
    DenseMatrix copy = there;
    EXPECT_EQ(device_of(copy), &device);
    fill(there, 2.0F);
    EXPECT_EQ(download(copy), list);
    EXPECT_EQ(download(there), std::vector<float>(27, 2.0F));
    testing::expect_close(there, copy_on(nullptr, there), 0.0);
}

TEST(DeviceMatrix, ThatDoesNotFitIsRefused) {
    HWGCN_USE_DEVICE(device);
    EXPECT_THROW(matrix_on(&device, 2'000'000'000, 16), ExecutionError);
    EXPECT_EQ(download(matrix_on(&device, 1, 1)), std::vector<float>{0.0F});
}

TEST(DeviceChoice, IsReadAndWritten) {
    for (const std::string text : {"cpu", "gpu", "auto", "gpu:0", "gpu:12"}) {
        const std::optional<DeviceChoice> choice = parse_device(text);
        ASSERT_TRUE(choice) << text;
        EXPECT_EQ(device_text(*choice), text);
    }
    for (const std::string text : {"", "GPU", "gpu:", "gpu:-1", "gpu:1x", "gpu:99999999999", "cuda"})
        EXPECT_FALSE(parse_device(text)) << text;
    EXPECT_EQ(resolve_device({}), std::nullopt);
    EXPECT_THROW(resolve_device({DeviceChoice::Kind::gpu, 1000}), InputError);
}

}  // namespace
}  // namespace hwgcn::gpu_operations_test
