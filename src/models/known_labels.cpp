#include "models/known_labels.hpp"

#include <numeric>

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

std::vector<double> weights_of_labels(const std::vector<Index>& nodes, const std::vector<Index>& labels,
                                      const std::vector<double>& class_weights,
                                      const std::vector<float>& own) {
    std::vector<double> weights;
    if ((own.empty() && class_weights.empty()) || nodes.empty()) return weights;
    for (const Index node : nodes) {
        const double weight = own.empty() ? 1.0 : static_cast<double>(own[node]);
        weights.push_back(class_weights.empty() ? weight : weight * class_weights[labels[node]]);
    }
    const double mean =
        std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(weights.size());
    for (double& weight : weights)
        weight /= mean;
    return weights;
}

}  // namespace hwgcn
