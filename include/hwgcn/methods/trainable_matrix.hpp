#pragma once

#include <string>

#include "hwgcn/tensor/dense_matrix.hpp"

namespace hwgcn {

/// A matrix that training changes.
struct TrainableMatrix {
    std::string name;  ///< "theta1"
    DenseMatrix value;
    bool decays = false;  ///< the L2 penalty is on it
    bool grows = false;   ///< training decides how many rows it has
};

}  // namespace hwgcn
