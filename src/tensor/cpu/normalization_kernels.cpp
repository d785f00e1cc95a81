#include "tensor/cpu/normalization_kernels.hpp"

// Compiled once per instruction set; see kernels.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/cpu/normalization_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hwgcn::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A strip of `Width` columns: its sums stay in registers from row to row.
template <std::size_t Width>
struct StripWork {
    using Real = hn::CappedTag<double, Width>;
    using Half = hn::Rebind<float, Real>;
    using Tag = hn::CappedTag<float, Width>;
    static constexpr std::size_t lanes = hn::MaxLanes(Real());
    static constexpr std::size_t vectors = Width / lanes;

    struct Sums {
        hn::Vec<Real> part[vectors];

        HWY_INLINE explicit Sums(const double* from) {
            for (std::size_t v = 0; v < vectors; ++v)
                part[v] = hn::LoadU(Real(), from + v * lanes);
        }
        HWY_INLINE void store(double* to) const {
            for (std::size_t v = 0; v < vectors; ++v)
                hn::StoreU(part[v], Real(), to + v * lanes);
        }
        HWY_INLINE void add(const float* x) {
            for (std::size_t v = 0; v < vectors; ++v)
                part[v] = hn::Add(part[v], real(x, v));
        }
        HWY_INLINE void add_product(const float* x, const float* y) {
            for (std::size_t v = 0; v < vectors; ++v)
                part[v] = hn::Add(part[v], hn::Mul(real(x, v), real(y, v)));
        }
        static HWY_INLINE hn::Vec<Real> real(const float* x, std::size_t v) {
            return hn::PromoteTo(Real(), hn::LoadU(Half(), x + v * lanes));
        }
    };

    // Calls use(place of a vector in the strip).
    template <typename Use>
    static HWY_INLINE void for_each_vector(const Use& use) {
        for (std::size_t k = 0; k < Width; k += hn::MaxLanes(Tag()))
            use(k);
    }
    static HWY_INLINE hn::Vec<Tag> at(const float* x, std::size_t k) { return hn::LoadU(Tag(), x + k); }

    static void add(ConstMatrixView x, ColumnStrip strip, double* total) {
        Sums sums(total);
        for (Index i = strip.rows.begin; i < strip.rows.end; ++i)
            sums.add(x.row(i) + strip.first);
        sums.store(total);
    }

    static void centre(ConstMatrixView x, const float* means, ColumnStrip strip, MatrixView centred,
                       double* squares) {
        Sums sums(squares);
        for (Index i = strip.rows.begin; i < strip.rows.end; ++i) {
            const float* from = x.row(i) + strip.first;
            float* to = centred.row(i) + strip.first;
            for_each_vector([&](std::size_t k)
                                HWY_ATTR { hn::StoreU(hn::Sub(at(from, k), at(means, k)), Tag(), to + k); });
            sums.add_product(to, to);
        }
        sums.store(squares);
    }

    static void scale(const float* scales, const float* learned, const float* shift, ColumnStrip strip,
                      MatrixView standard, MatrixView out) {
        for (Index i = strip.rows.begin; i < strip.rows.end; ++i) {
            float* y = standard.row(i) + strip.first;
            float* to = out.row(i) + strip.first;
            for_each_vector([&](std::size_t k) HWY_ATTR {
                const auto scaled = hn::Mul(at(y, k), at(scales, k));
                hn::StoreU(scaled, Tag(), y + k);
                hn::StoreU(hn::Add(hn::Mul(at(learned, k), scaled), at(shift, k)), Tag(), to + k);
            });
        }
    }

    static void gradients(ConstMatrixView g, ConstMatrixView y, ColumnStrip strip, double* of_sums,
                          double* of_dots) {
        Sums sums(of_sums), dots(of_dots);
        for (Index i = strip.rows.begin; i < strip.rows.end; ++i) {
            sums.add(g.row(i) + strip.first);
            dots.add_product(g.row(i) + strip.first, y.row(i) + strip.first);
        }
        sums.store(of_sums);
        dots.store(of_dots);
    }

