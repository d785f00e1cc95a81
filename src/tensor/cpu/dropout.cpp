#include "tensor/dropout.hpp"

#include <algorithm>
#include <cmath>

#include "tensor/cpu/dropout_kernels.hpp"
#include "tensor/cpu/elementwise_kernels.hpp"

namespace hwgcn::cpu {
namespace {

// Words that are drawn at a time, and what one costs, in multiplications.
constexpr std::size_t draw_block = 64;
constexpr std::int64_t draw_work = 400;

bool is_set(std::span<const std::uint64_t> bits, std::int64_t bit) {
    return (bits[static_cast<std::size_t>(bit) / 64] >> bit % 64 & 1) != 0;
}

// Where the bits of successive rows begin.
class FirstBits {
  public:
    FirstBits(const DropMask& mask, std::size_t per_node) : mask_(mask), per_node_(per_node) {}

    // Nodes that ascend where there are blocks.
    std::size_t of(Index node) {
        if (mask_.layout == nullptr) return static_cast<std::size_t>(node) * per_node_;
        const std::vector<Index>& bounds = mask_.layout->blocks.bounds;
        if (block_ < 0)
            block_ = static_cast<Index>(std::ranges::upper_bound(bounds, node) - bounds.begin()) - 1;
        while (node >= bounds[block_ + std::size_t{1}])
            ++block_;
        const std::uint64_t first_word = mask_.first_words[block_ - mask_.layout->first_block];
        return 64 * first_word + static_cast<std::size_t>(node - bounds[block_]) * per_node_;
    }

  private:
    const DropMask& mask_;
    std::size_t per_node_;
    Index block_ = -1;
};

}  // namespace

void draw_bits(std::span<std::uint64_t> bits, std::uint32_t keep, const MaskStream& mask,
               const ExecutionControl& control) {
    if (keep == keep_all) return static_cast<void>(std::ranges::fill(bits, ~std::uint64_t{0}));
    const auto blocks = static_cast<Index>((bits.size() + draw_block - 1) / draw_block);
    for_row_ranges(blocks, draw_work * static_cast<std::int64_t>(bits.size()), control, [&](RowRange range) {
        const std::size_t first = static_cast<std::size_t>(range.begin) * draw_block;
        const std::size_t end = std::min(bits.size(), static_cast<std::size_t>(range.end) * draw_block);
        cpu::draw_words(mask, keep, first, end - first, bits.data() + first);
    });
}

void apply_dropout(ConstMatrixView x, std::span<const Index> nodes, const DropMask& mask, MatrixView out,
                   Write write, const ExecutionControl& control) {
    const std::size_t stride = x.stride();
    const auto apply = [&](Index i, std::size_t first_bit) {
        if (mask.whole_rows) {
            const float factor = is_set(mask.bits, static_cast<std::int64_t>(first_bit)) ? mask.scale : 0.0F;
            cpu::scale_numbers(factor, x.row(i), out.row(i), stride, write);
        } else {
            cpu::keep_numbers(x.row(i), mask.bits.data(), first_bit, mask.scale, out.row(i), stride, write);
        }
    };
    for_row_ranges(x.rows, memory_work * static_cast<std::int64_t>(x.size()), control, [&](RowRange rows) {
        FirstBits bits(mask, mask.whole_rows ? 1 : stride);
        for (Index i = rows.begin; i < rows.end; ++i)
            apply(i, bits.of(nodes[i]));
    });
}

void apply_hidden(ConstMatrixView x, ConstMatrixView row, std::span<const Index> nodes,
                  const HiddenMasks& masks, MatrixView out, const ExecutionControl& control) {
    const std::size_t stride = x.stride();
    const bool drops = masks.units.has_value();
    for_row_ranges(x.rows, memory_work * static_cast<std::int64_t>(x.size()), control, [&](RowRange rows) {
        std::optional<FirstBits> node_bits, unit_bits;
        if (masks.nodes) node_bits.emplace(*masks.nodes, 1);
        if (drops) unit_bits.emplace(*masks.units, stride);
        for (Index i = rows.begin; i < rows.end; ++i) {
            float factor = 1.0F;
            if (node_bits) {
                const auto bit = static_cast<std::int64_t>(node_bits->of(nodes[i]));
                factor = is_set(masks.nodes->bits, bit) ? masks.nodes->scale : 0.0F;
            }
            const std::uint64_t* bits = drops ? masks.units->bits.data() : nullptr;
            cpu::hidden_row({factor, row.row(0), bits, drops ? unit_bits->of(nodes[i]) : 0,
                             drops ? masks.units->scale : 1.0F},
                            x.row(i), out.row(i), stride);
        }
    });
}

void hidden_gradient(ConstMatrixView outputs, const HiddenMasks& masks, ConstMatrixView gradient,
                     MatrixView out, const ExecutionControl& control) {
    const float scale = masks.units ? masks.units->scale : 1.0F;
    const std::int64_t work = memory_work * static_cast<std::int64_t>(out.size());
    for_row_ranges(out.rows, work, control, [&](RowRange rows) {
        const std::size_t count = static_cast<std::size_t>(rows.end - rows.begin) * out.stride();
        cpu::scale_where_positive(scale, outputs.row(rows.begin), gradient.row(rows.begin),
                                  out.row(rows.begin), count);
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

}  // namespace hwgcn::cpu
