#include "training/kept_fields.hpp"

#include "operators/propagated_features.hpp"

namespace hwgcn {
namespace {

void keep_rows(gpu::KeptLists& lists, const RowSlice& slice) {
    if (!slice.matrix) return;
    lists.add(*slice.matrix);
    lists.add(slice.origin);
}

void keep_nodes(gpu::KeptLists& lists, const std::shared_ptr<const std::vector<Index>>& nodes) {
    if (nodes) lists.add(*nodes);
}

// The lists of the runs, each of which has its own.
template <typename Item>
void keep_own(gpu::KeptLists& lists, std::span<const LabelledField> runs,
              std::vector<Item> LabelledField::*list) {
    if (runs.size() == 1) return lists.add(runs.front().*list);
    std::vector<const std::vector<Item>*> own;
    for (const LabelledField& run : runs)
        own.push_back(&(run.*list));
    lists.add_runs(std::span<const std::vector<Item>* const>(own));
}

}  // namespace

void keep_field(gpu::KeptLists& lists, const ReceptiveField& field) {
    for (const Step& step : field.steps) {
        keep_rows(lists, step.forward);
        if (step.transposed) lists.add(*step.transposed);
        keep_nodes(lists, step.inputs);
        keep_nodes(lists, step.outputs);
        lists.add(step.position);
    }
    keep_rows(lists, field.features);
    keep_nodes(lists, field.inputs);
    keep_nodes(lists, field.outputs);
    if (field.propagated) lists.add(ConstMatrixView(*field.propagated));
    if (!field.groups) return;
    for (const DenseMatrix& part : field.groups->parts)
        lists.add(part.view());
}

void keep_labels(gpu::KeptLists& lists, std::span<const LabelledField> runs) {
    for (const auto list : {&LabelledField::labels, &LabelledField::rows, &LabelledField::taught_rows,
                            &LabelledField::taught_labels})
        keep_own(lists, runs, list);
    keep_own(lists, runs, &LabelledField::weights);
}

}  // namespace hwgcn
