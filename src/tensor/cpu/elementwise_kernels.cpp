#include "tensor/cpu/elementwise_kernels.hpp"

#include <algorithm>
#include <cmath>

// Compiled once per instruction set; see kernels.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/cpu/elementwise_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hwgcn::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 8>;  // counts are multiples of 8

template <class D, class V = hn::Vec<D>>
HWY_INLINE void put(D d, V value, float* out, Write write) {
    hn::StoreU(write == Write::add ? hn::Add(hn::LoadU(d, out), value) : value, d, out);
}

void KeepNumbers(const float* HWY_RESTRICT x, const std::uint64_t* HWY_RESTRICT bits, std::size_t first_bit,
                 float scale, float* HWY_RESTRICT out, std::size_t count, Write write) {
    const Floats d;
    const auto factor = hn::Set(d, scale);
    for (std::size_t k = 0; k < count; k += hn::Lanes(d)) {
        const std::size_t bit = first_bit + k;
        const std::uint64_t word = bits[bit / 64] >> bit % 64;
        HWY_ALIGN std::uint8_t byte[8] = {static_cast<std::uint8_t>(word)};
        put(d, hn::IfThenElseZero(hn::LoadMaskBits(d, byte), hn::Mul(factor, hn::LoadU(d, x + k))), out + k,
            write);
    }
}

void HiddenRow(const HiddenWay& way, const float* HWY_RESTRICT x, float* HWY_RESTRICT out,
               std::size_t count) {
    const Floats d;
    const auto factor = hn::Set(d, way.factor);
    const auto scale = hn::Set(d, way.scale);
    for (std::size_t k = 0; k < count; k += hn::Lanes(d)) {
        const auto sum = hn::Add(hn::Mul(factor, hn::LoadU(d, x + k)), hn::LoadU(d, way.offset + k));
        auto kept = hn::Gt(sum, hn::Zero(d));
        if (way.bits != nullptr) {
            const std::size_t bit = way.first_bit + k;
            const std::uint64_t word = way.bits[bit / 64] >> bit % 64;
            HWY_ALIGN std::uint8_t byte[8] = {static_cast<std::uint8_t>(word)};
            kept = hn::And(kept, hn::LoadMaskBits(d, byte));
        }
        hn::StoreU(hn::IfThenElseZero(kept, hn::Mul(scale, sum)), d, out + k);
    }
}

void ScaleWherePositive(float factor, const float* HWY_RESTRICT y, const float* HWY_RESTRICT gradient,
                        float* HWY_RESTRICT out, std::size_t count) {
    const Floats d;
    const auto times = hn::Set(d, factor);
    for (std::size_t k = 0; k < count; k += hn::Lanes(d)) {
        const auto positive = hn::Gt(hn::LoadU(d, y + k), hn::Zero(d));
        hn::StoreU(hn::IfThenElseZero(positive, hn::Mul(times, hn::LoadU(d, gradient + k))), d, out + k);
    }
}

void ScaleNumbers(float factor, const float* HWY_RESTRICT x, float* HWY_RESTRICT out, std::size_t count,
                  Write write) {
    const Floats d;
    const auto times = hn::Set(d, factor);
    for (std::size_t k = 0; k < count; k += hn::Lanes(d))
        put(d, hn::Mul(times, hn::LoadU(d, x + k)), out + k, write);
}

void KeepWherePositive(const float* HWY_RESTRICT y, const float* HWY_RESTRICT gradient,
                       float* HWY_RESTRICT out, std::size_t count, Write write) {
    const Floats d;
    for (std::size_t k = 0; k < count; k += hn::Lanes(d)) {
        const auto positive = hn::Gt(hn::LoadU(d, y + k), hn::Zero(d));
        put(d, hn::IfThenElseZero(positive, hn::LoadU(d, gradient + k)), out + k, write);
    }
}

