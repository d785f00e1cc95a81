#include "tensor/cpu/attention_kernels.hpp"

#include <limits>

#include "tensor/cpu/elementwise_kernels.hpp"

// Compiled once per instruction set; see kernels.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/cpu/attention_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hwgcn::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 8>;  // lanes and rows are multiples of 8
using FloatVector = hn::Vec<Floats>;
constexpr std::size_t lane_count = hn::MaxLanes(Floats());

struct EntryRange {
    Index begin;
    Index end;
};

// Rows of matrices with one row per entry are counted by Index.
HWY_INLINE EntryRange entries_of(const CsrMatrix<float>& m, Index i) {
    return {static_cast<Index>(m.offsets[i]), static_cast<Index>(m.offsets[i + 1])};
}

// The scores, less the highest of their row: arguments of exp that are never positive.
void Scores(const CsrMatrix<float>& m, const AttentionScores& scores, MatrixView out, RowRange rows) {
    const Floats d;
    const auto slope = hn::Set(d, leaky_slope);
    for (Index i = rows.begin; i < rows.end; ++i) {
        const auto [begin, end] = entries_of(m, i);
        for (std::size_t lane = 0; lane < scores.lanes(); lane += lane_count) {
            const auto self = hn::LoadU(d, scores.self(i) + lane);
            auto highest = hn::Set(d, -std::numeric_limits<float>::infinity());
            for (Index e = begin; e < end; ++e) {
                const auto x = hn::Add(self, hn::LoadU(d, scores.neighbor(m.indices[e]) + lane));
                const auto leaky = hn::Max(x, hn::Mul(slope, x));
                highest = hn::Max(highest, leaky);
                hn::StoreU(leaky, d, out.row(e) + lane);
            }
            for (Index e = begin; e < end; ++e)
                hn::StoreU(hn::Sub(hn::LoadU(d, out.row(e) + lane), highest), d, out.row(e) + lane);
        }
    }
}

void DivideBySums(const CsrMatrix<float>& m, MatrixView coefficients, RowRange rows) {
    const Floats d;
    const auto lanes = static_cast<std::size_t>(coefficients.columns);
    for (Index i = rows.begin; i < rows.end; ++i) {
        const auto [begin, end] = entries_of(m, i);
        for (std::size_t lane = 0; lane < lanes; lane += lane_count) {
            auto sum = hn::Zero(d);
            for (Index e = begin; e < end; ++e)
                sum = hn::Add(sum, hn::LoadU(d, coefficients.row(e) + lane));
            const auto share = hn::Div(hn::Set(d, 1.0F), sum);
            for (Index e = begin; e < end; ++e) {
                float* coefficient = coefficients.row(e) + lane;
                hn::StoreU(hn::Mul(hn::LoadU(d, coefficient), share), d, coefficient);
            }
        }
    }
}

// The bits of the lanes from `first` on, from those of the heads, which are repeated. At most 8 are used.
HWY_INLINE std::uint32_t lane_bits(const std::uint64_t* bits, std::uint64_t entry_bit, unsigned heads,
                                   unsigned first) {
    const auto bit = [&](std::uint64_t at) { return static_cast<std::uint32_t>(bits[at / 64] >> at % 64); };
    if (heads % 8 == 0) return bit(entry_bit + first % heads);
    if (heads == 1) return 0U - (bit(entry_bit) & 1U);
    std::uint32_t result = 0;
    for (unsigned lane = 0; lane < 8; ++lane)
        result |= (bit(entry_bit + (first + lane) % heads) & 1U) << lane;
    return result;
}

