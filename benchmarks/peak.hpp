#pragma once

namespace hwgcn::benchmarks {

/// Fused multiply-adds of this many numbers, with nothing read or written: the most that a core can do.
/// Returns the floating-point operations, two for each.
double fused_multiply_adds(long rounds);

}  // namespace hwgcn::benchmarks
