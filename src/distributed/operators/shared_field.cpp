#include "distributed/operators/shared_field.hpp"

#include <algorithm>
#include <utility>

#include "distributed/operators/shared_rows.hpp"
#include "operators/foreign_columns.hpp"
#include "operators/propagation.hpp"
#include "tensor/blocks/row_exchange.hpp"

namespace hwgcn {
namespace {

using SharedNodes = std::shared_ptr<const std::vector<Index>>;

Index place_of(Index node, std::span<const Index> nodes) {
    return static_cast<Index>(std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin());
}

// Some rows of this process.
CsrMatrix<float> rows_of(const Propagation& propagation, std::span<const Index> nodes) {
    const CsrMatrix<float>& whole = *propagation.matrix;
    CsrMatrix<float> rows{static_cast<Index>(nodes.size()), whole.columns, {0}, {}, {}};
    for (const Index node : nodes) {
        const SparseRow<float> row = whole.row(node - propagation.layout->first_node());
        rows.indices.insert(rows.indices.end(), row.indices.begin(), row.indices.end());
        rows.values.insert(rows.values.end(), row.values.begin(), row.values.end());
        rows.offsets.push_back(rows.entries());
    }
    return rows;
}

// The nodes of this process that somebody needs for these rows, and the outputs themselves.
std::vector<Index> needed_inputs(const Partition& partition, const CsrMatrix<float>& rows,
                                 const std::vector<Index>& outputs, const std::vector<Index>& foreign) {
    const Index first = partition.first_node();
    std::vector<bool> is_input(static_cast<std::size_t>(partition.nodes()));
    for (const Index output : outputs)
        is_input[output - first] = true;
    for (const Index column : rows.indices) {
        if (partition.has(column)) is_input[column - first] = true;
    }
    for (const Index node : partition.exchange->asked_for(foreign))
        is_input[node - first] = true;
    std::vector<Index> inputs;
    for (Index node = first; node < partition.end_node(); ++node) {
        if (is_input[node - first]) inputs.push_back(node);
    }
    return inputs;
}

// Those rows of the transposed matrix that the inputs have; only they have entries.
CsrMatrix<float> transposed_rows(const Partition& partition, const CsrMatrix<float>& rows,
                                 std::span<const Index> outputs, std::span<const Index> inputs) {
    CsrMatrix<float> all = shared_transpose(partition, outputs, rows);
    std::vector<std::int64_t> offsets{0};
    for (const Index input : inputs)
        offsets.push_back(all.offsets[input - partition.first_node() + std::size_t{1}]);
    all.rows = static_cast<Index>(inputs.size());
    all.offsets = std::move(offsets);
    return all;
}

}  // namespace

Step shared_step(const Partition& partition, const SharedNodes& outputs, const Propagation& propagation) {
    CsrMatrix<float> matrix = rows_of(propagation, *outputs);
    const std::vector<Index> foreign = foreign_columns(partition, matrix);
    std::vector<Index> inputs = needed_inputs(partition, matrix, *outputs, foreign);
    CsrMatrix<float> transposed = transposed_rows(partition, matrix, *outputs, inputs);
    const std::vector<Index> foreign_outputs = foreign_columns(partition, transposed);
    number_columns(partition, inputs, foreign, matrix);
    number_columns(partition, *outputs, foreign_outputs, transposed);
    Step step;
    for (const Index output : *outputs)
        step.position.push_back(place_of(output, inputs));
    const bool closed = !partition.exchange->any(inputs.size() != outputs->size());
    step.foreign_inputs = partition.exchange->foreign_rows(inputs, foreign);
    step.foreign_outputs = partition.exchange->foreign_rows(*outputs, foreign_outputs);
    step.forward.matrix = std::make_shared<const CsrMatrix<float>>(std::move(matrix));
    step.transposed = std::make_shared<const CsrMatrix<float>>(std::move(transposed));
    step.inputs = closed ? outputs : std::make_shared<const std::vector<Index>>(std::move(inputs));
    step.outputs = outputs;
    return step;
}

}  // namespace hwgcn
