#include "tensor/cpu/narrow_kernels.hpp"

#include <algorithm>
#include <bit>
#include <vector>

// Compiled once per instruction set; see kernels.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/cpu/narrow_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hwgcn::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// `Width` columns of one row, in registers.
template <std::size_t Width>
struct Tile {
    using Tag = hn::CappedTag<float, (Width < 16 ? Width : 16)>;
    static constexpr std::size_t lanes = hn::MaxLanes(Tag());
    static constexpr std::size_t vectors = Width / lanes;

    hn::Vec<Tag> part[vectors];

    static HWY_INLINE Tile zero() {
        Tile tile;
        for (std::size_t v = 0; v < vectors; ++v)
            tile.part[v] = hn::Zero(Tag());
        return tile;
    }
    static HWY_INLINE Tile load(const float* from) {
        Tile tile;
        for (std::size_t v = 0; v < vectors; ++v)
            tile.part[v] = hn::LoadU(Tag(), from + v * lanes);
        return tile;
    }
    HWY_INLINE void store(float* to) const {
        for (std::size_t v = 0; v < vectors; ++v)
            hn::StoreU(part[v], Tag(), to + v * lanes);
    }
    // += factor * row
    HWY_INLINE void add_scaled(float factor, const float* row) {
        const auto f = hn::Set(Tag(), factor);
        for (std::size_t v = 0; v < vectors; ++v)
            part[v] = hn::Add(part[v], hn::Mul(f, hn::LoadU(Tag(), row + v * lanes)));
    }
    HWY_INLINE void add_scaled(float factor, const Tile& other) {
        const auto f = hn::Set(Tag(), factor);
        for (std::size_t v = 0; v < vectors; ++v)
            part[v] = hn::Add(part[v], hn::Mul(f, other.part[v]));
    }
    HWY_INLINE void add(const Tile& other) {
        for (std::size_t v = 0; v < vectors; ++v)
            part[v] = hn::Add(part[v], other.part[v]);
    }
    HWY_INLINE void scale(float factor) {
        const auto f = hn::Set(Tag(), factor);
        for (std::size_t v = 0; v < vectors; ++v)
            part[v] = hn::Mul(part[v], f);
    }
};

// How many tiles are summed at once: twelve vectors, which leaves four of 16 registers for what is added.
template <std::size_t Width>
constexpr Index sums_in_registers() {
    return Tile<Width>::vectors >= 12 ? 1 : static_cast<Index>(12 / Tile<Width>::vectors);
}

// Calls work.run<Width>(first column) for tiles that cover a row of `stride` floats, 64 or 32 of them at
// most.
template <std::size_t Widest = 64, typename Work>
HWY_INLINE void for_each_tile(std::size_t stride, const Work& work) {
    if (stride == 8) return work.template run<8>(0);
    std::size_t column = 0;
    for (; column + Widest <= stride; column += Widest)
        work.template run<Widest>(column);
    switch (stride - column) {
        case 48:
            if constexpr (Widest > 48) work.template run<48>(column);
            return;
        case 32:
            if constexpr (Widest > 32) work.template run<32>(column);
            return;
        case 16:
            return work.template run<16>(column);
        default:
            return;
    }
}

struct SparseProductWork {
    const CsrMatrix<float>& m;
    ConstMatrixView b;
    MatrixView out;
    RowRange rows;
    Write write;

    // Entries go to two sums in turn: an addition need not wait for the one before it.
    template <std::size_t Width>
    HWY_INLINE void run(std::size_t column) const {
        const Index* columns = m.indices.data();
        const float* values = m.values.data();
        const float* source = b.data + column;
        const std::size_t stride = b.stride();
        for (Index i = rows.begin; i < rows.end; ++i) {
            float* target = out.row(i) + column;
            Tile<Width> even = write == Write::add ? Tile<Width>::load(target) : Tile<Width>::zero();
            Tile<Width> odd = Tile<Width>::zero();
            std::size_t e = static_cast<std::size_t>(m.offsets[i]);
            const std::size_t end = static_cast<std::size_t>(m.offsets[i + 1]);
            for (; e + 2 <= end; e += 2) {
                even.add_scaled(values[e], source + static_cast<std::size_t>(columns[e]) * stride);
                odd.add_scaled(values[e + 1], source + static_cast<std::size_t>(columns[e + 1]) * stride);
            }
            if (e < end) even.add_scaled(values[e], source + static_cast<std::size_t>(columns[e]) * stride);
            even.add(odd);
            even.store(target);
        }
    }
};