void Adam(const AdamStep& step, const float* HWY_RESTRICT gradient, float* HWY_RESTRICT value,
          float* HWY_RESTRICT mean, float* HWY_RESTRICT square, std::size_t count) {
    const Floats d;
    const auto decay = hn::Set(d, step.decay);
    const auto old_mean = hn::Set(d, step.beta1);
    const auto new_mean = hn::Set(d, 1.0F - step.beta1);
    const auto old_square = hn::Set(d, step.beta2);
    const auto new_square = hn::Set(d, 1.0F - step.beta2);
    const auto rate = hn::Set(d, step.rate);
    const auto root_scale = hn::Set(d, step.root_scale);
    const auto epsilon = hn::Set(d, step.epsilon);
    for (std::size_t k = 0; k < count; k += hn::Lanes(d)) {
        const auto x = hn::LoadU(d, value + k);
        const auto g = hn::Add(hn::LoadU(d, gradient + k), hn::Mul(decay, x));
        const auto m = hn::Add(hn::Mul(old_mean, hn::LoadU(d, mean + k)), hn::Mul(new_mean, g));
        const auto v =
            hn::Add(hn::Mul(old_square, hn::LoadU(d, square + k)), hn::Mul(new_square, hn::Mul(g, g)));
        const auto spread = hn::Add(hn::Mul(hn::Sqrt(v), root_scale), epsilon);
        hn::StoreU(hn::Sub(x, hn::Div(hn::Mul(rate, m), spread)), d, value + k);
        hn::StoreU(m, d, mean + k);
        hn::StoreU(v, d, square + k);
    }
}

// exp(x) = 2^n exp(r), n = round(x / log 2), |r| <= log(2)/2; log 2 in two parts keeps r exact. The
// polynomial is the Taylor series to r^7 / 7!, whose rest is below 2^-28 there.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exponential(D d, V x) {
    const hn::RebindToSigned<D> di;
    const auto lowest = hn::Set(d, -87.0F);
    const auto clamped = hn::Min(hn::Max(x, lowest), hn::Set(d, 88.0F));
    const auto n = hn::Round(hn::Mul(clamped, hn::Set(d, 1.44269504F)));
    const auto r = hn::Sub(hn::Sub(clamped, hn::Mul(n, hn::Set(d, 0.693359375F))),
                           hn::Mul(n, hn::Set(d, -2.12194440e-4F)));
    auto sum = hn::Set(d, 1.0F / 5040);
    for (const float factor : {1.0F / 720, 1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F, 1.0F, 1.0F})
        sum = hn::Add(hn::Mul(sum, r), hn::Set(d, factor));
    const auto power = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(di, n), hn::Set(di, 127))));
    return hn::IfThenElseZero(hn::Ge(x, lowest), hn::Mul(sum, power));
}

void Exponentials(const float* x, float* out, std::size_t count) {
    const Floats d;
    for (std::size_t k = 0; k < count; k += hn::Lanes(d))
        hn::StoreU(exponential(d, hn::LoadU(d, x + k)), d, out + k);
}

// Phi(x), the normal distribution, and its density without the factor 1/sqrt(2 pi). With t = 1 / (1 + p |x| /
// sqrt 2), erfc(|x| / sqrt 2) = t (a1 + t (a2 + ..)) exp(-x^2 / 2) to 1.5e-7 (Abramowitz and Stegun 7.1.26).
template <class V>
struct Normal {
    V distribution;
    V bell;
};
template <class D, class V = hn::Vec<D>>
HWY_INLINE Normal<V> normal(D d, V x) {
    const auto one = hn::Set(d, 1.0F);
    const auto bell = exponential(d, hn::Mul(hn::Mul(x, x), hn::Set(d, -0.5F)));
    const auto t = hn::Div(one, hn::Add(one, hn::Mul(hn::Set(d, 0.3275911F * 0.70710678F), hn::Abs(x))));
    auto sum = hn::Set(d, 0.5F * 1.061405429F);
    for (const float factor : {-1.453152027F, 1.421413741F, -0.284496736F, 0.254829592F})
        sum = hn::Add(hn::Mul(sum, t), hn::Set(d, 0.5F * factor));
    const auto tail = hn::Mul(hn::Mul(sum, t), bell);
    return {hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(one, tail)), bell};
}

void Gelu(const float* HWY_RESTRICT x, float* HWY_RESTRICT out, std::size_t count) {
    const Floats d;
    for (std::size_t k = 0; k < count; k += hn::Lanes(d)) {
        const auto at = hn::LoadU(d, x + k);
        hn::StoreU(hn::Mul(at, normal(d, at).distribution), d, out + k);
    }
}

