#include "choice/feature_likeness.hpp"

#include <algorithm>
#include <cmath>

#include "base/random_stream.hpp"

namespace hwgcn {
namespace {

constexpr int most_pairs = 4000;

double dot(const SparseRow<float>& a, const SparseRow<float>& b) {
    double sum = 0;
    for (std::size_t i = 0, j = 0; i < a.indices.size() && j < b.indices.size();) {
        const Index at_a = a.indices[i], at_b = b.indices[j];
        if (at_a == at_b) sum += static_cast<double>(a.values[i]) * static_cast<double>(b.values[j]);
        i += at_a <= at_b ? 1 : 0;
        j += at_b <= at_a ? 1 : 0;
    }
    return sum;
}

struct Mean {
    double sum = 0, squares = 0;
    int count = 0;

    void add(double value) {
        sum += value;
        squares += value * value;
        ++count;
    }
    double value() const { return count > 0 ? sum / count : 0; }
    double variance() const {
        return count > 0 ? std::max(0.0, squares / count - value() * value()) / count : 0;
    }
};

// A node without features is like none.
void add_cosine(const SparseRow<float>& a, const SparseRow<float>& b, Mean& mean) {
    const double lengths = std::sqrt(dot(a, a) * dot(b, b));
    if (lengths > 0) mean.add(dot(a, b) / lengths);
}

}  // namespace

bool FeatureLikeness::is_there() const {
    constexpr double errors = 2.5;
    return value > errors * error;
}

FeatureLikeness feature_likeness(const PreparedGraph& graph) {
    const CsrMatrix<float>& rows = *graph.features.scaled;
    const auto nodes = static_cast<std::uint64_t>(graph.graph.nodes());
    RandomStream random(0, stream_for(StreamPurpose::resamples, 1));
    Mean of_edges, of_pairs;
    for (int k = 0; k < most_pairs && nodes > 0; ++k) {
        const auto node = static_cast<Index>(random.below(nodes));
        const auto other = static_cast<Index>(random.below(nodes));
        const auto neighbors = graph.graph.neighbors(node);
        if (neighbors.empty()) continue;
        add_cosine(rows.row(node), rows.row(neighbors[random.below(neighbors.size())]), of_edges);
        if (other != node) add_cosine(rows.row(node), rows.row(other), of_pairs);
    }
    const double rest = std::max(1 - of_pairs.value(), 1e-9);
    return {(of_edges.value() - of_pairs.value()) / rest,
            std::sqrt(of_edges.variance() + of_pairs.variance()) / rest};
}

}  // namespace hwgcn