void KeepCoefficients(const CsrMatrix<float>& m, ConstMatrixView coefficients, const KeptEntries& kept,
                      Index heads, MatrixView out, RowRange rows) {
    const Floats d;
    const hn::RebindToSigned<Floats> di;
    const auto scale = hn::Set(d, kept.scale);
    const auto own_bit = hn::Shl(hn::Set(di, 1), hn::Iota(di, 0));
    const auto lanes = static_cast<unsigned>(coefficients.columns);
    const std::uint64_t bits_per_entry = row_stride(heads);
    for (Index i = rows.begin; i < rows.end; ++i) {
        const auto [begin, end] = entries_of(m, i);
        for (Index e = begin; e < end; ++e) {
            const std::uint64_t entry = static_cast<std::uint64_t>(kept.origin[i] + (e - begin));
            for (unsigned lane = 0; lane < lanes; lane += lane_count) {
                const std::uint32_t bits =
                    lane_bits(kept.bits.data(), entry * bits_per_entry, static_cast<unsigned>(heads), lane);
                const auto keep = hn::TestBit(hn::Set(di, static_cast<std::int32_t>(bits)), own_bit);
                const auto scaled = hn::Mul(scale, hn::LoadU(d, coefficients.row(e) + lane));
                hn::StoreU(hn::IfThenElseZero(hn::RebindMask(d, keep), scaled), d, out.row(e) + lane);
            }
        }
    }
}

struct AttentionProductWork {
    const CsrMatrix<float>& m;
    std::span<const std::uint64_t> order;
    ConstMatrixView coefficients;
    ConstMatrixView b;
    MatrixView out;
    RowRange rows;
    Write write;

    // Some vectors of a row of the result stay in registers while the entries pass by.
    template <std::size_t Vectors>
    HWY_INLINE void run(std::size_t column) const {
        const Floats d;
        std::size_t lane[Vectors];
        for (std::size_t v = 0; v < Vectors; ++v)
            lane[v] = (column + v * lane_count) % static_cast<std::size_t>(coefficients.columns);
        for (Index i = rows.begin; i < rows.end; ++i) {
            float* target = out.row(i) + column;
            FloatVector sum[Vectors];
            for (std::size_t v = 0; v < Vectors; ++v)
                sum[v] = write == Write::add ? hn::LoadU(d, target + v * lane_count) : hn::Zero(d);
            const auto [begin, end] = entries_of(m, i);
            for (Index e = begin; e < end; ++e) {
                const float* factor = coefficients.row(order.empty() ? e : static_cast<Index>(order[e]));
                const float* row = b.row(m.indices[e]) + column;
                for (std::size_t v = 0; v < Vectors; ++v) {
                    const auto product =
                        hn::Mul(hn::LoadU(d, factor + lane[v]), hn::LoadU(d, row + v * lane_count));
                    sum[v] = hn::Add(sum[v], product);
                }
            }
            for (std::size_t v = 0; v < Vectors; ++v)
                hn::StoreU(sum[v], d, target + v * lane_count);
        }
    }
};

void AttentionProduct(const CsrMatrix<float>& m, std::span<const std::uint64_t> order,
                      ConstMatrixView coefficients, ConstMatrixView b, MatrixView out, RowRange rows,
                      Write write) {
    const AttentionProductWork work{m, order, coefficients, b, out, rows, write};
    const std::size_t stride = b.stride();
    std::size_t column = 0;
    for (; column + 8 * lane_count <= stride; column += 8 * lane_count)
        work.run<8>(column);
    for (; column + 2 * lane_count <= stride; column += 2 * lane_count)
        work.run<2>(column);
    for (; column < stride; column += lane_count)
        work.run<1>(column);
}

