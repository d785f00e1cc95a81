#include "autodiff/attention.hpp"

#include <algorithm>
#include <limits>

#include "hwgcn/support/error.hpp"

#include "autodiff/ops.hpp"
#include "linalg/cpu/attention_kernels.hpp"

namespace hwgcn {
namespace {

// All that the way back needs.
struct Attention {
    const Step* step;
    cpu::AttentionScores scores;
    ConstMatrixView coefficients;
    ConstMatrixView kept;
    float scale;
    ConstMatrixView values;
};

// Calls body for ranges of the rows of `m`.
void for_ranges(const CsrMatrix<float>& m, std::size_t stride, const ExecutionControl& control,
                const std::function<void(cpu::RowRange)>& body) {
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

void attend_backward(Tape& tape, const Attention& attention, Variable scores, Variable values,
                     ConstMatrixView gradient) {
    const CsrMatrix<float>& matrix = *attention.step->forward.matrix;
    const CsrMatrix<float>& transposed = *attention.step->transposed;
    const std::span<const std::uint64_t> order = entry_order(tape.workspace(), matrix, transposed);
    if (tape.is_differentiable(scores)) {
        const cpu::AttentionBackward backward{attention.scores, attention.coefficients, attention.kept,
                                              attention.scale,  attention.values,       gradient};
        const Index lanes = attention.coefficients.columns;
        const MatrixView entries = tape.workspace().matrix(attention.coefficients.rows, lanes);
        const MatrixView sums = tape.gradient_sum(scores);
        for_ranges(matrix, gradient.stride(), tape.control(), [&](cpu::RowRange rows) {
            cpu::attention_gradients(matrix, backward, entries, sums, rows);
        });
        for_ranges(transposed, entries.stride(), tape.control(),
                   [&](cpu::RowRange rows) { cpu::add_entries(transposed, order, entries, sums, rows); });
    }
    if (tape.is_differentiable(values)) {
        const auto [target, write] = tape.gradient_target(values);
        for_ranges(transposed, gradient.stride(), tape.control(),
                   [&, to = target, how = write](cpu::RowRange rows) {
                       cpu::attention_product(transposed, order, attention.kept, gradient, to, rows, how);
                   });
    }
}

}  // namespace

// Row k of the matrix belongs to a unit of head k mod heads, and so do the columns l = k mod heads.
Variable attention_matrix(Tape& tape, Variable self, Variable neighbor, Index heads) {
    const Index lanes = cpu::head_lanes(heads);
    const Index rows = tape.value(self).columns;
    const MatrixView out = tape.workspace().matrix(rows, 2 * lanes);
    std::fill_n(out.data, out.size(), 0.0F);
    for (Index k = 0; k < rows; ++k) {
        for (Index lane = k % heads; lane < lanes; lane += heads) {
            out.at(k, lane) = tape.value(self).at(0, k);
            out.at(k, lanes + lane) = tape.value(neighbor).at(0, k);
        }
    }
    return tape.result(out, {self, neighbor}, {}, [=, &tape](ConstMatrixView gradient) {
        const auto pass_on = [&](Variable input, Index first) {
            if (!tape.is_differentiable(input)) return;
            const MatrixView target = tape.gradient_sum(input);
            for (Index k = 0; k < rows; ++k) {
                for (Index lane = k % heads; lane < lanes; lane += heads)
                    target.at(0, k) += gradient.at(k, first + lane);
            }
        };
        pass_on(self, 0);
        pass_on(neighbor, lanes);
    });
}

Variable attend(Tape& tape, const Step& step, Index heads, Variable scores, Variable values,
                const DropMask* mask) {
    const CsrMatrix<float>& matrix = *step.forward.matrix;
    if (matrix.entries() > std::numeric_limits<Index>::max())
        throw InputError("attention: the operator has more entries than can be counted; use a lower order");
    const auto entries = static_cast<Index>(matrix.entries());
    const Index lanes = cpu::head_lanes(heads);
    const MatrixView coefficients = tape.workspace().matrix(entries, lanes);
    const MatrixView kept = mask != nullptr ? tape.workspace().matrix(entries, lanes) : coefficients;
    const MatrixView out = tape.workspace().matrix(matrix.rows, tape.value(values).columns);
    const Attention attention{&step, {tape.value(scores), step.position},  coefficients,
                              kept,  mask != nullptr ? mask->scale : 1.0F, tape.value(values)};
    for_ranges(matrix, out.stride(), tape.control(), [&](cpu::RowRange rows) {
        cpu::attention_coefficients(matrix, attention.scores, coefficients, rows);
        if (mask != nullptr) {
            const KeptEntries bits{mask->bits, step.forward.origin, mask->scale};
            cpu::keep_coefficients(matrix, coefficients, bits, heads, kept, rows);
        }
        cpu::attention_product(matrix, {}, kept, attention.values, out, rows, Write::replace);
    });
    return tape.result(out, {scores, values}, *step.outputs,
                       [&tape, attention, scores, values](ConstMatrixView gradient) {
                           attend_backward(tape, attention, scores, values, gradient);
                       });
}

// A product with the matrix that has 1 / heads where row and column are of the same unit.
Variable mean_of_heads(Tape& tape, Variable h, Index heads) {
    const Index columns = tape.value(h).columns;
    const MatrixView mean = tape.workspace().matrix(columns, columns / heads);
    std::fill_n(mean.data, mean.size(), 0.0F);
    for (Index k = 0; k < columns; ++k)
        mean.at(k, k / heads) = 1.0F / static_cast<float>(heads);
    return multiply(tape, h, tape.constant(mean));
}

}  // namespace hwgcn
