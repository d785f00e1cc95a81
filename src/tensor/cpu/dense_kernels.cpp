#include "tensor/cpu/dense_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

// Compiled once per instruction set; see kernels.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/cpu/dense_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hwgcn::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Floats>;
constexpr std::size_t lanes = hn::MaxLanes(Floats());

// A tile has as many sums as registers can hold: 12 x 2 of 32, 6 x 2 of 16. Without fused multiply-adds there
// are few, as computing one needs registers, too.
constexpr Index tile_rows = lanes == 16 ? 12 : lanes == 8 ? 6 : 2;
constexpr std::size_t panel = lanes == 16 ? 32 : 16;  // columns; rows of matrices are multiples of 16

// Steps of the inner index at a time: a panel of them takes half of the first-level cache.
constexpr Index depth = lanes == 16 ? 128 : 256;
constexpr Index transposed_depth = 128;
constexpr Index block_rows = 96;  // of A at a time: a block of them stays in the second-level cache

#if !HWY_NATIVE_FMA
// a b + c for floats, in double precision and rounded to odd: the exact sum, or of its two neighbors the one
// whose last bit is 1. The product is exact, and TwoSum (Knuth) gives the error of the sum. Rounding to odd
// and then to single precision is the same as rounding once, as 53 >= 2 * 24 + 2 (Boldo and Melquiond 2008).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V sum_rounded_to_odd(D d, V a, V b, V c) {
    const hn::RebindToSigned<D> di;
    const auto product = hn::Mul(a, b);
    const auto sum = hn::Add(product, c);
    const auto rest = hn::Sub(sum, product);
    const auto error = hn::Add(hn::Sub(product, hn::Sub(sum, rest)), hn::Sub(c, rest));
    // An even sum that is not exact goes one step away from zero where the error has its sign, else towards
    // it. The error of an infinite sum is NaN, and all comparisons with it are false.
    const auto zero = hn::Zero(d);
    const auto inexact =
        hn::BitCast(di, hn::VecFromMask(d, hn::Or(hn::Gt(error, zero), hn::Lt(error, zero))));
    const auto bits = hn::BitCast(di, sum);
    const auto one = hn::Set(di, 1);
    const auto step = hn::Or(hn::ShiftRight<63>(hn::Xor(bits, hn::BitCast(di, error))), one);
    const auto even = hn::Sub(hn::And(bits, one), one);
    return hn::BitCast(d, hn::Add(bits, hn::And(hn::And(step, inexact), even)));
}
#endif

// a b + c, rounded once.
HWY_INLINE Vector fused(Vector a, Vector b, Vector c) {
#if HWY_NATIVE_FMA
    return hn::MulAdd(a, b, c);
#elif HWY_TARGET == HWY_SCALAR
    const hn::Rebind<double, Floats> d;
    const auto sum = sum_rounded_to_odd(d, hn::PromoteTo(d, a), hn::PromoteTo(d, b), hn::PromoteTo(d, c));
    return hn::Set(Floats(), static_cast<float>(hn::GetLane(sum)));  // DemoteTo would make infinity finite
#else
    const hn::Half<Floats> half;
    const hn::Rebind<double, decltype(half)> d;
    const auto low = sum_rounded_to_odd(d, hn::PromoteTo(d, hn::LowerHalf(half, a)),
                                        hn::PromoteTo(d, hn::LowerHalf(half, b)),
                                        hn::PromoteTo(d, hn::LowerHalf(half, c)));
    const auto high = sum_rounded_to_odd(d, hn::PromoteTo(d, hn::UpperHalf(half, a)),
                                         hn::PromoteTo(d, hn::UpperHalf(half, b)),
                                         hn::PromoteTo(d, hn::UpperHalf(half, c)));
    return hn::Combine(Floats(), hn::DemoteTo(half, high), hn::DemoteTo(half, low));
#endif
}

// One operand as a tile reads it: number r of step k is at data[r * row + k * step].
struct Factors {
    const float* data;
    std::size_t row;
    std::size_t step;
};

// `Rows` x `Width` numbers of a result.
template <Index Rows, std::size_t Width>
struct RegisterTile {
    static constexpr std::size_t vectors = Width / lanes;

    Vector sum[Rows][vectors];

    HWY_INLINE void clear() {
        for (Index r = 0; r < Rows; ++r) {
            for (std::size_t v = 0; v < vectors; ++v)
                sum[r][v] = hn::Zero(Floats());
        }
    }
    HWY_INLINE void load(const float* from, std::size_t stride) {
        for (Index r = 0; r < Rows; ++r) {
            for (std::size_t v = 0; v < vectors; ++v)
                sum[r][v] = hn::LoadU(Floats(), from + static_cast<std::size_t>(r) * stride + v * lanes);
        }
    }
    HWY_INLINE void store(float* to, std::size_t stride) const {
        for (Index r = 0; r < Rows; ++r) {
            for (std::size_t v = 0; v < vectors; ++v)
                hn::StoreU(sum[r][v], Floats(), to + static_cast<std::size_t>(r) * stride + v * lanes);
        }
    }
    // += the factors of steps 0 .. count - 1 times the rows of a panel.
    HWY_INLINE void add(const Factors& factors, const float* HWY_RESTRICT from, Index count) {
        const float* HWY_RESTRICT factor = factors.data;
        for (Index k = 0; k < count; ++k) {
            Vector row[vectors];
            for (std::size_t v = 0; v < vectors; ++v)
                row[v] = hn::LoadU(Floats(), from + v * lanes);
            for (Index r = 0; r < Rows; ++r) {
                const auto f = hn::Set(Floats(), factor[static_cast<std::size_t>(r) * factors.row]);
                for (std::size_t v = 0; v < vectors; ++v)
                    sum[r][v] = fused(f, row[v], sum[r][v]);
            }
            from += Width;
            factor += factors.step;
        }
    }
};