// The derivative of x Phi(x) is Phi(x) + x phi(x).
void GeluGradient(const float* HWY_RESTRICT x, const float* HWY_RESTRICT gradient, float* HWY_RESTRICT out,
                  std::size_t count, Write write) {
    const Floats d;
    const auto density = hn::Set(d, 0.39894228F);  // 1 / sqrt(2 pi)
    for (std::size_t k = 0; k < count; k += hn::Lanes(d)) {
        const auto at = hn::LoadU(d, x + k);
        const auto there = normal(d, at);
        const auto slope = hn::Add(there.distribution, hn::Mul(hn::Mul(at, density), there.bell));
        put(d, hn::Mul(hn::LoadU(d, gradient + k), slope), out + k, write);
    }
}

void SoftmaxRows(ConstMatrixView scores, MatrixView out, double* log_sums, RowRange rows) {
    const Floats d;
    const std::size_t stride = scores.stride();
    const Index columns = scores.columns;
    for (Index i = rows.begin; i < rows.end; ++i) {
        const float* x = scores.row(i);
        float* y = out.row(i);
        const float highest = *std::max_element(x, x + columns);
        for (std::size_t k = 0; k < stride; k += hn::Lanes(d))
            hn::StoreU(exponential(d, hn::Sub(hn::LoadU(d, x + k), hn::Set(d, highest))), d, y + k);
        float sum = 0;
        for (Index c = 0; c < columns; ++c)
            sum += y[c];
        const float share = 1.0F / sum;
        for (Index c = 0; c < columns; ++c)
            y[c] *= share;
        std::fill(y + columns, y + stride, 0.0F);
        if (log_sums != nullptr)
            log_sums[i] = std::log(static_cast<double>(sum)) + static_cast<double>(highest);
    }
}

}  // namespace hwgcn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hwgcn::cpu {

HWY_EXPORT(KeepNumbers);
HWY_EXPORT(HiddenRow);
HWY_EXPORT(ScaleWherePositive);
HWY_EXPORT(ScaleNumbers);
HWY_EXPORT(KeepWherePositive);
HWY_EXPORT(Adam);
HWY_EXPORT(Exponentials);
HWY_EXPORT(Gelu);
HWY_EXPORT(GeluGradient);
HWY_EXPORT(SoftmaxRows);

void keep_numbers(const float* x, const std::uint64_t* bits, std::size_t first_bit, float scale, float* out,
                  std::size_t count, Write write) {
    HWY_DYNAMIC_DISPATCH(KeepNumbers)(x, bits, first_bit, scale, out, count, write);
}

void hidden_row(const HiddenWay& way, const float* x, float* out, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(HiddenRow)(way, x, out, count);
}

void scale_where_positive(float factor, const float* y, const float* gradient, float* out,
                          std::size_t count) {
    HWY_DYNAMIC_DISPATCH(ScaleWherePositive)(factor, y, gradient, out, count);
}

void scale_numbers(float factor, const float* x, float* out, std::size_t count, Write write) {
    HWY_DYNAMIC_DISPATCH(ScaleNumbers)(factor, x, out, count, write);
}

void keep_where_positive(const float* y, const float* gradient, float* out, std::size_t count, Write write) {
    HWY_DYNAMIC_DISPATCH(KeepWherePositive)(y, gradient, out, count, write);
}

void adam_step(const AdamStep& step, const float* gradient, float* value, float* mean, float* square,
               std::size_t count) {
    HWY_DYNAMIC_DISPATCH(Adam)(step, gradient, value, mean, square, count);
}

void exponentials(const float* x, float* out, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(Exponentials)(x, out, count);
}

void gelu(const float* x, float* out, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(Gelu)(x, out, count);
}

void gelu_gradient(const float* x, const float* gradient, float* out, std::size_t count, Write write) {
    HWY_DYNAMIC_DISPATCH(GeluGradient)(x, gradient, out, count, write);
}

void softmax_rows(ConstMatrixView scores, MatrixView out, double* log_sums, RowRange rows) {
    HWY_DYNAMIC_DISPATCH(SoftmaxRows)(scores, out, log_sums, rows);
}

}  // namespace hwgcn::cpu
#endif  // HWY_ONCE
