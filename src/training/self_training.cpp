#include "training/self_training.hpp"

#include <algorithm>

#include "hwgcn/dataset/dataset.hpp"

#include "tensor/transfer.hpp"

namespace hwgcn {

std::vector<Index> taught_labels(ConstMatrixView probabilities, std::span<const Index> train, int per_class) {
    std::vector<char> is_known(static_cast<std::size_t>(probabilities.rows), 0);
    for (const Index node : train)
        is_known[node] = 1;
    std::vector<std::vector<Index>> members(static_cast<std::size_t>(probabilities.columns));
    for (Index node = 0; node < probabilities.rows; ++node) {
        if (is_known[node] == 0) members[argmax(probabilities, node)].push_back(node);
    }
    const std::vector<float> numbers = download(probabilities);
    const auto probability = [&](Index node, Index c) {
        return numbers[static_cast<std::size_t>(node) * members.size() + static_cast<std::size_t>(c)];
    };
    std::vector<Index> labels(is_known.size(), unlabelled);
    for (Index c = 0; c < probabilities.columns; ++c) {
        std::ranges::stable_sort(members[c], std::ranges::greater{},
                                 [&](Index node) { return probability(node, c); });
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
