#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/operators/propagation.hpp"

#include "base/stopping.hpp"
#include "operators/validate_weights.hpp"

namespace hwgcn {
namespace {

// Rows of several operators in turn, each divided by its sum in double precision and rounded once.
class MeanRows {
  public:
    MeanRows(Index nodes, Index blocks) : matrix_{nodes * blocks, nodes, {0}, {}, {}} {
        matrix_.offsets.reserve(static_cast<std::size_t>(matrix_.rows) + 1);
    }

    void add_itself(Index node) {
        matrix_.indices.push_back(node);
        matrix_.values.push_back(1.0F);
        finish_row(1.0);
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
    const CsrMatrix<float> reversed = arcs != nullptr ? transposed(*arcs) : CsrMatrix<float>{};
    std::vector<CsrMatrix<double>> orders;
    for (const OrderWeights& order : weights.orders)
        orders.push_back(oriented(order.matrix, options.orientation));
    MeanRows rows(graph.nodes(), blocks);
    for (Index node = 0; node < graph.nodes(); ++node) {
        throw_if_stopped(control);
        rows.add_itself(node);
        if (arcs != nullptr) {
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
