#pragma once

#include <optional>

#include "methods/diffusion/diffusion_choice.hpp"
#include "methods/linear/logistic_regression.hpp"

namespace hwgcn {

/// Learned labels and, of each class, the others that a classifier is surest of: `times` as many as its
/// labels, at most. Each counts 0.3 of a label of its class. Nodes are rows of `rows`.
LabelledNodes with_surest(const CsrMatrix<float>& rows, const LabelledNodes& learned,
                          std::span<const Index> others, std::span<const double> theta, Index classes,
                          double times);

/// A classifier of diffused features, as they are.
struct DiffusedClassifier {
    Minimum minimum;
    DenseMatrix theta;  ///< a row per feature, and a last one for the bias
    double sharpness = 1;
    std::size_t sure_nodes = 0;  ///< that it has learned from, too
};

/// Learns once more with the surest nodes. Nothing where that does not clearly lower the log loss of held-out
/// labels: of a hundred validation nodes or more, else of those there are and of folds.
std::optional<DiffusedClassifier> self_trained(const ClassicGraph& graph, const KnownLabels& known,
                                               const Diffusion& diffusion, const ChosenView& chosen,
                                               int times, const ExecutionControl& control);

}  // namespace hwgcn
