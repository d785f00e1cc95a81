#include "linalg/dropout.hpp"

#include <algorithm>
#include <cmath>

#include "hwgcn/support/error.hpp"

#include "linalg/cpu/dropout_kernels.hpp"
#include "linalg/cpu/elementwise_kernels.hpp"

namespace hwgcn {
namespace {

// Words that are drawn at a time, and what one costs, in multiplications.
constexpr std::size_t draw_block = 64;
constexpr std::int64_t draw_work = 400;

bool is_set(std::span<const std::uint64_t> bits, std::int64_t bit) {
    return (bits[static_cast<std::size_t>(bit) / 64] >> bit % 64 & 1) != 0;
}

}  // namespace

DropMask draw_mask(Workspace& workspace, std::size_t count, double rate, const MaskStream& mask,
                   const ExecutionControl& control) {
    if (count >= std::size_t{1} << 35)  // the counters of its words would repeat
        throw ExecutionError("a matrix is too large for dropout: it has 2^35 numbers or more");
    const std::span<std::uint64_t> bits = workspace.words(count / 64 + 2);
    constexpr double all = 0x1.0p16;
    const auto keep = static_cast<std::uint32_t>(std::llround((1.0 - rate) * all));
    if (keep == static_cast<std::uint32_t>(all)) {  // a rate too small for the digits
        std::fill(bits.begin(), bits.end(), ~std::uint64_t{0});
        return {bits, 1.0F};
    }
    const auto blocks = static_cast<Index>((bits.size() + draw_block - 1) / draw_block);
    for_row_ranges(blocks, draw_work * static_cast<std::int64_t>(bits.size()), control, [&](RowRange range) {
        const std::size_t first = static_cast<std::size_t>(range.begin) * draw_block;
        const std::size_t end = std::min(bits.size(), static_cast<std::size_t>(range.end) * draw_block);
        cpu::draw_words(mask, keep, first, end - first, bits.data() + first);
    });
    return {bits, static_cast<float>(all / keep)};
}

void apply_dropout(ConstMatrixView x, std::span<const Index> nodes, const DropMask& mask, MatrixView out,
                   Write write, const ExecutionControl& control) {
    const std::size_t stride = x.stride();
    const auto apply = [&](Index i) {
        if (mask.whole_rows) {
            const float factor = is_set(mask.bits, nodes[i]) ? mask.scale : 0.0F;
            cpu::scale_numbers(factor, x.row(i), out.row(i), stride, write);
        } else {
            const std::size_t first_bit = static_cast<std::size_t>(nodes[i]) * stride;
            cpu::keep_numbers(x.row(i), mask.bits.data(), first_bit, mask.scale, out.row(i), stride, write);
        }
    };
    for_row_ranges(x.rows, memory_work * static_cast<std::int64_t>(x.size()), control, [&](RowRange rows) {
        for (Index i = rows.begin; i < rows.end; ++i)
            apply(i);
    });
}

void inverse_lengths(const CsrMatrix<float>& m, const KeptEntries* kept, MatrixView out) {
    const double scale = kept != nullptr ? static_cast<double>(kept->scale) : 1.0;
    for (Index i = 0; i < m.rows; ++i) {
        double squares = 0;
        std::int64_t entry = kept != nullptr ? kept->origin[i] : 0;
        for (const float value : m.row(i).values) {
            if (kept == nullptr || is_set(kept->bits, entry++))
                squares += static_cast<double>(value) * static_cast<double>(value);
        }
        out.at(0, i) = squares > 0 ? static_cast<float>(1.0 / (scale * std::sqrt(squares))) : 1.0F;
    }
}

}  // namespace hwgcn