template <Index Rows, std::size_t Width>
HWY_NOINLINE void add_tile(const Factors& factors, const float* from, Index count, float* out,
                           std::size_t stride, Write write) {
    RegisterTile<Rows, Width> tile;
    if (write == Write::add) {
        tile.load(out, stride);
    } else {
        tile.clear();
    }
    tile.add(factors, from, count);
    tile.store(out, stride);
}

// Calls use(constant number of rows, first row) for tiles that cover the rows.
template <typename Use>
HWY_INLINE void for_each_tile(Index begin, Index end, const Use& use) {
    Index i = begin;
    for (; i + tile_rows <= end; i += tile_rows)
        use(std::integral_constant<Index, tile_rows>(), i);
    for (; i + 4 <= end && tile_rows > 4; i += 4)
        use(std::integral_constant<Index, 4>(), i);
    for (; i + 2 <= end && tile_rows > 2; i += 2)
        use(std::integral_constant<Index, 2>(), i);
    for (; i < end; ++i)
        use(std::integral_constant<Index, 1>(), i);
}

// Calls use(constant width, first column) for panels that cover a row of `stride` floats.
template <typename Use>
HWY_INLINE void for_each_panel(std::size_t stride, const Use& use) {
    std::size_t column = 0;
    for (; column + panel <= stride; column += panel)
        use(std::integral_constant<std::size_t, panel>(), column);
    for (; column < stride; column += 16)
        use(std::integral_constant<std::size_t, 16>(), column);
}

// Block after block of `depth` rows; in each of them panel after panel, row after row.
void Pack(ConstMatrixView b, float* HWY_RESTRICT packed) {
    for (Index first = 0; first < b.rows; first += depth) {
        const Index end = std::min<Index>(b.rows, first + depth);
        for_each_panel(b.stride(), [&](auto width, std::size_t column) HWY_ATTR {
            for (Index k = first; k < end; ++k, packed += width)
                std::copy_n(b.row(k) + column, std::size_t{width}, packed);
        });
    }
}

void PackedProduct(ConstMatrixView a, const float* HWY_RESTRICT packed, MatrixView out, RowRange rows,
                   Write write) {
    const std::size_t stride = out.stride();
    for (Index begin = rows.begin; begin < rows.end; begin += block_rows) {
        const Index end = std::min<Index>(rows.end, begin + block_rows);
        for (Index first = 0; first < a.columns; first += depth) {
            const Index count = std::min<Index>(depth, a.columns - first);
            const float* block = packed + static_cast<std::size_t>(first) * stride;
            const Write way = first == 0 ? write : Write::add;
            for_each_panel(stride, [&](auto width, std::size_t column) HWY_ATTR {
                for_each_tile(begin, end, [&](auto tile, Index i) HWY_ATTR {
                    add_tile<tile, width>({a.row(i) + first, a.stride(), 1},
                                          block + column * static_cast<std::size_t>(count), count,
                                          out.row(i) + column, stride, way);
                });
            });
        }
    }
}

// Some rows of A, in the order in which the tiles of A' G read them: tile after tile, row after row.
HWY_INLINE void pack_transposed(ConstMatrixView a, RowRange rows, float* HWY_RESTRICT packed) {
    const auto count = static_cast<std::size_t>(rows.end - rows.begin);
    for (std::size_t i = 0; i < count; ++i) {
        const float* row = a.row(rows.begin + static_cast<Index>(i));
        for_each_tile(0, a.columns, [&](auto tile, Index k) HWY_ATTR {
            std::copy_n(row + k, Index{tile},
                        packed + static_cast<std::size_t>(k) * count + i * std::size_t{tile});
        });
    }
}

void AddTransposedWideProduct(ConstMatrixView a, ConstMatrixView g, MatrixView out, RowRange rows) {
    const std::size_t stride = g.stride();
    DenseMatrix packed(transposed_depth, a.columns);
    DenseMatrix part(transposed_depth, static_cast<Index>(panel));
    for (Index begin = rows.begin; begin < rows.end; begin += transposed_depth) {
        const Index end = std::min<Index>(rows.end, begin + transposed_depth);
        const Index count = end - begin;
        pack_transposed(a, {begin, end}, packed.row(0));
        for_each_panel(stride, [&](auto width, std::size_t column) HWY_ATTR {
            for (Index i = 0; i < count; ++i)
                std::copy_n(g.row(begin + i) + column, std::size_t{width}, part.row(0) + i * width);
            for_each_tile(0, a.columns, [&](auto tile, Index k) HWY_ATTR {
                const float* factors =
                    packed.row(0) + static_cast<std::size_t>(k) * static_cast<std::size_t>(count);
                add_tile<tile, width>({factors, 1, std::size_t{tile}}, part.row(0), count,
                                      out.row(k) + column, stride, Write::add);
            });
        });
    }
}

}  // namespace hwgcn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hwgcn::cpu {

HWY_EXPORT(Pack);
HWY_EXPORT(PackedProduct);
HWY_EXPORT(AddTransposedWideProduct);

void pack(ConstMatrixView b, float* packed) {
    HWY_DYNAMIC_DISPATCH(Pack)(b, packed);
}

void packed_product(ConstMatrixView a, const float* packed, MatrixView out, RowRange rows, Write write) {
    HWY_DYNAMIC_DISPATCH(PackedProduct)(a, packed, out, rows, write);
}

void add_transposed_wide_product(ConstMatrixView a, ConstMatrixView g, MatrixView out, RowRange rows) {
    HWY_DYNAMIC_DISPATCH(AddTransposedWideProduct)(a, g, out, rows);
}

}  // namespace hwgcn::cpu
#endif  // HWY_ONCE