// Both sums of a tile must fit into registers: 8 vectors where there are 16, or 32 of twice the size.
void SparseProduct(const CsrMatrix<float>& m, ConstMatrixView b, MatrixView out, RowRange rows, Write write) {
    constexpr std::size_t widest = Tile<64>::lanes == 16 ? 64 : 32;
    for_each_tile<widest>(b.stride(), SparseProductWork{m, b, out, rows, write});
}

// Up to 64 bits from position `from` on.
HWY_INLINE std::uint64_t bits_at(const std::uint64_t* bits, std::uint64_t from, std::uint64_t count) {
    const std::uint64_t shift = from % 64;
    const std::uint64_t* word = bits + from / 64;
    const std::uint64_t all = shift == 0 ? word[0] : word[0] >> shift | word[1] << (64 - shift);
    return count >= 64 ? all : all & ((std::uint64_t{1} << count) - 1);
}

// Calls use(e) for the entries e of row i that are kept.
template <typename Use>
HWY_INLINE void for_each_kept(const CsrMatrix<float>& m, const KeptEntries& kept, Index i, const Use& use) {
    const auto begin = static_cast<std::size_t>(m.offsets[i]);
    const auto count = static_cast<std::size_t>(m.offsets[i + 1]) - begin;
    for (std::size_t done = 0; done < count; done += 64) {
        const auto from = static_cast<std::uint64_t>(kept.origin[i]) + done;
        std::uint64_t word = bits_at(kept.bits.data(), from, count - done);
        while (word != 0) {
            use(begin + done + static_cast<std::size_t>(std::countr_zero(word)));
            word &= word - 1;
        }
    }
}

HWY_INLINE bool is_wanted(const KeptEntries& kept, Index i) {
    if (kept.rows.empty()) return true;
    const auto bit = static_cast<std::uint64_t>(kept.nodes[i]);
    return (kept.rows[bit / 64] >> bit % 64 & 1) != 0;
}

struct KeptSparseProductWork {
    const CsrMatrix<float>& m;
    const KeptEntries& kept;
    ConstMatrixView b;
    MatrixView out;
    RowRange rows;
    Write write;

    template <std::size_t Width>
    HWY_INLINE void run(std::size_t column) const {
        const float* source = b.data + column;
        const std::size_t stride = b.stride();
        for (Index i = rows.begin; i < rows.end; ++i) {
            Tile<Width> sum = Tile<Width>::zero();
            if (is_wanted(kept, i)) {
                for_each_kept(m, kept, i, [&](std::size_t e) HWY_ATTR {
                    sum.add_scaled(m.values[e], source + static_cast<std::size_t>(m.indices[e]) * stride);
                });
            }
            sum.scale(kept.scale);
            float* target = out.row(i) + column;
            if (write == Write::add) sum.add(Tile<Width>::load(target));
            sum.store(target);
        }
    }
};

void KeptSparseProduct(const CsrMatrix<float>& m, const KeptEntries& kept, ConstMatrixView b, MatrixView out,
                       RowRange rows, Write write) {
    for_each_tile(b.stride(), KeptSparseProductWork{m, kept, b, out, rows, write});
}

// out.row(column of e) += value of e * tile
template <std::size_t Width>
HWY_INLINE void scatter(const CsrMatrix<float>& m, std::size_t e, const Tile<Width>& tile, float* out,
                        std::size_t stride) {
    float* target = out + static_cast<std::size_t>(m.indices[e]) * stride;
    Tile<Width> sum = Tile<Width>::load(target);
    sum.add_scaled(m.values[e], tile);
    sum.store(target);
}

