#pragma once

#include <string>
#include <vector>

#include "hwgcn/linalg/dense_matrix.hpp"
#include "hwgcn/support/parameter.hpp"

namespace hwgcn {

/// The shape of a network. Each network reads the fields that its equation has; the others are ignored.
struct NetworkOptions {
    int layers = 2;
    int hidden = 16;                              ///< units of a hidden layer; GAT: per head
    double input_dropout = 0.5;                   ///< on the features
    double hidden_dropout = 0.5;                  ///< on hidden layers
    int heads = 8;                                ///< GAT: attention heads of the hidden layers
    int output_heads = 1;                         ///< GAT: of the last layer, averaged
    double attention_dropout = 0.6;               ///< GAT: on the coefficients
    std::vector<int> power_units = {20, 20, 20};  ///< MixHop: hidden units for the powers 0, 1, 2, ..
    int propagations = 2;                         ///< SGC and APPNP: multiplications with the operator
    double teleport = 0.1;                        ///< APPNP: share of the own prediction in each of them
};

/// The parameters above, for the command line and the documentation.
const std::vector<Parameter<NetworkOptions>>& network_parameters();

/// The networks, by name.
std::vector<std::string> network_names();

/// A matrix that training changes.
struct TrainableMatrix {
    std::string name;  ///< "theta1"
    DenseMatrix value;
    bool decays = false;  ///< the L2 penalty is on it
};

}  // namespace hwgcn
