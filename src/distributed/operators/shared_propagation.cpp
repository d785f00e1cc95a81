#include "distributed/operators/shared_propagation.hpp"

#include <algorithm>
#include <utility>

#include "hwgcn/weights/learn_weights.hpp"

#include "distributed/operators/shared_field.hpp"
#include "distributed/operators/shared_rows.hpp"
#include "operators/foreign_columns.hpp"
#include "operators/weight_rows.hpp"

namespace hwgcn {
namespace {

// Row i of A + I.
WeightRows::Adjacency adjacency_of(const CsrMatrix<float>& own, Index first) {
    return [&own, first](Index i, SparseVector& row) {
        const SparseRow<float> given = own.row(i);
        row.columns.assign(given.indices.begin(), given.indices.end());
        row.values.assign(given.values.begin(), given.values.end());
        const Index node = first + i;
        const auto place =
            std::lower_bound(row.columns.begin(), row.columns.end(), node) - row.columns.begin();
        if (place < std::ssize(row.columns) && row.columns[place] == node) {
            row.values[place] = 1.0 + row.values[place];
        } else {
            row.columns.insert(row.columns.begin() + place, node);
            row.values.insert(row.values.begin() + place, 1.0);
        }
    };
}

// The row sums of foreign nodes, from their owners.
std::vector<double> foreign_sums(const Partition& partition, std::span<const Index> foreign,
                                 std::span<const double> own) {
    Peers& peers = partition.peers();
    std::vector<std::vector<double>> answers;
    for (const std::vector<Index>& asked : exchange_values(peers, by_owner(partition, foreign))) {
        std::vector<double>& answer = answers.emplace_back();
        for (const Index node : asked)
            answer.push_back(own[node - partition.first_node()]);
    }
    std::vector<double> sums;  // processes have ascending runs of nodes
    for (const std::vector<double>& answer : exchange_values(peers, answers))
        sums.insert(sums.end(), answer.begin(), answer.end());
    return sums;
}

// The columns of other processes that the operator has: those of A and of the orders.
std::vector<Index> foreign_of(const Partition& partition, const CsrMatrix<float>& adjacency,
                              const std::vector<const CsrMatrix<double>*>& orders) {
    std::vector<Index> all = foreign_columns(partition, adjacency);
    for (const CsrMatrix<double>* const order : orders) {
        const std::vector<Index> more = foreign_columns(partition, *order);
        std::vector<Index> both;
        std::set_union(all.begin(), all.end(), more.begin(), more.end(), std::back_inserter(both));
        all = std::move(both);
    }
    return all;
}

// The learned orders of this process's nodes, made symmetric where that is wanted.
OperatorOrders shared_orders(const Partition& partition, const LearnedWeights& weights, bool symmetric) {
    OperatorOrders orders;
    const std::vector<Index> nodes = own_nodes(partition);
    for (const OrderWeights& order : weights.orders) {
        if (symmetric)
            orders.own.push_back(mean_of(order.matrix, shared_transpose(partition, nodes, order.matrix)));
    }
    for (std::size_t k = 0; k < weights.orders.size(); ++k)
        orders.matrices.push_back(symmetric ? &orders.own[k] : &weights.orders[k].matrix);
    return orders;
}

// The sums of the rows here, and of all nodes that these rows have columns of.
class SharedSums {
  public:
    SharedSums(const Partition& partition, const CsrMatrix<float>& adjacency, const OperatorOrders& orders,
               WeightRows& rows)
        : partition_(partition),
          own_(sums_of_rows(rows, adjacency.rows, partition.first_node(), {})),
          foreign_(foreign_of(partition, adjacency, orders.matrices)),
          sums_(foreign_sums(partition, foreign_, own_.sums)) {}

    const RowSumsOfWeights& own() const { return own_; }
    double operator()(Index j) const {
        if (partition_.has(j)) return own_.sums[j - partition_.first_node()];
        return sums_[std::lower_bound(foreign_.begin(), foreign_.end(), j) - foreign_.begin()];
    }

  private:
    const Partition& partition_;
    RowSumsOfWeights own_;
    std::vector<Index> foreign_;
    std::vector<double> sums_;
};

void set_layout(const std::shared_ptr<const Partition>& partition, Propagation& result) {
    result.layout = partition;
    if (!partition->is_shared()) return;
    result.step_with_others = [partition](const auto& outputs, const Propagation& whole) {
        return shared_step(*partition, outputs, whole);
    };
}

}  // namespace

Propagation build_shared_propagation(const std::shared_ptr<const Partition>& partition,
                                     const CsrMatrix<float>& adjacency, const LearnedWeights& weights,
                                     const PropagationOptions& options) {
    const bool made_symmetric = options.orientation == Orientation::symmetric;
    OperatorOrders orders = shared_orders(*partition, weights, made_symmetric);
    const Index first = partition->first_node();
    if (options.least_share > 0) {
        WeightRows all(adjacency_of(adjacency, first), orders.matrices);
        const SharedSums sums(*partition, adjacency, orders, all);
        orders.leave_out(options.least_share, sums.own(), sums);
    }
    WeightRows rows(adjacency_of(adjacency, first), orders.matrices);
    const SharedSums sums(*partition, adjacency, orders, rows);
    CsrMatrix<float> matrix = normalized(rows, sums.own(), adjacency.columns, sums);
    if (options.orientation == Orientation::transposed && !weights.orders.empty())
        matrix = shared_transpose(*partition, own_nodes(*partition), matrix);
    Propagation result;
    // Of several processes each step finds the rows of the transposed matrix that it needs.
    if (!partition->is_shared())
        result.transposed = std::make_shared<const CsrMatrix<float>>(transposed(matrix));
    result.matrix = std::make_shared<const CsrMatrix<float>>(std::move(matrix));
    set_layout(partition, result);
    return result;
}

Propagation shared_weighted_graph(const std::shared_ptr<const Partition>& partition,
                                  const CsrMatrix<float>& adjacency, const LearnedWeights& weights) {
    const OperatorOrders orders = shared_orders(*partition, weights, true);
    const Index first = partition->first_node();
    WeightRows rows(adjacency_of(adjacency, first), orders.matrices);
    const auto matrix = std::make_shared<const CsrMatrix<float>>(
        without_diagonal(rows, adjacency.rows, first, adjacency.columns, {}));
    Propagation result{matrix, matrix};
    set_layout(partition, result);
    return result;
}

}  // namespace hwgcn
