#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <vector>

#include "hwgcn/metrics/metrics.hpp"

#include "base/random_stream.hpp"

/// Predictions to judge.
namespace hwgcn::predictions {

using Counts = std::vector<std::vector<Index>>;

inline DenseMatrix matrix(std::initializer_list<std::vector<float>> rows) {
    DenseMatrix result(static_cast<Index>(rows.size()), static_cast<Index>(rows.begin()->size()));
    Index i = 0;
    for (const std::vector<float>& row : rows)
        std::copy(row.begin(), row.end(), result.row(i++));
    return result;
}

inline std::vector<Index> all_nodes(std::size_t count) {
    std::vector<Index> nodes(count);
    std::iota(nodes.begin(), nodes.end(), 0);
    return nodes;
}

// Nodes that together have the given confusion matrix.
struct Predictions {
    DenseMatrix probabilities;
    std::vector<Index> labels;
};

// The predicted class gets 0.75, the others share the rest.
inline Predictions with_confusion(const Counts& confusion) {
    const auto classes = static_cast<Index>(confusion.size());
    std::vector<Index> labels, predicted;
    for (Index label = 0; label < classes; ++label) {
        for (Index prediction = 0; prediction < classes; ++prediction) {
            const auto count = static_cast<std::size_t>(confusion[label][prediction]);
            labels.insert(labels.end(), count, label);
            predicted.insert(predicted.end(), count, prediction);
        }
    }
    DenseMatrix probabilities(static_cast<Index>(labels.size()), classes);
    for (Index node = 0; node < probabilities.rows(); ++node) {
        std::fill_n(probabilities.row(node), classes, 0.25F / static_cast<float>(classes - 1));
        probabilities.at(node, predicted[node]) = 0.75F;
    }
    return {probabilities, labels};
}

inline Metrics compare_all(const Predictions& predictions, int bins = 15) {
    return compute_metrics(predictions.probabilities, predictions.labels,
                           all_nodes(predictions.labels.size()), bins);
}

// Rows that sum to one, some of them very sure.
inline Predictions random_predictions(Index nodes, Index classes, std::uint64_t seed) {
    RandomStream random(seed, 0);
    Predictions result{DenseMatrix(nodes, classes), {}};
    for (Index node = 0; node < nodes; ++node) {
        double sum = 0;
        std::vector<double> weights(static_cast<std::size_t>(classes));
        for (double& weight : weights)
            sum += weight = std::exp(8 * random.uniform());
        for (Index c = 0; c < classes; ++c)
            result.probabilities.at(node, c) = static_cast<float>(weights[c] / sum);
        result.labels.push_back(static_cast<Index>(random.below(static_cast<std::uint64_t>(classes))));
    }
    return result;
}

}  // namespace hwgcn::predictions
