#include "tensor/cpu/kernels.hpp"

#include <cmath>

#include <fmt/format.h>
#include <hwy/cache_control.h>

#include "tensor/cpu/instruction_sets.hpp"

// Highway compiles the part between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once per instruction set, by
// including this file again for each.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/cpu/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hwgcn::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Eight doubles at a time: one, two or four vectors, whichever the instruction set has.
constexpr std::size_t group = 8;
using Doubles = hn::CappedTag<double, group>;
using Floats = hn::Rebind<float, Doubles>;
using Indices = hn::Rebind<std::int32_t, Doubles>;
using WideIndices = hn::Rebind<std::int64_t, Doubles>;

HWY_INLINE double sum_of_group(const double* partial) {
    return ((partial[0] + partial[4]) + (partial[2] + partial[6])) +
           ((partial[1] + partial[5]) + (partial[3] + partial[7]));
}

// Adds up term(d, e) over full vectors and tail(e) over the rest, in the fixed order.
template <typename Term, typename Tail>
HWY_INLINE double sum_in_groups(std::size_t count, const Term& term, const Tail& tail) {
    const Doubles d;
    const std::size_t lanes = hn::Lanes(d);
    HWY_ALIGN double partial[group] = {};
    const std::size_t full = count - count % group;
    for (std::size_t lane = 0; lane < group; lane += lanes) {
        auto sum = hn::Zero(d);
        for (std::size_t e = lane; e < full; e += group)
            sum = hn::Add(sum, term(d, e));
        hn::Store(sum, d, partial + lane);
    }
    for (std::size_t e = full; e < count; ++e)
        partial[e % group] += tail(e);
    return sum_of_group(partial);
}

// Rows lie anywhere in a matrix larger than the caches: asking for a row a few turns ahead halves the time.
constexpr std::size_t rows_ahead = 4;

HWY_INLINE void prefetch_row(const CsrMatrix<float>& matrix, Index row) {
    const std::int64_t begin = matrix.offsets[row];
    const std::int64_t end = begin + 64 < matrix.offsets[row + 1] ? begin + 64 : matrix.offsets[row + 1];
    for (std::int64_t e = begin; e < end; e += 16) {
        hwy::Prefetch(matrix.indices.data() + e);
        hwy::Prefetch(matrix.values.data() + e);
    }
}

void DotRows(const CsrMatrix<float>& matrix, std::span<const Index> rows, const double* HWY_RESTRICT dense,
             double* HWY_RESTRICT out) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (k + rows_ahead < rows.size()) prefetch_row(matrix, rows[k + rows_ahead]);
        const SparseRow<float> row = matrix.row(rows[k]);
        const Index* columns = row.indices.data();
        const float* values = row.values.data();
        out[k] = sum_in_groups(
            row.size(),
            [&](auto d, std::size_t e) HWY_ATTR {
                const auto at = hn::PromoteTo(WideIndices(), hn::LoadU(Indices(), columns + e));
                const auto value = hn::PromoteTo(d, hn::LoadU(Floats(), values + e));
                return hn::Mul(value, hn::GatherIndex(d, dense, at));
            },
            [&](std::size_t e) { return static_cast<double>(values[e]) * dense[columns[e]]; });
    }
}

void DotAndAddRows(const CsrMatrix<float>& matrix, std::span<const Index> rows,
                   const double* HWY_RESTRICT dense, double* HWY_RESTRICT out, double* HWY_RESTRICT sum) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (k + rows_ahead < rows.size()) prefetch_row(matrix, rows[k + rows_ahead]);
        const SparseRow<float> row = matrix.row(rows[k]);
        double dot = 0;
        for (std::size_t e = 0; e < row.size(); ++e) {
            const double value = row.values[e];
            const Index column = row.indices[e];
            dot += value * dense[column];
            sum[column] += value;
        }
        out[k] = dot;
    }
}

// Solves with the triangle on the diagonal. `Count` is known to the compiler for full blocks, whose numbers
// stay in registers.
template <std::size_t Count>
HWY_INLINE void solve_triangle(const TriangularFactor& factor, std::size_t block, double* b) {
    double x[Count];
    for (std::size_t k = 0; k < Count; ++k)
        x[k] = b[block + k];
    for (std::size_t k = 0; k < Count; ++k) {
        const double* column = factor.column(block + k) + block;
        x[k] *= factor.inverse_diagonal[block + k];
        for (std::size_t i = k + 1; i < Count; ++i)
            x[i] -= x[k] * column[i];
    }
    for (std::size_t k = 0; k < Count; ++k)
        b[block + k] = x[k];
}

// Columns in blocks of eight: the triangle on the diagonal one number after the other, the rectangle below it
// with the eight results at once. (Column by column, every step would wait for the store of the one before.)
void SolveLower(const TriangularFactor& factor, double* HWY_RESTRICT b) {
    const Doubles d;
    const std::size_t lanes = hn::Lanes(d);
    const std::size_t full = factor.size - factor.size % group;
    for (std::size_t block = 0; block < full; block += group) {
        solve_triangle<group>(factor, block, b);
        std::size_t i = block + group;
        for (; i + lanes <= factor.size; i += lanes) {
            auto rest = hn::LoadU(d, b + i);
            for (std::size_t k = block; k < block + group; ++k) {
                rest = hn::Sub(rest, hn::Mul(hn::Set(d, b[k]), hn::LoadU(d, factor.column(k) + i)));
            }
            hn::StoreU(rest, d, b + i);
        }
        for (; i < factor.size; ++i) {
            for (std::size_t k = block; k < block + group; ++k)
                b[i] -= b[k] * factor.column(k)[i];
        }
    }
    for (std::size_t k = full; k < factor.size; ++k) {
        const double* column = factor.column(k);
        b[k] *= factor.inverse_diagonal[k];
        for (std::size_t i = k + 1; i < factor.size; ++i)
            b[i] -= b[k] * column[i];
    }
}

