#include "tensor/operations.hpp"

#include "tensor/backend.hpp"

// The operations of the seam, each by the table of the backend that has its result.
namespace hwgcn {

// products.hpp
void multiply(const CsrMatrix<float>& m, const KeptEntries* kept, ConstMatrixView b, MatrixView out,
              Write write, const ExecutionControl& control) {
    backend_of(out).multiply_sparse(m, kept, b, out, write, control);
}
void add_transposed_product(const CsrMatrix<float>& m, const KeptEntries* kept, ConstMatrixView g,
                            MatrixView out, const ExecutionControl& control, const SummedRows& rows) {
    backend_of(out).add_transposed_sparse_product(m, kept, g, out, control, rows);
}
void multiply(ConstMatrixView a, ConstMatrixView b, MatrixView out, Write write,
              const ExecutionControl& control) {
    backend_of(out).multiply(a, b, out, write, control);
}
void add_transposed_product(ConstMatrixView a, ConstMatrixView g, MatrixView out,
                            const ExecutionControl& control, const SummedRows& rows) {
    backend_of(out).add_transposed_product(a, g, out, control, rows);
}

// rows.hpp
void gather_rows(ConstMatrixView x, std::span<const Index> rows, MatrixView out,
                 const ExecutionControl& control) {
    backend_of(out).gather_rows(x, rows, out, control);
}
void gather_row_sums(std::span<const RowSums> sums, std::span<const Index> rows, float factor,
                     const ExecutionControl& control) {
    backend_of(sums.front().out).gather_row_sums(sums, rows, factor, control);
}
void scatter_add_rows(ConstMatrixView x, std::span<const Index> rows, MatrixView out) {
    backend_of(out).scatter_add_rows(x, rows, out);
}
void copy_columns(ConstMatrixView x, Index first, Index count, MatrixView out, Index to, Write write) {
    backend_of(out).copy_columns(x, first, count, out, to, write);
}
void scale_rows(ConstMatrixView factors, ConstMatrixView x, MatrixView out, Write write) {
    backend_of(out).scale_rows(factors, x, out, write);
}
void scale_columns(ConstMatrixView factors, ConstMatrixView x, MatrixView out, Write write) {
    backend_of(out).scale_columns(factors, x, out, write);
}
void add_row(ConstMatrixView x, ConstMatrixView row, MatrixView out, const ExecutionControl& control) {
    backend_of(out).add_row(x, row, out, control);
}
void add_column_sums(ConstMatrixView x, MatrixView out, const ExecutionControl& control,
                     const SummedRows& rows) {
    backend_of(out).add_column_sums(x, out, control, rows);
}
void add_row_dots(ConstMatrixView a, ConstMatrixView b, MatrixView out) {
    backend_of(out).add_row_dots(a, b, out);
}
void transpose(ConstMatrixView x, MatrixView out) {
    backend_of(out).transpose(x, out);
}

// elementwise.hpp, finite.hpp
void scale(const Factor& factor, ConstMatrixView x, MatrixView out, Write write,
           const ExecutionControl& control) {
    backend_of(out).scale(factor, x, out, write, control);
}
void activate(Activation activation, ConstMatrixView x, MatrixView out, const ExecutionControl& control) {
    backend_of(out).activate(activation, x, out, control);
}
void activation_gradient(Activation activation, ConstMatrixView y, ConstMatrixView gradient, MatrixView out,
                         Write write, const ExecutionControl& control) {
    backend_of(out).activation_gradient(activation, y, gradient, out, write, control);
}
void gelu(ConstMatrixView x, MatrixView out, const ExecutionControl& control) {
    backend_of(out).gelu(x, out, control);
}
void gelu_gradient(ConstMatrixView x, ConstMatrixView gradient, MatrixView out, Write write,
                   const ExecutionControl& control) {
    backend_of(out).gelu_gradient(x, gradient, out, write, control);
}
void add_dot(ConstMatrixView a, ConstMatrixView b, MatrixView out, Index column, const SummedRows& rows) {
    backend_of(out).add_dot(a, b, out, column, rows);
}
void adam_step(const AdamStep& step, ConstMatrixView gradient, MatrixView value, MatrixView mean,
               MatrixView square) {
    backend_of(value).adam_step(step, gradient, value, mean, square);
}
void count_infinite(std::span<const ConstMatrixView> matrices, MatrixView out) {
    backend_of(out).count_infinite(matrices, out);
}
bool all_finite(ConstMatrixView matrix) {
    DenseMatrix count(1, 1);
    count_infinite({&matrix, 1}, count);
    return count.at(0, 0) == 0.0F;
}

// losses.hpp
std::int64_t cross_entropy(ConstMatrixView scores, std::span<const Index> labels,
                           std::span<const float> weights, MatrixView errors, MatrixView loss,
                           const SummedRows& rows) {
    return backend_of(loss).cross_entropy(scores, labels, weights, errors, loss, rows);
}
void count_correct(ConstMatrixView scores, std::span<const Index> labels, MatrixView out) {
    backend_of(out).count_correct(scores, labels, out);
}
std::int64_t squared_distance(ConstMatrixView x, ConstMatrixView y, MatrixView difference, MatrixView loss,
                              const SummedRows& rows) {
    return backend_of(loss).squared_distance(x, y, difference, loss, rows);
}
void sharpened_mean(std::span<const ConstMatrixView> distributions, double temperature, MatrixView out,
                    const ExecutionControl& control) {
    backend_of(out).sharpened_mean(distributions, temperature, out, control);
}

// normalization.hpp, layer_normalization.hpp
void batch_normalize(ConstMatrixView x, ConstMatrixView scale, ConstMatrixView offset, double floor,
                     const BatchNormalization& kept, MatrixView out, const SummedRows& rows,
                     const ExecutionControl& control) {
    backend_of(out).batch_normalize(x, scale, offset, floor, kept, out, rows, control);
}
void fixed_normalization(ConstMatrixView means, ConstMatrixView variances, ConstMatrixView scale,
                         ConstMatrixView offset, double floor, MatrixView factors, MatrixView addends) {
    backend_of(factors).fixed_normalization(means, variances, scale, offset, floor, factors, addends);
}
void batch_normalize_gradients(const BatchNormalization& kept, ConstMatrixView gradient,
                               const NormalizationGradients& out, const SummedRows& rows,
                               const ExecutionControl& control) {
    backend_of(gradient).batch_normalize_gradients(kept, gradient, out, rows, control);
}
void layer_normalize(ConstMatrixView x, ConstMatrixView scale, ConstMatrixView offset, MatrixView kept,
                     MatrixView out, const ExecutionControl& control) {
    backend_of(out).layer_normalize(x, scale, offset, kept, out, control);
}
void layer_normalize_gradients(const LayerNormalization& layer, ConstMatrixView gradient,
                               const NormalizationGradients& out, const ExecutionControl& control) {
    backend_of(gradient).layer_normalize_gradients(layer, gradient, out, control);
}
void add_mixing_gradient(ConstMatrixView x, ConstMatrixView share, ConstMatrixView gradient, MatrixView out,
                         const SummedRows& rows) {
    backend_of(out).add_mixing_gradient(x, share, gradient, out, rows);
}

// dropout.hpp
void draw_bits(std::span<std::uint64_t> bits, std::uint32_t keep, const MaskStream& mask,
               const ExecutionControl& control) {
    backend_of(bits.data()).draw_bits(bits, keep, mask, control);
}
void apply_dropout(ConstMatrixView x, std::span<const Index> nodes, const DropMask& mask, MatrixView out,
                   Write write, const ExecutionControl& control) {
    backend_of(out).apply_dropout(x, nodes, mask, out, write, control);
}
void apply_hidden(ConstMatrixView x, ConstMatrixView row, std::span<const Index> nodes,
                  const HiddenMasks& masks, MatrixView out, const ExecutionControl& control) {
    backend_of(out).apply_hidden(x, row, nodes, masks, out, control);
}
void hidden_gradient(ConstMatrixView outputs, const HiddenMasks& masks, ConstMatrixView gradient,
                     MatrixView out, const ExecutionControl& control) {
    backend_of(out).hidden_gradient(outputs, masks, gradient, out, control);
}
void inverse_lengths(const CsrMatrix<float>& m, const KeptEntries* kept, MatrixView out) {
    backend_of(out).inverse_lengths(m, kept, out);
}

// attention.hpp
void attend(const Attention& attention, MatrixView out, const ExecutionControl& control) {
    backend_of(out).attend(attention, out, control);
}
void attend_gradients(const Attention& attention, ConstMatrixView gradient, Workspace& scratch,
                      const AttentionGradients& out, const ExecutionControl& control) {
    backend_of(gradient).attend_gradients(attention, gradient, scratch, out, control);
}

// transfer.hpp
std::vector<float> download(ConstMatrixView matrix) {
    return backend_of(matrix).download(matrix);
}
void upload(std::span<const float> numbers, MatrixView out) {
    backend_of(out).upload(numbers, out);
}
void fill(MatrixView out, float value) {
    backend_of(out).fill(out, value);
}
void clear_padding(MatrixView out) {
    backend_of(out).clear_padding(out);
}
std::vector<DenseMatrix> copies_of_runs(ConstMatrixView matrix) {
    return backend_of(matrix).copies_of_runs(matrix);
}
void set_runs(std::span<const ConstMatrixView> copies, MatrixView out) {
    backend_of(out).set_runs(copies, out);
}
void copy_where(ConstMatrixView chosen, Index column, ConstMatrixView x, MatrixView out) {
    backend_of(out).copy_where(chosen, column, x, out);
}

}  // namespace hwgcn
