#include "autodiff/pair_ops.hpp"

#include <numeric>
#include <utility>

namespace hwgcn {
namespace {

MatrixView number_per_pair(Tape& tape, std::size_t pairs) {
    return tape.workspace().matrix(1, static_cast<Index>(pairs));
}

}  // namespace

// The gradient of x_i is 4 sum_j w_ij (x_i - x_j) / sum w: row by row, because w_ij = w_ji.
Variable neighbor_distance(Tape& tape, const CsrMatrix<float>& weights, Variable x) {
    const ConstMatrixView in = tape.value(x);
    const double total = std::accumulate(weights.values.begin(), weights.values.end(), 0.0);
    const double share = total > 0 ? 1.0 / total : 0.0;
    const MatrixView out = tape.workspace().matrix(1, 1);
    neighbor_distance(weights, share, in, out, tape.control());
    return tape.result(out, {x}, {}, [&tape, &weights, x, in, share](ConstMatrixView gradient) {
        const Factor factor{.multiplier = static_cast<float>(4.0 * share), .row = gradient};
        neighbor_distance_gradient(weights, factor, in, tape.gradient_sum(x), tape.control());
    });
}

Variable crowding(Tape& tape, std::vector<RowPair> pairs, float margin, Variable x) {
    const ConstMatrixView in = tape.value(x);
    const MatrixView slopes = number_per_pair(tape, pairs.size());
    const MatrixView out = tape.workspace().matrix(1, 1);
    crowding(pairs, margin, in, slopes, out);
    auto backward = [&tape, pairs = std::move(pairs), x, in, slopes](ConstMatrixView gradient) {
        const double share = pairs.empty() ? 0.0 : 1.0 / static_cast<double>(pairs.size());
        const Factor factor{.multiplier = static_cast<float>(share), .row = gradient};
        crowding_gradient(pairs, slopes, factor, in, tape.gradient_sum(x));
    };
    return tape.result(out, {x}, {}, std::move(backward));
}

Variable context_loss(Tape& tape, std::vector<ContextPair> pairs, Variable x, Variable c) {
    const ConstMatrixView nodes = tape.value(x);
    const ConstMatrixView contexts = tape.value(c);
    const MatrixView slopes = number_per_pair(tape, pairs.size());
    const MatrixView out = tape.workspace().matrix(1, 1);
    context_loss(pairs, nodes, contexts, slopes, out);
    auto backward = [&tape, pairs = std::move(pairs), x, c, nodes, contexts,
                     slopes](ConstMatrixView gradient) {
        const Factor factor{.row = gradient};
        if (tape.is_differentiable(x)) {
            context_loss_gradient(pairs, slopes, factor, ContextSide::nodes, contexts, tape.gradient_sum(x));
        }
        if (tape.is_differentiable(c)) {
            context_loss_gradient(pairs, slopes, factor, ContextSide::contexts, nodes, tape.gradient_sum(c));
        }
    };
    return tape.result(out, {x, c}, {}, std::move(backward));
}

}  // namespace hwgcn
