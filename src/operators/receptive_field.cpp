#include "operators/receptive_field.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "operators/foreign_columns.hpp"
#include "tensor/blocks/node_blocks.hpp"

namespace hwgcn {
namespace {

using SharedMatrix = std::shared_ptr<const CsrMatrix<float>>;
using SharedNodes = std::shared_ptr<const std::vector<Index>>;

void validate_input(const Propagation& propagation, const CsrMatrix<float>& features, int steps) {
    if (features.rows != propagation.matrix->rows / propagation.blocks) {
        throw InputError(fmt::format("{} feature rows for {} nodes", features.rows,
                                     propagation.matrix->rows / propagation.blocks));
    }
    if (steps < 0) throw InputError(fmt::format("steps: expected 0 or more, got {}", steps));
}

std::vector<Index> ascending(std::span<const Index> outputs, Index nodes) {
    for (const Index output : outputs) {
        if (output < 0 || output >= nodes)
            throw InputError(fmt::format("output node {} is outside 0..{}", output, nodes - 1));
    }
    std::vector<Index> sorted(outputs.begin(), outputs.end());
    std::sort(sorted.begin(), sorted.end());
    const auto repeated = std::adjacent_find(sorted.begin(), sorted.end());
    if (repeated != sorted.end())
        throw InputError(fmt::format("output node {} is given more than once", *repeated));
    return sorted;
}

// Lists ascend without repetitions: one with as many nodes as the graph holds them all.
bool holds_all(const std::vector<Index>& list, Index nodes) {
    return list.size() == static_cast<std::size_t>(nodes);
}

// The rows of nodes that have `blocks` of them each.
std::vector<Index> rows_of(const std::vector<Index>& nodes, Index blocks) {
    if (blocks == 1) return nodes;
    std::vector<Index> rows;
    rows.reserve(nodes.size() * static_cast<std::size_t>(blocks));
    for (const Index node : nodes) {
        for (Index b = 0; b < blocks; ++b)
            rows.push_back(node * blocks + b);
    }
    return rows;
}

std::vector<std::int64_t> origin_of(const CsrMatrix<float>& whole, const std::vector<Index>& rows) {
    std::vector<std::int64_t> origin;
    origin.reserve(rows.size());
    for (const Index row : rows)
        origin.push_back(whole.offsets[row]);
    return origin;
}

CsrMatrix<float> copied_rows(const CsrMatrix<float>& whole, const std::vector<Index>& rows) {
    CsrMatrix<float> copy{static_cast<Index>(rows.size()), whole.columns, {0}, {}, {}};
    copy.offsets.reserve(rows.size() + 1);
    for (const Index i : rows)
        copy.offsets.push_back(copy.offsets.back() + static_cast<std::int64_t>(whole.row(i).size()));
    copy.indices.reserve(static_cast<std::size_t>(copy.offsets.back()));
    copy.values.reserve(static_cast<std::size_t>(copy.offsets.back()));
    for (const Index i : rows) {
        const SparseRow<float> row = whole.row(i);
        copy.indices.insert(copy.indices.end(), row.indices.begin(), row.indices.end());
        copy.values.insert(copy.values.end(), row.values.begin(), row.values.end());
    }
    return copy;
}

RowSlice slice_of(SharedMatrix whole, const std::vector<Index>& rows) {
    std::vector<std::int64_t> origin = origin_of(*whole, rows);
    if (holds_all(rows, whole->rows)) return {std::move(whole), std::move(origin)};
    return {std::make_shared<const CsrMatrix<float>>(copied_rows(*whole, rows)), std::move(origin)};
}

// Some nodes of the graph, and for each node of the graph its position among them.
struct Selection {
    static constexpr Index absent = -1;

