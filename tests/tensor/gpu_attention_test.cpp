#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tensor/attention.hpp"
#include "tensor/dropout.hpp"
#include "tensor/on_device.hpp"

namespace hwgcn::gpu_attention_test {
namespace {

using testing::expect_agreement;
using testing::random_csr;
using testing::random_numbers;
using testing::Results;

CsrMatrix<float> transposed_of(const CsrMatrix<float>& m) {
    std::vector<Triplet<float>> entries;
    for (Index i = 0; i < m.rows; ++i) {
        const SparseRow<float> row = m.row(i);
        for (std::size_t e = 0; e < row.size(); ++e)
            entries.push_back({row.indices[e], i, row.values[e]});
    }
    return csr_from_triplets(m.columns, m.rows, std::move(entries));
}

// Heads that divide a vector, fill several, and neither; rows with and without padding.
struct Shape {
    Index heads, units;
};
constexpr Shape shapes[] = {{1, 1}, {1, 7}, {8, 1}, {3, 3}, {2, 8}, {3, 6}, {8, 5}, {16, 2}, {5, 8}};

// Attention of the rows to their columns, of which there are two more; the rows are the last of them.
class Scene {
  public:
    Scene(Index rows, Shape shape)
        : shape_(shape),
          matrix_(random_csr(rows, rows + 2, rows > 100 ? 0.01 : 0.6, 1)),
          transposed_(transposed_of(matrix_)) {
        for (Index i = 0; i < rows; ++i) {
            position_.push_back(rows + 1 - i);
            origin_.push_back(matrix_.offsets[static_cast<std::size_t>(i)] + 9);  // of a larger matrix
        }
    }

    const CsrMatrix<float>& matrix() const { return matrix_; }
    std::string name() const {
        return fmt::format("{} rows, {} heads of {} units", matrix_.rows, shape_.heads, shape_.units);
    }

    // The result, the coefficients and the gradients. Those that are not wanted stay as they were.
    Results run(gpu::Device* place, bool dropout, const AttentionGradients& wanted) const {
        const Index lanes = head_lanes(shape_.heads);
        const Index columns = shape_.heads * shape_.units;
        const auto entries = static_cast<Index>(matrix_.entries());
        const auto on_place = [&](Index rows, Index width, std::uint64_t seed, double size = 1.0) {
            return copy_on(place, random_numbers(rows, width, seed, size));
        };
        const DenseMatrix scores = on_place(matrix_.columns, 2 * lanes, 2, 3.0);
        const DenseMatrix values = on_place(matrix_.columns, columns, 3);
        DenseMatrix coefficients = matrix_on(place, entries, lanes), kept = matrix_on(place, entries, lanes);
        Workspace workspace(place);
        Attention attention{&matrix_, &transposed_, position_,    shape_.heads, scores,
                            values,   {},           coefficients, coefficients};
        if (dropout) {
            const std::size_t bits = (matrix_.values.size() + 9) * row_stride(shape_.heads);
            const DropMask mask = draw_mask(workspace, bits, 0.4, {4, 5});
            attention.dropout = KeptEntries{mask.bits, origin_, mask.scale};
            attention.kept = kept;
        }
        DenseMatrix out = on_place(matrix_.rows, columns, 6);
        attend(attention, out, {1});
        DenseMatrix of_scores = on_place(matrix_.columns, 2 * lanes, 7);
        DenseMatrix of_values = on_place(matrix_.columns, columns, 8);
        AttentionGradients gradients{.write = wanted.write};
        if (wanted.scores.rows > 0) gradients.scores = of_scores;
        if (wanted.values.rows > 0) gradients.values = of_values;
        attend_gradients(attention, on_place(matrix_.rows, columns, 9), workspace, gradients, {1});
        return {out, coefficients, kept, of_scores, of_values};
    }

  private:
    Shape shape_;
    CsrMatrix<float> matrix_, transposed_;
    std::vector<Index> position_;
    std::vector<std::int64_t> origin_;
};

constexpr MatrixView nothing{};
constexpr MatrixView something{nullptr, 1, 1};

void expect_same(gpu::Device& device, const Scene& scene, bool dropout, const AttentionGradients& wanted) {
    expect_agreement(device, 1e-5, scene.name() + (dropout ? ", dropout" : ""),
                     [&](gpu::Device* place) { return scene.run(place, dropout, wanted); });
}

TEST(GpuAttention, IsThatOfTheProcessor) {
    HWGCN_USE_DEVICE(device);
    for (const Shape shape : shapes) {
        for (const Index rows : testing::device_rows) {
            const Scene scene(rows, shape);
            expect_same(device, scene, false, {something, something, Write::replace});
            expect_same(device, scene, true, {something, something, Write::add});
        }
    }
}

TEST(GpuAttention, GradientsThatNobodyWantsAreLeftOut) {
    HWGCN_USE_DEVICE(device);
    const Scene scene(20, {3, 6});
    expect_same(device, scene, true, {nothing, something, Write::replace});
    expect_same(device, scene, true, {something, nothing, Write::replace});
    expect_same(device, scene, true, {nothing, nothing, Write::replace});
}

TEST(GpuAttention, OfAMatrixThatStaysOnTheDeviceIsTheSame) {
    HWGCN_USE_DEVICE(device);
    const Scene scene(20, {8, 5});
    gpu::KeptLists lists(device);
    lists.add(scene.matrix());
    expect_same(device, scene, true, {something, something, Write::add});
}

TEST(GpuAttention, SurvivesScoresThatExpCannotHold) {
    HWGCN_USE_DEVICE(device);
    const CsrMatrix<float> matrix = csr_from_triplets(1, 3, {{0, 0, 1.0F}, {0, 1, 1.0F}, {0, 2, 1.0F}});
    const CsrMatrix<float> transposed = transposed_of(matrix);
    const std::vector<Index> position{0};
    expect_agreement(device, 1e-6, "large scores", [&](gpu::Device* place) -> Results {
        DenseMatrix host_scores(3, 16);
        for (Index lane = 0; lane < 8; ++lane) {
            host_scores.at(1, 8 + lane) = 1000.0F;
            host_scores.at(2, 8 + lane) = 1001.0F;
        }
        const DenseMatrix scores = copy_on(place, host_scores);
        const DenseMatrix values = copy_on(place, random_numbers(3, 4, 1));
        DenseMatrix coefficients = matrix_on(place, 3, 8), out = matrix_on(place, 1, 4);
        attend({&matrix, &transposed, position, 1, scores, values, {}, coefficients, coefficients}, out, {1});
        return {out, coefficients};
    });
}

}  // namespace
}  // namespace hwgcn::gpu_attention_test
