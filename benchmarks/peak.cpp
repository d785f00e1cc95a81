#include "peak.hpp"

#include <benchmark/benchmark.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "benchmarks/peak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hwgcn::benchmarks::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Ten chains: two a cycle, each four or five cycles long.
double FusedMultiplyAdds(long rounds) {
    const hn::ScalableTag<float> d;
    constexpr int chains = 10;
    hn::Vec<decltype(d)> sum[chains];
    for (int c = 0; c < chains; ++c)
        sum[c] = hn::Set(d, static_cast<float>(c));
    const auto factor = hn::Set(d, 0.999F);
    const auto offset = hn::Set(d, 1e-3F);
    for (long round = 0; round < rounds; ++round) {
        for (int c = 0; c < chains; ++c)
            sum[c] = hn::MulAdd(sum[c], factor, offset);
    }
    for (int c = 1; c < chains; ++c)
        sum[0] = hn::Add(sum[0], sum[c]);
    float result = hn::GetLane(sum[0]);
    benchmark::DoNotOptimize(result);
    return 2.0 * chains * static_cast<double>(rounds) * static_cast<double>(hn::Lanes(d));
}

}  // namespace hwgcn::benchmarks::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hwgcn::benchmarks {

HWY_EXPORT(FusedMultiplyAdds);

double fused_multiply_adds(long rounds) {
    return HWY_DYNAMIC_DISPATCH(FusedMultiplyAdds)(rounds);
}

}  // namespace hwgcn::benchmarks
#endif  // HWY_ONCE
