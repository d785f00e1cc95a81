#include "classic/logistic_regression.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "classic/softmax_loss.hpp"
#include "linalg/elementwise.hpp"
#include "linalg/lbfgs.hpp"
#include "linalg/products.hpp"

namespace hwgcn {
namespace {

// scores = bias + x Theta; theta is stored row by row, the bias last.
void linear_scores(const SparseRow<float>& x, std::span<const double> theta, std::span<double> scores) {
    const std::size_t classes = scores.size();
    std::copy_n(theta.end() - static_cast<std::ptrdiff_t>(classes), classes, scores.begin());
    for (std::size_t e = 0; e < x.size(); ++e) {
        const double* row = theta.data() + static_cast<std::size_t>(x.indices[e]) * classes;
        for (std::size_t c = 0; c < classes; ++c)
            scores[c] += static_cast<double>(x.values[e]) * row[c];
    }
}

void add_outer_product(const SparseRow<float>& x, std::span<const double> scores, double factor,
                       std::span<double> gradient) {
    const std::size_t classes = scores.size();
    for (std::size_t e = 0; e < x.size(); ++e) {
        double* row = gradient.data() + static_cast<std::size_t>(x.indices[e]) * classes;
        for (std::size_t c = 0; c < classes; ++c)
            row[c] += factor * static_cast<double>(x.values[e]) * scores[c];
    }
    double* bias = gradient.data() + gradient.size() - classes;
    for (std::size_t c = 0; c < classes; ++c)
        bias[c] += factor * scores[c];
}

}  // namespace

LinearClassifier fit_logistic_regression(const LabelledRows& examples, double l2,
                                         const ExecutionControl& control) {
    const auto classes = static_cast<std::size_t>(examples.classes);
    const Index features = examples.rows.columns;
    const double share = 1.0 / examples.rows.rows;
    std::vector<double> scores(classes);
    const Objective objective = [&](std::span<const double> theta, std::span<double> gradient) {
        double value = 0;
        for (std::size_t k = 0; k < theta.size(); ++k) {
            gradient[k] = l2 * theta[k];
            value += 0.5 * l2 * theta[k] * theta[k];
        }
        for (Index i = 0; i < examples.rows.rows; ++i) {
            const SparseRow<float> x = examples.rows.row(i);
            linear_scores(x, theta, scores);
            value += share * softmax_loss(scores, examples.labels[i]);
            add_outer_product(x, scores, share, gradient);
        }
        return value;
    };
    const Minimum minimum = minimize(
        objective, std::vector<double>((static_cast<std::size_t>(features) + 1) * classes), {}, control);
    LinearClassifier classifier{DenseMatrix(features + 1, examples.classes), minimum.iterations,
                                minimum.gradient, minimum.converged};
    for (Index f = 0; f <= features; ++f) {
        for (Index c = 0; c < examples.classes; ++c)
            classifier.theta.at(f, c) = static_cast<float>(
                minimum.x[static_cast<std::size_t>(f) * classes + static_cast<std::size_t>(c)]);
    }
    return classifier;
}

DenseMatrix linear_scores(const CsrMatrix<float>& rows, ConstMatrixView theta,
                          const ExecutionControl& control) {
    const ConstMatrixView weights{theta.data, theta.rows - 1, theta.columns};
    const float* bias = theta.row(theta.rows - 1);
    DenseMatrix scores(rows.rows, theta.columns);
    multiply(rows, nullptr, weights, scores, Write::replace, control);
    for (Index i = 0; i < rows.rows; ++i) {
        for (Index c = 0; c < theta.columns; ++c)
            scores.at(i, c) += bias[c];
    }
    return scores;
}

DenseMatrix classify(const CsrMatrix<float>& rows, ConstMatrixView theta, const ExecutionControl& control) {
    DenseMatrix scores = linear_scores(rows, theta, control);
    activate(Activation::softmax, scores, scores);
    return scores;
}

std::string note_of(const LinearClassifier& classifier) {
    if (classifier.converged) return "";
    return fmt::format(
        "logistic regression: stopped after {} steps with a gradient of {:.1e}; a larger "
        "`classifier_l2` is easier",
        classifier.iterations, classifier.gradient);
}

double accuracy(ConstMatrixView scores, const LabelledNodes& known) {
    std::int64_t correct = 0;
    for (std::size_t k = 0; k < known.nodes.size(); ++k)
        correct += argmax(scores, known.nodes[k]) == known.labels[k] ? 1 : 0;
    return known.nodes.empty() ? 0.0 : static_cast<double>(correct) / static_cast<double>(known.nodes.size());
}

}  // namespace hwgcn
