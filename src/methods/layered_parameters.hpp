#pragma once

#include <cstdint>
#include <vector>

#include "methods/network.hpp"

namespace hwgcn {

/// Theta_1 .. Theta_L of a network of L fully connected layers: features x hidden, hidden x hidden, ..,
/// hidden x classes. The penalty is on the first one.
std::vector<TrainableMatrix> layered_parameters(int layers, int hidden, NetworkShape shape,
                                                std::uint64_t seed);

}  // namespace hwgcn
