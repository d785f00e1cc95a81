#pragma once

#include <cstdint>
#include <string_view>

#include "hwgcn/tensor/csr_matrix.hpp"

#include "io/numpy/numpy_array.hpp"
#include "io/numpy/pickle_value.hpp"

namespace hwgcn {

// What NumPy and SciPy would make of a decoded pickle. `file` is for messages.

/// A pickled numpy.ndarray.
NumpyArray pickled_array(const PickleValue& value, std::string_view file);

/// A pickled scipy.sparse.csr_matrix: repeated entries added up, zeros left out.
CsrMatrix<float> pickled_csr_matrix(const PickleValue& value, std::string_view file);

/// A Python integer or a NumPy integer scalar.
std::int64_t pickled_integer(const PickleValue& value, std::string_view file);

}  // namespace hwgcn
