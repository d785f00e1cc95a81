#include "operators/shared/shared_field.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "operators/shared/shared_rows.hpp"

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
        const SparseRow<float> row = whole.row(node - propagation.partition->first_node());
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
    std::vector<bool> is_input(static_cast<std::size_t>(partition.end_node() - first));
    for (const Index output : outputs)
        is_input[output - first] = true;
    for (const Index column : rows.indices) {
        if (partition.owns(column)) is_input[column - first] = true;
    }
    for (const std::vector<Index>& asked : exchange_values(*partition.peers, by_owner(partition, foreign))) {
        for (const Index node : asked)
            is_input[node - first] = true;
    }
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

Step shared_step(const SharedNodes& outputs, const Propagation& propagation) {
    const Partition& partition = *propagation.partition;
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
    const bool closed = !any(*partition.peers, inputs.size() != outputs->size());
    step.foreign_inputs = std::make_shared<const ForeignRows>(partition, inputs, foreign);
    step.foreign_outputs = std::make_shared<const ForeignRows>(partition, *outputs, foreign_outputs);
    step.forward.matrix = std::make_shared<const CsrMatrix<float>>(std::move(matrix));
    step.transposed = std::make_shared<const CsrMatrix<float>>(std::move(transposed));
    step.inputs = closed ? outputs : std::make_shared<const std::vector<Index>>(std::move(inputs));
    step.outputs = outputs;
    return step;
}

}  // namespace

std::vector<Step> shared_steps(const SharedNodes& outputs, const Propagation& propagation, int count) {
    if (propagation.blocks != 1)
        throw std::logic_error("operators side by side are not shared among processes");
    std::vector<Step> steps;
    for (int k = 0; k < count; ++k) {
        const bool closed = !steps.empty() && steps.back().inputs == steps.back().outputs;
        steps.push_back(closed ? steps.back()
                               : shared_step(steps.empty() ? outputs : steps.back().inputs, propagation));
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
}

}  // namespace hwgcn
