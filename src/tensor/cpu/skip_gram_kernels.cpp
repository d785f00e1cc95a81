#include "tensor/cpu/skip_gram_kernels.hpp"

#include <algorithm>

#include "tensor/cpu/elementwise_kernels.hpp"

// Compiled once per instruction set; see kernels.cpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/cpu/skip_gram_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hwgcn::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// One centre and a group of its targets.
struct SkipGramGroup {
    float* HWY_RESTRICT centre;
    float* HWY_RESTRICT contexts;
    std::size_t stride;
    std::span<const SkipGramTarget> targets;
    float (*HWY_RESTRICT sums)[16];  // the partial sums of each product
    float* HWY_RESTRICT steps;       // g of each target

    HWY_INLINE float* target(std::size_t t) const {
        return contexts + static_cast<std::size_t>(targets[t].row) * stride;
    }
};

// The vectors of `Width` columns.
template <std::size_t Width>
struct SkipGramColumns {
    static constexpr std::size_t sum_count = Width < 16 ? Width : 16;
    using Tag = hn::CappedTag<float, sum_count>;
    using Vector = hn::Vec<Tag>;
    static constexpr std::size_t lanes = hn::MaxLanes(Tag());
    static constexpr std::size_t vector_count = Width / lanes;
    static constexpr std::size_t sum_vectors = sum_count / lanes;

    static HWY_INLINE void load(const float* from, Vector* to) {
        for (std::size_t v = 0; v < vector_count; ++v)
            to[v] = hn::LoadU(Tag(), from + v * lanes);
    }
};

// sums of t += <centre, target t>: column c goes to partial sum c mod 16, whatever the length of a vector.
struct SkipGramProducts {
    template <std::size_t Width>
    static HWY_INLINE void run(const SkipGramGroup& group, std::size_t column) {
        using Columns = SkipGramColumns<Width>;
        const typename Columns::Tag d;
        typename Columns::Vector centre[Columns::vector_count];
        Columns::load(group.centre + column, centre);
        for (std::size_t t = 0; t < group.targets.size(); ++t) {
            const float* row = group.target(t) + column;
            typename Columns::Vector sum[Columns::sum_vectors];
            for (std::size_t v = 0; v < Columns::sum_vectors; ++v)
                sum[v] = column == 0 ? hn::Zero(d) : hn::Load(d, group.sums[t] + v * Columns::lanes);
            for (std::size_t v = 0; v < Columns::vector_count; ++v) {
                const auto product = hn::Mul(centre[v], hn::LoadU(d, row + v * Columns::lanes));
                sum[v % Columns::sum_vectors] = hn::Add(sum[v % Columns::sum_vectors], product);
            }
            for (std::size_t v = 0; v < Columns::sum_vectors; ++v)
                hn::Store(sum[v], d, group.sums[t] + v * Columns::lanes);
        }
    }
};

// The first `Count` numbers += the next `Count`.
template <std::size_t Count>
HWY_INLINE void fold(float* sums) {
    const hn::CappedTag<float, Count> d;
    for (std::size_t k = 0; k < Count; k += hn::Lanes(d))
        hn::StoreU(hn::Add(hn::LoadU(d, sums + k), hn::LoadU(d, sums + Count + k)), d, sums + k);
}

HWY_INLINE float sum_of_products(float* sums, std::size_t stride) {
    if (stride > 8) fold<8>(sums);
    fold<4>(sums);
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

struct SkipGramUpdates {
    template <std::size_t Width>
    static HWY_INLINE void run(const SkipGramGroup& group, std::size_t column) {
        using Columns = SkipGramColumns<Width>;
        const typename Columns::Tag d;
        typename Columns::Vector centre[Columns::vector_count];
        typename Columns::Vector changed[Columns::vector_count];
        Columns::load(group.centre + column, centre);
        Columns::load(group.centre + column, changed);
        for (std::size_t t = 0; t < group.targets.size(); ++t) {
            float* row = group.target(t) + column;
            const auto step = hn::Set(d, group.steps[t]);
            for (std::size_t v = 0; v < Columns::vector_count; ++v) {
                const auto target = hn::LoadU(d, row + v * Columns::lanes);
                changed[v] = hn::Add(changed[v], hn::Mul(step, target));
                hn::StoreU(hn::Add(target, hn::Mul(step, centre[v])), d, row + v * Columns::lanes);
            }
        }
        for (std::size_t v = 0; v < Columns::vector_count; ++v)
            hn::StoreU(changed[v], d, group.centre + column + v * Columns::lanes);
    }
};

// Calls Work::run<Width>(group, first column) for ranges of columns that cover a row.
template <typename Work>
HWY_INLINE void for_all_columns(const SkipGramGroup& group) {
    if (group.stride == 8) return Work::template run<8>(group, 0);
    std::size_t column = 0;
    for (; column + 64 <= group.stride; column += 64)
        Work::template run<64>(group, column);
    for (; column < group.stride; column += 16)
        Work::template run<16>(group, column);
}

void TrainSkipGram(const SkipGramExamples& examples, const SigmoidTable& sigmoid, float rate,
                   MatrixView centres, MatrixView contexts) {
    HWY_ALIGN float sums[skip_gram_group][16];
    HWY_ALIGN float steps[skip_gram_group];
    SkipGramGroup group{nullptr, contexts.data, contexts.stride(), {}, sums, steps};
    std::size_t begin = 0;
    for (std::size_t e = 0; e < examples.centres.size(); ++e) {
        group.centre = centres.row(examples.centres[e]);
        while (begin < examples.ends[e]) {
            const std::size_t count = std::min(skip_gram_group, examples.ends[e] - begin);
            group.targets = examples.targets.subspan(begin, count);
            for_all_columns<SkipGramProducts>(group);
            for (std::size_t t = 0; t < count; ++t) {
                const float product = sum_of_products(sums[t], group.stride);
                steps[t] = rate * (group.targets[t].label - sigmoid(product));
            }
            for_all_columns<SkipGramUpdates>(group);
            begin += count;
        }
    }
}

}  // namespace hwgcn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hwgcn::cpu {

HWY_EXPORT(TrainSkipGram);

SigmoidTable::SigmoidTable() {
    for (std::size_t k = 0; k < values; ++k)
        values_[k] = limit - static_cast<float>(k) / per_unit;
    exponentials(values_.data(), values_.data(), values);
    for (float& value : values_)
        value = 1.0F / (1.0F + value);
}

void train_skip_gram(const SkipGramExamples& examples, const SigmoidTable& sigmoid, float rate,
                     MatrixView centres, MatrixView contexts) {
    HWY_DYNAMIC_DISPATCH(TrainSkipGram)(examples, sigmoid, rate, centres, contexts);
}

}  // namespace hwgcn::cpu
#endif  // HWY_ONCE
