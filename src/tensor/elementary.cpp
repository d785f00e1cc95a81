#include "tensor/elementary.hpp"

#include <cmath>

namespace hwgcn {
namespace {

// log 2 in two parts; multiples of the first one up to 2^11 are exact.
constexpr double log2_high = 0x1.62e42fefap-1;
constexpr double log2_low = 0x1.cf79abc9e3b3ap-40;

}  // namespace

// exp(x) = 2^k exp(r) with |r| <= log(2)/2, and exp(r) by its Taylor series: the term r^14/14! is below
// 1e-17.
double exponential(double x) {
    if (x < -708.0) return 0.0;
    const double k = std::nearbyint(x / (log2_high + log2_low));
    const double r = (x - k * log2_high) - k * log2_low;
    double sum = 1.0;
    for (int n = 13; n >= 1; --n)
        sum = 1.0 + sum * r / n;
    return std::ldexp(sum, static_cast<int>(k));
}

// log(x) = k log 2 + 2 atanh(s), s = (m - 1)/(m + 1), with m = x / 2^k in sqrt(1/2)..sqrt(2); |s| <= 0.172,
// and the term s^23/23 of the series is below 1e-17.
double logarithm(double x) {
    int k = 0;
    double m = std::frexp(x, &k);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2.0;
        --k;
    }
    const double s = (m - 1.0) / (m + 1.0);
    const double square = s * s;
    double sum = 0.0;
    for (int n = 21; n >= 3; n -= 2)
        sum = (sum + 1.0 / n) * square;
    return k * log2_high + (2.0 * s * (1.0 + sum) + k * log2_low);
}

}  // namespace hwgcn
