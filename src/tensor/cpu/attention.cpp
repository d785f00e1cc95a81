#include "tensor/attention.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "tensor/cpu/attention_kernels.hpp"
#include "tensor/row_ranges.hpp"

namespace hwgcn::cpu {
namespace {

// Calls body for ranges of the rows of `m`.
void for_ranges(const CsrMatrix<float>& m, std::size_t stride, const ExecutionControl& control,
                const std::function<void(RowRange)>& body) {
    for_row_ranges(m.rows, m.entries() * static_cast<std::int64_t>(stride), control, body);
}

// For each entry of the transposed matrix, which one it is in the matrix itself.
std::span<const std::uint64_t> entry_order(Workspace& workspace, const CsrMatrix<float>& matrix,
                                           const CsrMatrix<float>& transposed) {
    const std::span<std::uint64_t> order = workspace.words(matrix.indices.size());
    const std::span<std::uint64_t> next = workspace.words(transposed.offsets.size());
    std::copy(transposed.offsets.begin(), transposed.offsets.end(), next.begin());
    for (std::size_t e = 0; e < matrix.indices.size(); ++e)
        order[next[matrix.indices[e]]++] = e;
    return order;
}

}  // namespace

void attend(const Attention& attention, MatrixView out, const ExecutionControl& control) {
    const CsrMatrix<float>& matrix = *attention.matrix;
    const cpu::AttentionScores scores{attention.scores, attention.position};
    for_ranges(matrix, out.stride(), control, [&](RowRange rows) {
        cpu::attention_coefficients(matrix, scores, attention.coefficients, rows);
        if (attention.dropout)
            cpu::keep_coefficients(matrix, attention.coefficients, *attention.dropout, attention.heads,
                                   attention.kept, rows);
        cpu::attention_product(matrix, {}, attention.kept, attention.values, out, rows, Write::replace);
    });
}

void attend_gradients(const Attention& attention, ConstMatrixView gradient, Workspace& scratch,
                      const AttentionGradients& out, const ExecutionControl& control) {
    const CsrMatrix<float>& matrix = *attention.matrix;
    const CsrMatrix<float>& transposed = *attention.transposed;
    const std::span<const std::uint64_t> order = entry_order(scratch, matrix, transposed);
    if (out.scores.rows > 0) {
        const cpu::AttentionBackward backward{{attention.scores, attention.position},
                                              attention.coefficients,
                                              attention.kept,
                                              attention.dropout ? attention.dropout->scale : 1.0F,
                                              attention.values,
                                              gradient};
        const MatrixView entries =
            scratch.matrix(attention.coefficients.rows, attention.coefficients.columns);
        for_ranges(matrix, gradient.stride(), control, [&](RowRange rows) {
            cpu::attention_gradients(matrix, backward, entries, out.scores, rows);
        });
        for_ranges(transposed, entries.stride(), control,
                   [&](RowRange rows) { cpu::add_entries(transposed, order, entries, out.scores, rows); });
    }
    if (out.values.rows > 0) {
        for_ranges(transposed, gradient.stride(), control, [&](RowRange rows) {
            cpu::attention_product(transposed, order, attention.kept, gradient, out.values, rows, out.write);
        });
    }
}

}  // namespace hwgcn::cpu
