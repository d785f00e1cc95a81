#include "tensor/cpu/layer_kernels.hpp"

#include <algorithm>
#include <cmath>

// Compiled once per instruction set; see kernels.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/cpu/layer_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hwgcn::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// `Parts` sums in registers: column k of a row is added to part k mod Parts.
template <std::size_t Parts>
struct Sum {
    using Tag = hn::CappedTag<float, Parts>;
    static constexpr std::size_t lanes = hn::MaxLanes(Tag());
    static constexpr std::size_t vectors = Parts / lanes;

    hn::Vec<Tag> part[vectors];

    HWY_INLINE Sum() {
        for (std::size_t v = 0; v < vectors; ++v)
            part[v] = hn::Zero(Tag());
    }
    HWY_INLINE float total() const {
        HWY_ALIGN float sums[Parts];
        for (std::size_t v = 0; v < vectors; ++v)
            hn::StoreU(part[v], Tag(), sums + v * lanes);
        for (std::size_t half = Parts / 2; half > 0; half /= 2) {
            for (std::size_t k = 0; k < half; ++k)
                sums[k] += sums[k + half];
        }
        return sums[0];
    }
};

template <std::size_t Parts>
struct LayerWork {
    using Tag = typename Sum<Parts>::Tag;
    using Vector = hn::Vec<Tag>;

    // Calls use(place of a vector in the row, which of the vectors of a sum it belongs to).
    template <typename Use>
    static HWY_INLINE void for_each_vector(std::size_t stride, const Use& use) {
        for (std::size_t k = 0; k < stride; k += Parts) {
            for (std::size_t v = 0; v < Sum<Parts>::vectors; ++v)
                use(k + v * Sum<Parts>::lanes, v);
        }
    }

    static HWY_INLINE float mean_of(const float* x, Index columns, std::size_t stride) {
        Sum<Parts> sum;
        for_each_vector(stride, [&](std::size_t k, std::size_t v) HWY_ATTR {
            sum.part[v] = hn::Add(sum.part[v], hn::LoadU(Tag(), x + k));
        });
        return sum.total() / static_cast<float>(columns);
    }

    // The padding is no part of the variance: it stays zero in `centred`.
    static HWY_INLINE float inverse_deviation(const float* x, float mean, Index columns, std::size_t stride,
                                              float* HWY_RESTRICT centred) {
        constexpr float floor = 1e-5F;  // keeps a row of equal numbers finite
        const auto shift = hn::Set(Tag(), mean);
        for_each_vector(stride, [&](std::size_t k, std::size_t) HWY_ATTR {
            hn::StoreU(hn::Sub(hn::LoadU(Tag(), x + k), shift), Tag(), centred + k);
        });
        std::fill(centred + columns, centred + stride, 0.0F);
        Sum<Parts> squares;
        for_each_vector(stride, [&](std::size_t k, std::size_t v) HWY_ATTR {
            const auto at = hn::LoadU(Tag(), centred + k);
            squares.part[v] = hn::Add(squares.part[v], hn::Mul(at, at));
        });
        return 1.0F / std::sqrt(squares.total() / static_cast<float>(columns) + floor);
    }

    static void forward(ConstMatrixView x, const float* HWY_RESTRICT scale, const float* HWY_RESTRICT offset,
                        MatrixView kept, MatrixView out, RowRange rows) {
        const std::size_t stride = x.stride();
        for (Index i = rows.begin; i < rows.end; ++i) {
            float* HWY_RESTRICT y = out.row(i);
            const float mean = mean_of(x.row(i), x.columns, stride);
            const float factor = inverse_deviation(x.row(i), mean, x.columns, stride, y);
            const auto times = hn::Set(Tag(), factor);
            for_each_vector(stride, [&](std::size_t k, std::size_t) HWY_ATTR {
                const auto standard = hn::Mul(times, hn::LoadU(Tag(), y + k));
                const auto scaled = hn::Mul(hn::LoadU(Tag(), scale + k), standard);
                hn::StoreU(hn::Add(scaled, hn::LoadU(Tag(), offset + k)), Tag(), y + k);
            });
            kept.at(0, i) = mean;
            kept.at(1, i) = factor;
        }
    }