struct TransposedProductWork {
    const CsrMatrix<float>& m;
    const KeptEntries* kept;  // null: all
    ConstMatrixView g;
    MatrixView out;
    RowRange rows;

    template <std::size_t Width>
    HWY_INLINE void run(std::size_t column) const {
        const std::size_t stride = g.stride();
        for (Index i = rows.begin; i < rows.end; ++i) {
            if (kept != nullptr && !is_wanted(*kept, i)) continue;
            Tile<Width> row = Tile<Width>::load(g.row(i) + column);
            if (kept != nullptr) {
                row.scale(kept->scale);
                for_each_kept(m, *kept, i, [&](std::size_t e) HWY_ATTR {
                    scatter<Width>(m, e, row, out.data + column, stride);
                });
            } else {
                const auto end = static_cast<std::size_t>(m.offsets[i + 1]);
                for (auto e = static_cast<std::size_t>(m.offsets[i]); e < end; ++e)
                    scatter<Width>(m, e, row, out.data + column, stride);
            }
        }
    }
};

void AddTransposedSparseProduct(const CsrMatrix<float>& m, const KeptEntries* kept, ConstMatrixView g,
                                MatrixView out, RowRange rows) {
    for_each_tile(g.stride(), TransposedProductWork{m, kept, g, out, rows});
}

struct DenseProductWork {
    ConstMatrixView a;
    ConstMatrixView b;
    MatrixView out;
    RowRange rows;
    Write write;

    // Four rows at once: each row of B is loaded once for them, and four independent sums are under way.
    template <std::size_t Width, Index Rows>
    HWY_INLINE void block(Index i, std::size_t column) const {
        Tile<Width> sum[Rows];
        for (Index r = 0; r < Rows; ++r)
            sum[r] = write == Write::add ? Tile<Width>::load(out.row(i + r) + column) : Tile<Width>::zero();
        for (Index k = 0; k < a.columns; ++k) {
            const Tile<Width> row = Tile<Width>::load(b.row(k) + column);
            for (Index r = 0; r < Rows; ++r)
                sum[r].add_scaled(a.row(i + r)[k], row);
        }
        for (Index r = 0; r < Rows; ++r)
            sum[r].store(out.row(i + r) + column);
    }

    template <std::size_t Width>
    HWY_INLINE void run(std::size_t column) const {
        constexpr Index tile_rows = sums_in_registers<Width>();
        Index i = rows.begin;
        for (; i + tile_rows <= rows.end; i += tile_rows)
            block<Width, tile_rows>(i, column);
        for (; i < rows.end; ++i)
            block<Width, 1>(i, column);
    }
};

void DenseProduct(ConstMatrixView a, ConstMatrixView b, MatrixView out, RowRange rows, Write write) {
    for_each_tile(b.stride(), DenseProductWork{a, b, out, rows, write});
}

struct TransposedDenseProductWork {
    ConstMatrixView a;
    ConstMatrixView g;
    MatrixView out;
    RowRange columns;  // of A
    Index pieces;

    // Where the sums of a piece are between two blocks of its rows: row k of the result at k * stride.
    struct Sums {
        float* first;
        std::size_t stride;
        float* row(Index k) const { return first + static_cast<std::size_t>(k) * stride; }
    };

    // A few rows of the result stay in registers while some rows of A and G pass by.
    template <std::size_t Width, Index Count>
    HWY_INLINE void pass_by(Index k, std::size_t column, RowRange rows, const Sums& sums) const {
        Tile<Width> sum[Count];
        for (Index r = 0; r < Count; ++r)
            sum[r] = Tile<Width>::load(sums.row(k + r));
        for (Index i = rows.begin; i < rows.end; ++i) {
            const Tile<Width> row = Tile<Width>::load(g.row(i) + column);
            const float* factors = a.row(i) + k;
            for (Index r = 0; r < Count; ++r)
                sum[r].add_scaled(factors[r], row);
        }
        for (Index r = 0; r < Count; ++r)
            sum[r].store(sums.row(k + r));
    }

