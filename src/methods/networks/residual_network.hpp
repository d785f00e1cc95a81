#pragma once

#include <vector>

#include "base/parameter.hpp"
#include "methods/network.hpp"

namespace hwgcn {

struct ResidualOptions {
    int layers = 3;    // blocks
    int hidden = 128;  // a multiple of 16
    double input_dropout = 0.0;
    double hidden_dropout = 0.2;
};

/// Residual blocks over the operator P, whatever it is:
///   x = gelu(drop(drop(X) W_0 + b_0))
///   x <- x + drop(gelu(drop(P LN(x)) A_l + a_l) B_l + b_l)        for l = 1..L
///   Z = LN(x) W + b
/// LN normalises each row to mean 0 and variance 1 and has a learned scale and offset of its own everywhere.
/// Of operators side by side, P LN(x) is [ P_1 LN(x) | P_2 LN(x) | .. ], and A_l has rows for each of them.
class ResidualNetwork final : public Network {
  public:
    ResidualNetwork(const ResidualOptions& options, NetworkShape shape) : options_(options), shape_(shape) {}

    int steps() const override { return options_.layers; }

    std::vector<TrainableMatrix> initial_parameters(std::uint64_t seed) const override;

    Variable scores(Pass& pass) const override;

  private:
    // x of the step's outputs after the block whose parameters begin with number `first`.
    Variable add_block(Pass& pass, Variable x, std::size_t first) const;

    ResidualOptions options_;
    NetworkShape shape_;
};

/// The parameters of such a network.
std::vector<Parameter<ResidualOptions>> residual_parameters();

/// How such networks are trained.
std::vector<Setting> residual_training();

}  // namespace hwgcn