    // With y the standardised row, r its factor, s the learned scale and g the gradient: the scale gets the
    // sum of g y, the offset that of g, and x gets r (s g - mean(s g) - y mean(s g y)).
    static void backward(const LayerNormalization& layer, ConstMatrixView gradient, MatrixView sums,
                         MatrixView out, Write write, RowRange rows) {
        const std::size_t stride = gradient.stride();
        const auto columns = static_cast<std::size_t>(gradient.columns);
        const float* scale = layer.scale.row(0);
        float* HWY_RESTRICT of_scale = sums.row(0);
        float* HWY_RESTRICT of_offset = sums.row(1);
        for (Index i = rows.begin; i < rows.end; ++i) {
            const float* x = layer.x.row(i);
            const float* g = gradient.row(i);
            const auto mean = hn::Set(Tag(), layer.kept.at(0, i));
            const auto factor = hn::Set(Tag(), layer.kept.at(1, i));
            const auto standard = [&](std::size_t k) HWY_ATTR {
                return hn::Mul(hn::Sub(hn::LoadU(Tag(), x + k), mean), factor);
            };
            Sum<Parts> sum, dot;  // the gradient is zero in the padding: so are both there
            for_each_vector(stride, [&](std::size_t k, std::size_t v) HWY_ATTR {
                const auto y = standard(k);
                const auto at = hn::LoadU(Tag(), g + k);
                hn::StoreU(hn::Add(hn::LoadU(Tag(), of_scale + k), hn::Mul(at, y)), Tag(), of_scale + k);
                hn::StoreU(hn::Add(hn::LoadU(Tag(), of_offset + k), at), Tag(), of_offset + k);
                const auto scaled = hn::Mul(hn::LoadU(Tag(), scale + k), at);
                sum.part[v] = hn::Add(sum.part[v], scaled);
                dot.part[v] = hn::Add(dot.part[v], hn::Mul(scaled, y));
            });
            if (out.rows == 0) continue;
            float* HWY_RESTRICT to = out.row(i);
            const auto level = hn::Set(Tag(), sum.total() / static_cast<float>(columns));
            const auto slope = hn::Set(Tag(), dot.total() / static_cast<float>(columns));
            for_each_vector(stride, [&](std::size_t k, std::size_t) HWY_ATTR {
                const auto scaled = hn::Mul(hn::LoadU(Tag(), scale + k), hn::LoadU(Tag(), g + k));
                const auto rest = hn::Sub(hn::Sub(scaled, level), hn::Mul(standard(k), slope));
                const auto result = hn::Mul(factor, rest);
                hn::StoreU(write == Write::add ? hn::Add(hn::LoadU(Tag(), to + k), result) : result, Tag(),
                           to + k);
            });
            std::fill(to + columns, to + stride, 0.0F);
        }
    }
};

void LayerNormalize(ConstMatrixView x, ConstMatrixView scale, ConstMatrixView offset, MatrixView kept,
                    MatrixView out, RowRange rows) {
    const auto forward = x.stride() == 8 ? LayerWork<8>::forward : LayerWork<16>::forward;
    forward(x, scale.row(0), offset.row(0), kept, out, rows);
}

void LayerNormalizeGradients(const LayerNormalization& layer, ConstMatrixView gradient, MatrixView sums,
                             MatrixView out, Write write, RowRange rows) {
    const auto backward = gradient.stride() == 8 ? LayerWork<8>::backward : LayerWork<16>::backward;
    backward(layer, gradient, sums, out, write, rows);
}

}  // namespace hwgcn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hwgcn::cpu {

HWY_EXPORT(LayerNormalize);
HWY_EXPORT(LayerNormalizeGradients);

void layer_normalize(ConstMatrixView x, ConstMatrixView scale, ConstMatrixView offset, MatrixView kept,
                     MatrixView out, RowRange rows) {
    HWY_DYNAMIC_DISPATCH(LayerNormalize)(x, scale, offset, kept, out, rows);
}

void layer_normalize_gradients(const LayerNormalization& layer, ConstMatrixView gradient, MatrixView sums,
                               MatrixView out, Write write, RowRange rows) {
    HWY_DYNAMIC_DISPATCH(LayerNormalizeGradients)(layer, gradient, sums, out, write, rows);
}

}  // namespace hwgcn::cpu
#endif  // HWY_ONCE