    static void backward(ConstMatrixView g, ConstMatrixView y, const float* factors, const float* mean,
                         const float* slope, ColumnStrip strip, MatrixView out, Write write) {
        for (Index i = strip.rows.begin; i < strip.rows.end; ++i) {
            const float* from = g.row(i) + strip.first;
            const float* standard = y.row(i) + strip.first;
            float* to = out.row(i) + strip.first;
            for_each_vector([&](std::size_t k) HWY_ATTR {
                const auto level = hn::Sub(at(from, k), at(mean, k));
                const auto rest = hn::Sub(level, hn::Mul(at(standard, k), at(slope, k)));
                const auto result = hn::Mul(at(factors, k), rest);
                hn::StoreU(write == Write::add ? hn::Add(at(to, k), result) : result, Tag(), to + k);
            });
        }
    }
};

void AddColumns(ConstMatrixView x, ColumnStrip strip, double* sums) {
    (x.stride() == 8 ? StripWork<8>::add : StripWork<16>::add)(x, strip, sums);
}

void CentreColumns(ConstMatrixView x, const float* means, ColumnStrip strip, MatrixView centred,
                   double* squares) {
    const auto centre = x.stride() == 8 ? StripWork<8>::centre : StripWork<16>::centre;
    centre(x, means, strip, centred, squares);
}

void StandardizeColumns(const float* scales, const float* learned, const float* shift, ColumnStrip strip,
                        MatrixView standard, MatrixView out) {
    const auto scale = out.stride() == 8 ? StripWork<8>::scale : StripWork<16>::scale;
    scale(scales, learned, shift, strip, standard, out);
}

void AddGradients(ConstMatrixView g, ConstMatrixView y, ColumnStrip strip, double* sums, double* dots) {
    (g.stride() == 8 ? StripWork<8>::gradients : StripWork<16>::gradients)(g, y, strip, sums, dots);
}

void NormalizedGradients(ConstMatrixView g, ConstMatrixView y, const float* factors, const float* mean,
                         const float* slope, ColumnStrip strip, MatrixView out, Write write) {
    const auto backward = g.stride() == 8 ? StripWork<8>::backward : StripWork<16>::backward;
    backward(g, y, factors, mean, slope, strip, out, write);
}

}  // namespace hwgcn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hwgcn::cpu {

HWY_EXPORT(AddColumns);
HWY_EXPORT(CentreColumns);
HWY_EXPORT(StandardizeColumns);
HWY_EXPORT(AddGradients);
HWY_EXPORT(NormalizedGradients);

void add_columns(ConstMatrixView x, ColumnStrip strip, double* sums) {
    HWY_DYNAMIC_DISPATCH(AddColumns)(x, strip, sums);
}

void centre_columns(ConstMatrixView x, const float* means, ColumnStrip strip, MatrixView centred,
                    double* squares) {
    HWY_DYNAMIC_DISPATCH(CentreColumns)(x, means, strip, centred, squares);
}

void standardize_columns(const float* scales, const float* learned, const float* shift, ColumnStrip strip,
                         MatrixView standard, MatrixView out) {
    HWY_DYNAMIC_DISPATCH(StandardizeColumns)(scales, learned, shift, strip, standard, out);
}

void add_gradients(ConstMatrixView g, ConstMatrixView y, ColumnStrip strip, double* sums, double* dots) {
    HWY_DYNAMIC_DISPATCH(AddGradients)(g, y, strip, sums, dots);
}

void normalized_gradients(ConstMatrixView g, ConstMatrixView y, const float* factors, const float* mean,
                          const float* slope, ColumnStrip strip, MatrixView out, Write write) {
    HWY_DYNAMIC_DISPATCH(NormalizedGradients)(g, y, factors, mean, slope, strip, out, write);
}

}  // namespace hwgcn::cpu
#endif  // HWY_ONCE
