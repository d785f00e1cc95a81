#include "training/self_training.hpp"

#include <algorithm>

#include "hwgcn/data/dataset.hpp"

namespace hwgcn {

std::vector<Index> taught_labels(ConstMatrixView probabilities, std::span<const Index> train, int per_class) {
    std::vector<char> is_known(static_cast<std::size_t>(probabilities.rows), 0);
    for (const Index node : train)
        is_known[node] = 1;
    std::vector<std::vector<Index>> members(static_cast<std::size_t>(probabilities.columns));
    for (Index i = 0; i < probabilities.rows; ++i) {
        if (is_known[i] == 0) members[argmax(probabilities, i)].push_back(i);
    }
    std::vector<Index> labels(is_known.size(), unlabelled);
    for (Index c = 0; c < probabilities.columns; ++c) {
        std::ranges::stable_sort(members[c], std::ranges::greater{},
                                 [&](Index node) { return probabilities.at(node, c); });
        const std::size_t count = std::min(members[c].size(), static_cast<std::size_t>(per_class));
        for (std::size_t k = 0; k < count; ++k)
            labels[members[c][k]] = c;
    }
    return labels;
}

FitState start_student(const Network& network, const FitState& teacher, std::span<const Index> train,
                       int per_class) {
    FitState student = start_fit(network, teacher.seed);
    student.taught = taught_labels(teacher.best_average, train, per_class);
    return student;
}

}  // namespace hwgcn