// With da the gradient of a coefficient a, the softmax of the row gives a (da - sum of a da over the row),
// and the leaky rectifier its slope. Copies of a head in several lanes share the columns, and so the
// gradient.
void AttentionGradients(const CsrMatrix<float>& m, const AttentionBackward& backward, MatrixView entries,
                        MatrixView sums, RowRange rows) {
    const Floats d;
    const AttentionScores& scores = backward.scores;
    const auto zero = hn::Zero(d);
    const auto slope = hn::Set(d, leaky_slope);
    const auto scale = hn::Set(d, backward.scale);
    const std::size_t stride = backward.values.stride();
    for (Index i = rows.begin; i < rows.end; ++i) {
        const auto [begin, end] = entries_of(m, i);
        const float* gradient = backward.gradient.row(i);
        for (std::size_t lane = 0; lane < scores.lanes(); lane += lane_count) {
            auto mean = zero;
            for (Index e = begin; e < end; ++e) {
                const float* values = backward.values.row(m.indices[e]);
                auto sum = zero;
                for (std::size_t k = lane; k < stride; k += scores.lanes())
                    sum = hn::Add(sum, hn::Mul(hn::LoadU(d, gradient + k), hn::LoadU(d, values + k)));
                const auto kept = hn::Ne(hn::LoadU(d, backward.kept.row(e) + lane), zero);
                const auto slant = hn::IfThenElseZero(kept, hn::Mul(scale, sum));
                mean = hn::Add(mean, hn::Mul(hn::LoadU(d, backward.coefficients.row(e) + lane), slant));
                hn::StoreU(slant, d, entries.row(e) + lane);
            }
            const auto self = hn::LoadU(d, scores.self(i) + lane);
            auto total = zero;
            for (Index e = begin; e < end; ++e) {
                const auto x = hn::Add(self, hn::LoadU(d, scores.neighbor(m.indices[e]) + lane));
                const auto slant = hn::Mul(hn::LoadU(d, backward.coefficients.row(e) + lane),
                                           hn::Sub(hn::LoadU(d, entries.row(e) + lane), mean));
                const auto result = hn::IfThenElse(hn::Gt(x, zero), slant, hn::Mul(slope, slant));
                total = hn::Add(total, result);
                hn::StoreU(result, d, entries.row(e) + lane);
            }
            float* target = sums.row(scores.position[i]) + lane;
            hn::StoreU(hn::Add(hn::LoadU(d, target), total), d, target);
        }
    }
}

void AddEntries(const CsrMatrix<float>& m, std::span<const std::uint64_t> order, ConstMatrixView entries,
                MatrixView sums, RowRange rows) {
    const Floats d;
    const auto lanes = static_cast<std::size_t>(entries.columns);
    for (Index i = rows.begin; i < rows.end; ++i) {
        const auto [begin, end] = entries_of(m, i);
        for (std::size_t lane = 0; lane < lanes; lane += lane_count) {
            float* target = sums.row(i) + lanes + lane;
            auto sum = hn::LoadU(d, target);
            for (Index e = begin; e < end; ++e)
                sum = hn::Add(sum, hn::LoadU(d, entries.row(static_cast<Index>(order[e])) + lane));
            hn::StoreU(sum, d, target);
        }
    }
}

}  // namespace hwgcn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hwgcn::cpu {

HWY_EXPORT(Scores);
HWY_EXPORT(DivideBySums);
HWY_EXPORT(KeepCoefficients);
HWY_EXPORT(AttentionProduct);
HWY_EXPORT(AttentionGradients);
HWY_EXPORT(AddEntries);

void attention_coefficients(const CsrMatrix<float>& m, const AttentionScores& scores, MatrixView coefficients,
                            RowRange rows) {
    HWY_DYNAMIC_DISPATCH(Scores)(m, scores, coefficients, rows);
    const auto first = static_cast<std::size_t>(m.offsets[rows.begin]) * coefficients.stride();
    const auto last = static_cast<std::size_t>(m.offsets[rows.end]) * coefficients.stride();
    exponentials(coefficients.data + first, coefficients.data + first, last - first);
    HWY_DYNAMIC_DISPATCH(DivideBySums)(m, coefficients, rows);
}

void keep_coefficients(const CsrMatrix<float>& m, ConstMatrixView coefficients, const KeptEntries& kept,
                       Index heads, MatrixView out, RowRange rows) {
    HWY_DYNAMIC_DISPATCH(KeepCoefficients)(m, coefficients, kept, heads, out, rows);
}

void attention_product(const CsrMatrix<float>& m, std::span<const std::uint64_t> order,
                       ConstMatrixView coefficients, ConstMatrixView b, MatrixView out, RowRange rows,
                       Write write) {
    HWY_DYNAMIC_DISPATCH(AttentionProduct)(m, order, coefficients, b, out, rows, write);
}

void attention_gradients(const CsrMatrix<float>& m, const AttentionBackward& backward, MatrixView entries,
                         MatrixView sums, RowRange rows) {
    HWY_DYNAMIC_DISPATCH(AttentionGradients)(m, backward, entries, sums, rows);
}

void add_entries(const CsrMatrix<float>& m, std::span<const std::uint64_t> order, ConstMatrixView entries,
                 MatrixView sums, RowRange rows) {
    HWY_DYNAMIC_DISPATCH(AddEntries)(m, order, entries, sums, rows);
}

}  // namespace hwgcn::cpu
#endif  // HWY_ONCE
