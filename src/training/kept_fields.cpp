#include "training/kept_fields.hpp"

#include "propagation/propagated_features.hpp"

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

}  // namespace

void keep_field(gpu::KeptLists& lists, const LabelledField& labelled) {
    const ReceptiveField& field = labelled.field;
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
    for (const std::vector<Index>* const list :
         {&labelled.labels, &labelled.rows, &labelled.taught_rows, &labelled.taught_labels})
        lists.add(*list);
    lists.add(labelled.weights);
    if (!field.groups) return;
    for (const DenseMatrix& part : field.groups->parts)
        lists.add(part.view());
}

}  // namespace hwgcn