    std::vector<Index> nodes;
    std::vector<Index> position;
};

// What the `rows` of `outputs` gather from, and the outputs themselves.
Selection select_inputs(const CsrMatrix<float>& whole, const std::vector<Index>& rows,
                        const std::vector<Index>& outputs) {
    Selection inputs{{}, std::vector<Index>(static_cast<std::size_t>(whole.columns), Selection::absent)};
    for (const Index output : outputs)
        inputs.position[output] = 0;  // any number that is not `absent` marks a node
    for (const Index row : rows) {
        for (const Index column : whole.row(row).indices)
            inputs.position[column] = 0;
    }
    for (Index node = 0; node < whole.columns; ++node) {
        if (inputs.position[node] == Selection::absent) continue;
        inputs.position[node] = static_cast<Index>(inputs.nodes.size());
        inputs.nodes.push_back(node);
    }
    return inputs;
}

Step step_to(const SharedNodes& outputs, const Propagation& propagation) {
    if (propagation.step_with_others) return propagation.step_with_others(outputs, propagation);
    const CsrMatrix<float>& whole = *propagation.matrix;
    const Index blocks = propagation.blocks;
    const std::vector<Index> rows = rows_of(*outputs, blocks);
    std::vector<std::int64_t> origin = origin_of(whole, rows);
    if (holds_all(*outputs, propagation.nodes())) {
        return {{propagation.matrix, std::move(origin)},
                propagation.transposed,
                outputs,
                outputs,
                *outputs,
                blocks};
    }
    Selection inputs = select_inputs(whole, rows, *outputs);
    CsrMatrix<float> matrix = copied_rows(whole, rows);
    matrix.columns = static_cast<Index>(inputs.nodes.size());
    for (Index& column : matrix.indices)
        column = inputs.position[column];
    std::vector<Index> position;
    position.reserve(outputs->size());
    for (const Index output : *outputs)
        position.push_back(inputs.position[output]);

    // The outputs are among the inputs: as many inputs as outputs are the same nodes.
    const bool closed = inputs.nodes.size() == outputs->size();
    SharedNodes input_nodes =
        closed ? outputs : std::make_shared<const std::vector<Index>>(std::move(inputs.nodes));
    auto other = std::make_shared<const CsrMatrix<float>>(transposed(matrix));
    return {{std::make_shared<const CsrMatrix<float>>(std::move(matrix)), std::move(origin)},
            std::move(other),
            std::move(input_nodes),
            outputs,
            std::move(position),
            blocks};
}

// From the last step back to the first. Once a step stays among the same nodes, all before it are the same.
std::vector<Step> steps_to(const SharedNodes& outputs, const Propagation& propagation, int count) {
    std::vector<Step> steps;
    for (int k = 0; k < count; ++k) {
        const bool closed = !steps.empty() && steps.back().inputs == steps.back().outputs;
        if (closed) {
            steps.push_back(steps.back());
        } else {
            steps.push_back(step_to(steps.empty() ? outputs : steps.back().inputs, propagation));
        }
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
}

// The node of the first row that is here.
Index first_row(const RowLayout* layout) {
    return layout != nullptr ? layout->first_node() : 0;
}

// The mask of a block begins at a word of its own.
void cut_into_blocks(ReceptiveField& field, const CsrMatrix<float>& whole) {
    const RowLayout& layout = *field.layout;
    const std::vector<Index>& bounds = layout.blocks.bounds;
    field.entry_words = {0};
    std::size_t k = 0;
    for (Index block = layout.first_block; block < layout.end_block; ++block) {
        const std::int64_t begin = whole.offsets[bounds[block] - layout.first_node()];
        const std::int64_t end = whole.offsets[bounds[block + 1] - layout.first_node()];
        const auto first_bit = static_cast<std::int64_t>(64 * field.entry_words.back());
        for (; k < field.inputs->size() && (*field.inputs)[k] < bounds[block + 1]; ++k)
            field.features.origin[k] += first_bit - begin;
        field.entry_words.push_back(field.entry_words.back() +
                                    static_cast<std::uint64_t>(end - begin + 63) / 64);
    }
}

}  // namespace

ReceptiveField receptive_field(const Propagation& propagation, SharedMatrix features,
                               std::span<const Index> outputs, int steps) {
    validate_input(propagation, *features, steps);
    ReceptiveField field;
    field.nodes = propagation.nodes();
    field.feature_entries = features->entries();
    field.operator_entries = propagation.matrix->entries();
    field.outputs = std::make_shared<const std::vector<Index>>(ascending(outputs, field.nodes));
    field.layout = propagation.layout;
    field.steps = steps_to(field.outputs, propagation, steps);
    field.inputs = field.steps.empty() ? field.outputs : field.steps.front().inputs;
    std::vector<Index> rows = *field.inputs;
    for (Index& row : rows)
        row -= first_row(field.layout.get());
    field.features = slice_of(features, rows);
    if (field.layout) cut_into_blocks(field, *features);
    return field;
}

ReceptiveField whole_field(const Propagation& propagation, SharedMatrix features, int steps) {
    if (propagation.layout)
        return receptive_field(propagation, std::move(features), own_nodes(*propagation.layout), steps);
    std::vector<Index> all(static_cast<std::size_t>(propagation.nodes()));
    std::iota(all.begin(), all.end(), 0);
    return receptive_field(propagation, std::move(features), all, steps);
}

}  // namespace hwgcn
