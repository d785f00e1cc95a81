#include "models/known_labels.hpp"

namespace hwgcn {

std::vector<Index> known_labels(const Dataset& dataset, const Split& split) {
    std::vector<Index> known(dataset.labels.size(), unlabelled);
    for (const std::vector<Index>* part : {&split.train, &split.validation}) {
        for (const Index node : *part)
            known[node] = dataset.labels[node];
    }
    return known;
}

std::vector<Index> known_labels_by_class(const Dataset& dataset, const Split& split) {
    std::vector<Index> counts(static_cast<std::size_t>(dataset.classes()), 0);
    for (const Index label : known_labels(dataset, split)) {
        if (label != unlabelled) ++counts[label];
    }
    return counts;
}

}  // namespace hwgcn