template <std::size_t Count>
HWY_INLINE void solve_triangle_transposed(const TriangularFactor& factor, std::size_t block, double* b) {
    double x[Count];
    for (std::size_t k = 0; k < Count; ++k)
        x[k] = b[block + k];
    for (std::size_t k = Count; k-- > 0;) {
        const double* column = factor.column(block + k) + block;
        for (std::size_t i = k + 1; i < Count; ++i)
            x[k] -= column[i] * x[i];
        x[k] *= factor.inverse_diagonal[block + k];
    }
    for (std::size_t k = 0; k < Count; ++k)
        b[block + k] = x[k];
}

void SolveLowerTransposed(const TriangularFactor& factor, double* HWY_RESTRICT b) {
    std::size_t end = factor.size;
    while (end > 0) {
        const std::size_t block = (end - 1) / group * group;
        for (std::size_t k = block; k < end; ++k) {
            const double* below = factor.column(k) + end;
            const double* solved = b + end;
            b[k] -= sum_in_groups(
                factor.size - end,
                [&](auto d, std::size_t e)
                    HWY_ATTR { return hn::Mul(hn::LoadU(d, below + e), hn::LoadU(d, solved + e)); },
                [&](std::size_t e) { return below[e] * solved[e]; });
        }
        if (end == block + group) {
            solve_triangle_transposed<group>(factor, block, b);
        } else {
            for (std::size_t k = end; k-- > block;) {
                const double* column = factor.column(k);
                for (std::size_t i = k + 1; i < end; ++i)
                    b[k] -= column[i] * b[i];
                b[k] *= factor.inverse_diagonal[k];
            }
        }
        end = block;
    }
}

// One Givens rotation per column turns (L(k,k), w_k) into (hypot, 0) and is applied to the rest of both. A
// solution y of L y = b takes part like one more row of L: with w_y for its number, it solves the changed
// system in the end.
void AddRankOne(const TriangularFactor& factor, std::size_t begin, double* HWY_RESTRICT w,
                std::span<SolvedRow> solved_rows) {
    const Doubles d;
    const std::size_t lanes = hn::Lanes(d);
    for (std::size_t k = begin; k < factor.size; ++k) {
        double* column = factor.column(k);
        const double w_k = w[k - begin];
        const double diagonal = std::sqrt(column[k] * column[k] + w_k * w_k);
        const double cosine = column[k] / diagonal;
        const double sine = w_k / diagonal;
        column[k] = diagonal;
        factor.inverse_diagonal[k] = 1.0 / diagonal;
        for (SolvedRow& row : solved_rows) {
            const double y = row.y[k];
            row.y[k] = cosine * y + sine * row.w;
            row.w = cosine * row.w - sine * y;
        }
        double* below = column + k + 1;
        double* rest = w + (k - begin) + 1;
        const std::size_t count = factor.size - k - 1;
        const auto c = hn::Set(d, cosine);
        const auto s = hn::Set(d, sine);
        std::size_t i = 0;
        for (; i + lanes <= count; i += lanes) {
            const auto l = hn::LoadU(d, below + i);
            const auto r = hn::LoadU(d, rest + i);
            hn::StoreU(hn::Add(hn::Mul(c, l), hn::Mul(s, r)), d, below + i);
            hn::StoreU(hn::Sub(hn::Mul(c, r), hn::Mul(s, l)), d, rest + i);
        }
        for (; i < count; ++i) {
            const double l = below[i];
            const double r = rest[i];
            below[i] = cosine * l + sine * r;
            rest[i] = cosine * r - sine * l;
        }
    }
}

}  // namespace hwgcn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hwgcn::cpu {

HWY_EXPORT(DotRows);
HWY_EXPORT(DotAndAddRows);
HWY_EXPORT(SolveLower);
HWY_EXPORT(SolveLowerTransposed);
HWY_EXPORT(AddRankOne);

void dot_rows(const CsrMatrix<float>& matrix, std::span<const Index> rows, const double* dense, double* out) {
    HWY_DYNAMIC_DISPATCH(DotRows)(matrix, rows, dense, out);
}

void dot_and_add_rows(const CsrMatrix<float>& matrix, std::span<const Index> rows, const double* dense,
                      double* out, double* sum) {
    HWY_DYNAMIC_DISPATCH(DotAndAddRows)(matrix, rows, dense, out, sum);
}

void solve_lower(const TriangularFactor& factor, double* b) {
    HWY_DYNAMIC_DISPATCH(SolveLower)(factor, b);
}

void solve_lower_transposed(const TriangularFactor& factor, double* b) {
    HWY_DYNAMIC_DISPATCH(SolveLowerTransposed)(factor, b);
}

void add_rank_one(const TriangularFactor& factor, std::size_t begin, double* w,
                  std::span<SolvedRow> solved_rows) {
    HWY_DYNAMIC_DISPATCH(AddRankOne)(factor, begin, w, solved_rows);
}

}  // namespace hwgcn::cpu

namespace hwgcn {

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        std::string name = hwy::TargetName(target);
        if (name.starts_with("AVX3")) name.replace(0, 4, "AVX-512");  // as everybody else calls it
        names.push_back(std::move(name));
    }
    return names;
}

std::string version_of_highway() {
    return fmt::format("{}.{}.{}", HWY_MAJOR, HWY_MINOR, HWY_PATCH);
}

}  // namespace hwgcn
#endif  // HWY_ONCE