    // So few rows at a time that they stay in the cache for all columns of A.
    template <std::size_t Width>
    HWY_INLINE void add_piece(std::size_t column, RowRange piece, const Sums& sums) const {
        constexpr Index block = 64;
        constexpr Index tile_count = sums_in_registers<Width>();
        for (Index begin = piece.begin; begin < piece.end; begin += block) {
            const RowRange rows{begin, begin + block < piece.end ? begin + block : piece.end};
            Index k = columns.begin;
            for (; k + tile_count <= columns.end; k += tile_count)
                pass_by<Width, tile_count>(k, column, rows, sums);
            for (; k < columns.end; ++k)
                pass_by<Width, 1>(k, column, rows, sums);
        }
    }

    template <std::size_t Width>
    HWY_INLINE void run(std::size_t column) const {
        if (pieces == 1) return add_piece<Width>(column, {0, a.rows}, {out.data + column, out.stride()});
        const auto count = static_cast<std::size_t>(columns.end - columns.begin);
        std::vector<float> numbers(count * Width);
        const Sums sums{numbers.data() - static_cast<std::size_t>(columns.begin) * Width, Width};
        for (Index piece = 0; piece < pieces; ++piece) {
            std::ranges::fill(numbers, 0.0F);
            add_piece<Width>(column, piece_of(a.rows, piece, pieces), sums);
            for (Index k = columns.begin; k < columns.end; ++k) {
                Tile<Width> whole = Tile<Width>::load(out.row(k) + column);
                whole.add(Tile<Width>::load(sums.row(k)));
                whole.store(out.row(k) + column);
            }
        }
    }
};

void AddTransposedDenseProduct(ConstMatrixView a, ConstMatrixView g, MatrixView out, RowRange columns,
                               Index pieces) {
    for_each_tile(g.stride(), TransposedDenseProductWork{a, g, out, columns, pieces});
}

}  // namespace hwgcn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hwgcn::cpu {

HWY_EXPORT(SparseProduct);
HWY_EXPORT(KeptSparseProduct);
HWY_EXPORT(AddTransposedSparseProduct);
HWY_EXPORT(DenseProduct);
HWY_EXPORT(AddTransposedDenseProduct);

void sparse_product(const CsrMatrix<float>& m, ConstMatrixView b, MatrixView out, RowRange rows,
                    Write write) {
    HWY_DYNAMIC_DISPATCH(SparseProduct)(m, b, out, rows, write);
}

void kept_sparse_product(const CsrMatrix<float>& m, const KeptEntries& kept, ConstMatrixView b,
                         MatrixView out, RowRange rows, Write write) {
    HWY_DYNAMIC_DISPATCH(KeptSparseProduct)(m, kept, b, out, rows, write);
}

void add_transposed_sparse_product(const CsrMatrix<float>& m, ConstMatrixView g, MatrixView out,
                                   RowRange rows) {
    HWY_DYNAMIC_DISPATCH(AddTransposedSparseProduct)(m, nullptr, g, out, rows);
}

void add_transposed_kept_sparse_product(const CsrMatrix<float>& m, const KeptEntries& kept, ConstMatrixView g,
                                        MatrixView out, RowRange rows) {
    HWY_DYNAMIC_DISPATCH(AddTransposedSparseProduct)(m, &kept, g, out, rows);
}

void dense_product(ConstMatrixView a, ConstMatrixView b, MatrixView out, RowRange rows, Write write) {
    HWY_DYNAMIC_DISPATCH(DenseProduct)(a, b, out, rows, write);
}

void add_transposed_dense_product(ConstMatrixView a, ConstMatrixView g, MatrixView out, RowRange columns,
                                  Index pieces) {
    HWY_DYNAMIC_DISPATCH(AddTransposedDenseProduct)(a, g, out, columns, pieces);
}

}  // namespace hwgcn::cpu
#endif  // HWY_ONCE
