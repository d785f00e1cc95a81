#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "base/stopping.hpp"
#include "operators/propagation.hpp"
#include "operators/validate_weights.hpp"
#include "operators/weight_rows.hpp"

namespace hwgcn {
namespace {

// Rows of several operators in turn; means are divided by their sum in double precision and rounded once.
class RowsInTurn {
  public:
    RowsInTurn(Index nodes, Index blocks) : matrix_{nodes * blocks, nodes, {0}, {}, {}} {
        matrix_.offsets.reserve(static_cast<std::size_t>(matrix_.rows) + 1);
    }

    void add_itself(Index node) {
        matrix_.indices.push_back(node);
        matrix_.values.push_back(1.0F);
        finish_row(1.0);
    }

    // A row as it is.
    void take_over(const SparseRow<float>& row) {
        matrix_.indices.insert(matrix_.indices.end(), row.indices.begin(), row.indices.end());
        matrix_.values.insert(matrix_.values.end(), row.values.begin(), row.values.end());
        matrix_.offsets.push_back(matrix_.entries());
    }

    // Without the node itself. Without weights all neighbors have the same.
    template <typename Value>
    void add(Index node, std::span<const Index> neighbors, std::span<const Value> weights) {
        const auto weight = [&](std::size_t e) {
            return neighbors[e] == node ? 0.0 : weights.empty() ? 1.0 : static_cast<double>(weights[e]);
        };
        double sum = 0;
        for (std::size_t e = 0; e < neighbors.size(); ++e)
            sum += weight(e);
        if (!std::isfinite(sum) || sum < 0) {
            throw InputError(
                fmt::format("the weights of node {} sum to {}, expected a finite number", node, sum));
        }
        for (std::size_t e = 0; e < neighbors.size(); ++e) {
            if (weight(e) == 0) continue;
            matrix_.indices.push_back(neighbors[e]);
            matrix_.values.push_back(static_cast<float>(weight(e) / sum));
        }
        finish_row(sum);
    }

    template <typename Value>
    void add(Index node, const SparseRow<Value>& row) {
        add(node, std::span<const Index>(row.indices), std::span<const Value>(row.values));
    }

    CsrMatrix<float> take() { return std::move(matrix_); }
    std::vector<float> take_sums() { return std::move(sums_); }

  private:
    void finish_row(double sum) {
        matrix_.offsets.push_back(matrix_.entries());
        sums_.push_back(static_cast<float>(sum));
    }

    CsrMatrix<float> matrix_;
    std::vector<float> sums_;
};

// D^-1/2 (A + I) E^-1/2 of the arcs A, with D the row sums and E the column sums of A + I.
CsrMatrix<float> symmetric_arcs(const CsrMatrix<float>& arcs) {
    std::vector<double> from(static_cast<std::size_t>(arcs.rows), 1.0), to = from;
    for (Index i = 0; i < arcs.rows; ++i) {
        const SparseRow<float> row = arcs.row(i);
        for (std::size_t e = 0; e < row.size(); ++e) {
            from[i] += static_cast<double>(row.values[e]);
            to[row.indices[e]] += static_cast<double>(row.values[e]);
        }
    }
    CsrMatrix<float> result{arcs.rows, arcs.columns, {0}, {}, {}};
    for (Index i = 0; i < arcs.rows; ++i) {
        const auto add = [&](Index j, double weight) {
            result.indices.push_back(j);
            result.values.push_back(static_cast<float>(weight / std::sqrt(from[i] * to[j])));
        };
        const SparseRow<float> row = arcs.row(i);
        std::size_t e = 0;
        for (; e < row.size() && row.indices[e] < i; ++e)
            add(row.indices[e], static_cast<double>(row.values[e]));
        const bool has_loop = e < row.size() && row.indices[e] == i;
        add(i, has_loop ? 1.0 + static_cast<double>(row.values[e++]) : 1.0);
        for (; e < row.size(); ++e)
            add(row.indices[e], static_cast<double>(row.values[e]));
        result.offsets.push_back(result.entries());
    }
    return result;
}

// The symmetric operators of the neighbors, of in-neighbors first.
std::vector<CsrMatrix<float>> symmetric_operators(const Graph& graph, const CsrMatrix<float>* arcs,
                                                  const ExecutionControl& control) {
    if (arcs == nullptr) return {*build_propagation(graph, {}, {}, control).matrix};
    CsrMatrix<float> out = symmetric_arcs(*arcs);
    CsrMatrix<float> in = transposed(out);
    return {std::move(in), std::move(out)};
}

// Without the weights below a share of their row's sum.
CsrMatrix<double> without_small(const CsrMatrix<double>& weights, double share) {
    std::vector<double> sums;
    for (Index i = 0; i < weights.rows; ++i) {
        const auto values = weights.row(i).values;
        sums.push_back(std::accumulate(values.begin(), values.end(), 0.0));
    }
    return kept_weights(weights,
                        [&](Index i, Index /*j*/, double weight) { return weight >= share * sums[i]; });
}

void check_size(Index nodes, Index blocks) {
    if (nodes <= std::numeric_limits<Index>::max() / blocks) return;
    throw InputError(fmt::format("{} operators side by side for {} nodes: too many rows", blocks, nodes));
}

}  // namespace

Propagation build_separate_operators(const Graph& graph, const CsrMatrix<float>* arcs,
                                     const LearnedWeights& weights, const PropagationOptions& options,
                                     const ExecutionControl& control) {
    validate_weights(graph, weights);
    const Index blocks =
        count_separate_operators(arcs != nullptr, static_cast<int>(weights.orders.size()) + 1);
    check_size(graph.nodes(), blocks);
    const bool symmetric = options.neighbors == Neighbors::symmetric;
    std::vector<CsrMatrix<float>> made;
    if (symmetric) made = symmetric_operators(graph, arcs, control);
    const CsrMatrix<float> reversed = arcs != nullptr ? transposed(*arcs) : CsrMatrix<float>{};
    std::vector<CsrMatrix<double>> orders;
    for (const OrderWeights& order : weights.orders) {
        orders.push_back(oriented(order.matrix, options.orientation));
        if (options.least_share > 0) orders.back() = without_small(orders.back(), options.least_share);
    }
    RowsInTurn rows(graph.nodes(), blocks);
    for (Index node = 0; node < graph.nodes(); ++node) {
        throw_if_stopped(control);
        rows.add_itself(node);
        if (symmetric) {
            for (const CsrMatrix<float>& one : made)
                rows.take_over(one.row(node));
        } else if (arcs != nullptr) {
            rows.add(node, reversed.row(node));
            rows.add(node, arcs->row(node));
        } else {
            rows.add(node, graph.neighbors(node), graph.weights(node));
        }
        for (const CsrMatrix<double>& order : orders)
            rows.add(node, order.row(node));
    }
    const auto matrix = std::make_shared<const CsrMatrix<float>>(rows.take());
    return {matrix, std::make_shared<const CsrMatrix<float>>(transposed(*matrix)), blocks,
            std::make_shared<const std::vector<float>>(rows.take_sums())};
}

}  // namespace hwgcn
