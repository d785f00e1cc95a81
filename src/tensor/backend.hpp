#pragma once

#include "tensor/device.hpp"
#include "tensor/operations.hpp"

namespace hwgcn {

// The operations that every backend has, by name. To add one, name it here and write a function of that name
// and type in the namespace of each backend: the linker names those that are missing. Products share their
// names among sparse and dense matrices and stand below.
// clang-format off
#define HWGCN_OPERATIONS(use) \
    use(gather_rows) use(gather_row_sums) use(scatter_add_rows) use(copy_columns) use(scale_rows) \
    use(scale_columns) use(add_row) use(add_column_sums) use(add_row_dots) use(transpose) \
    use(scale) use(activate) use(activation_gradient) use(gelu) use(gelu_gradient) use(add_dot) \
    use(adam_step) use(count_infinite) \
    use(cross_entropy) use(count_correct) use(squared_distance) use(sharpened_mean) \
    use(batch_normalize) use(fixed_normalization) use(batch_normalize_gradients) \
    use(layer_normalize) use(layer_normalize_gradients) use(add_mixing_gradient) \
    use(draw_bits) use(apply_dropout) use(apply_hidden) use(hidden_gradient) use(inverse_lengths) \
    use(attend) use(attend_gradients) \
    use(download) use(upload) use(fill) use(clear_padding) use(copies_of_runs) use(set_runs) use(copy_where)
// clang-format on

using SparseProduct = void(const CsrMatrix<float>&, const KeptEntries*, ConstMatrixView, MatrixView, Write,
                           const ExecutionControl&);
using TransposedSparseProduct = void(const CsrMatrix<float>&, const KeptEntries*, ConstMatrixView, MatrixView,
                                     const ExecutionControl&, const SummedRows&);
using DenseProduct = void(ConstMatrixView, ConstMatrixView, MatrixView, Write, const ExecutionControl&);
using TransposedDenseProduct = void(ConstMatrixView, ConstMatrixView, MatrixView, const ExecutionControl&,
                                    const SummedRows&);

/// The table of a backend: its function for each operation.
struct Backend {
    SparseProduct* multiply_sparse;
    TransposedSparseProduct* add_transposed_sparse_product;
    DenseProduct* multiply;
    TransposedDenseProduct* add_transposed_product;
#define HWGCN_ENTRY(name) decltype(&hwgcn::name) name;  // NOLINT(bugprone-macro-parentheses)
    HWGCN_OPERATIONS(HWGCN_ENTRY)
#undef HWGCN_ENTRY
};

#define HWGCN_DECLARE_OPERATION(name) decltype(hwgcn::name) name;  // NOLINT(bugprone-macro-parentheses)
#define HWGCN_NAME_OPERATION(name) name,

/// Makes the table `backend` of the functions in the namespace where it stands.
#define HWGCN_DEFINE_BACKEND                                                                  \
    SparseProduct multiply;                                                                   \
    TransposedSparseProduct add_transposed_product;                                           \
    DenseProduct multiply;                                                                    \
    TransposedDenseProduct add_transposed_product;                                            \
    HWGCN_OPERATIONS(HWGCN_DECLARE_OPERATION)                                                 \
    const Backend backend{multiply, add_transposed_product, multiply, add_transposed_product, \
                          HWGCN_OPERATIONS(HWGCN_NAME_OPERATION)};

namespace cpu {
extern const Backend backend;
}

/// The data decide: an operation runs where its result is.
inline const Backend& backend_of(const void* result) {
    const gpu::Device* const device = gpu::Device::of(result);
    return device != nullptr ? device->backend() : cpu::backend;
}
inline const Backend& backend_of(ConstMatrixView result) {
    return backend_of(result.data);
}

}  // namespace hwgcn
