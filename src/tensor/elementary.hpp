#pragma once

namespace hwgcn {

// The exponential and the logarithm of the C library have other last digits on processors with and without
// fused multiply-add. These have not: they are made of plain additions and multiplications.

/// exp(x), with a relative error below 1e-15; zero below -708. x is at most 708.
double exponential(double x);

/// log(x) of a positive, normal number, with an error below 1e-15 relative to max(1, |log x|).
double logarithm(double x);

}  // namespace hwgcn
