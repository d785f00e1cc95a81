#include "tensor/attention.hpp"

#include "tensor/opencl/arguments.hpp"

namespace hwgcn::opencl {
namespace {

// One item per lane of each row.
Grid over_lanes(Index rows, const Attention& attention) {
    return over_rows(static_cast<std::size_t>(rows), attention.coefficients.stride());
}

void score_gradients(Device& device, const Attention& attention, ConstMatrixView gradient, MatrixView entries,
                     MatrixView out) {
    const CsrMatrix<float>& matrix = *attention.matrix;
    const float scale = attention.dropout ? attention.dropout->scale : 1.0F;
    device.run("attention_gradients", over_lanes(matrix.rows, attention), matrix.offsets, matrix.indices,
               attention.position, attention.scores, attention.coefficients, attention.kept,
               attention.coefficients.columns, scale, attention.values, gradient, stride_of(gradient),
               entries, out, matrix.rows);
}

}  // namespace

void attend(const Attention& attention, MatrixView out, const ExecutionControl&) {
    Device& device = device_at(out);
    const CsrMatrix<float>& matrix = *attention.matrix;
    const Index lanes = attention.coefficients.columns;
    const KeptEntries dropout = attention.dropout.value_or(KeptEntries{{}, {}, 1.0F});
    device.run("attention_coefficients", over_lanes(matrix.rows, attention), matrix.offsets, matrix.indices,
               attention.position, attention.scores, attention.coefficients, lanes, matrix.rows, dropout.bits,
               dropout.origin, static_cast<int>(attention.dropout.has_value()), dropout.scale,
               attention.heads, static_cast<Index>(row_stride(attention.heads)), attention.kept);
    device.run("attention_product", over_rows(static_cast<std::size_t>(matrix.rows), out.stride()),
               matrix.offsets, matrix.indices, std::span<const std::int64_t>(), 0, attention.kept, lanes,
               attention.values, out, stride_of(out), matrix.rows, 0);
}

void attend_gradients(const Attention& attention, ConstMatrixView gradient, Workspace& scratch,
                      const AttentionGradients& out, const ExecutionControl&) {
    Device& device = device_at(gradient);
    const CsrMatrix<float>& matrix = *attention.matrix;
    const Index lanes = attention.coefficients.columns;
    const std::shared_ptr<const ColumnLists> columns = device.columns_of(matrix);
    if (out.scores.rows > 0) {
        const MatrixView entries = scratch.matrix(attention.coefficients.rows, lanes);
        score_gradients(device, attention, gradient, entries, out.scores);
        device.run("add_attention_entries", over_lanes(matrix.columns, attention), columns->starts,
                   columns->entries, entries, lanes, out.scores, matrix.columns);
    }
    if (out.values.rows > 0) {
        device.run("attention_product",
                   over_rows(static_cast<std::size_t>(matrix.columns), gradient.stride()), columns->starts,
                   columns->rows, columns->entries, 1, attention.kept, lanes, gradient, out.values,
                   stride_of(gradient), matrix.columns, is_added(out.write));
    }
}

}  // namespace hwgcn::opencl
