#include "methods/linear/logistic_regression.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/parallel_for.hpp"
#include "methods/linear/softmax_loss.hpp"
#include "tensor/elementwise.hpp"
#include "tensor/products.hpp"
#include "tensor/row_ranges.hpp"

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

// Adds the loss of some of the examples to `value`, and its gradient to `gradient`.
void add_losses(const LabelledRows& examples, RowRange range, std::span<const double> theta, double& value,
                std::span<double> gradient) {
    const double share = 1.0 / examples.rows.rows;
    std::vector<double> scores(static_cast<std::size_t>(examples.classes));
    for (Index i = range.begin; i < range.end; ++i) {
        const SparseRow<float> x = examples.rows.row(i);
        const double factor = examples.weights.empty() ? share : share * examples.weights[i];
        linear_scores(x, theta, scores);
        value += factor * softmax_loss(scores, examples.labels[i]);
        add_outer_product(x, scores, factor, gradient);
    }
}

// Many examples are cut into pieces, by their number alone, which threads share.
class LogisticObjective {
  public:
    LogisticObjective(const LabelledRows& examples, LogisticPenalty penalty, std::size_t numbers,
                      const ExecutionControl& control)
        : examples_(examples),
          penalty_(penalty),
          pieces_(std::clamp<Index>(examples.rows.rows / worth_a_piece, 1, most_pieces)),
          values_(static_cast<std::size_t>(pieces_)),
          gradients_(static_cast<std::size_t>(pieces_ - 1), std::vector<double>(numbers)),
          control_{control.threads, nullptr, control.stop} {}

    double operator()(std::span<const double> theta, std::span<double> gradient) {
        std::ranges::fill(values_, 0.0);
        for (std::size_t k = 0; k < theta.size(); ++k) {
            const bool is_bias = k + static_cast<std::size_t>(examples_.classes) >= theta.size();
            const double l2 = is_bias ? penalty_.bias : penalty_.l2;
            gradient[k] = l2 * theta[k];
            values_[0] += 0.5 * l2 * theta[k] * theta[k];
        }
        if (pieces_ == 1) {
            add_losses(examples_, {0, examples_.rows.rows}, theta, values_[0], gradient);
            return values_[0];
        }
        parallel_for(pieces_, 1, control_, [&](int, std::int64_t piece) {
            const auto place = static_cast<std::size_t>(piece);
            const std::span<double> own = piece == 0 ? gradient : std::span(gradients_[place - 1]);
            if (piece > 0) std::ranges::fill(own, 0.0);
            add_losses(examples_, piece_of(examples_.rows.rows, piece, pieces_), theta, values_[place], own);
        });
        for (const std::vector<double>& part : gradients_) {
            for (std::size_t k = 0; k < part.size(); ++k)
                gradient[k] += part[k];
        }
        return std::accumulate(values_.begin(), values_.end(), 0.0);
    }

  private:
    static constexpr Index worth_a_piece = 1 << 14;
    static constexpr Index most_pieces = 16;

    const LabelledRows& examples_;
    LogisticPenalty penalty_;
    Index pieces_;
    std::vector<double> values_;
    std::vector<std::vector<double>> gradients_;  // of all pieces but the first
    ExecutionControl control_;
};

}  // namespace

Minimum minimize_logistic_loss(const LabelledRows& examples, LogisticPenalty penalty,
                               std::vector<double> start, const MinimizerOptions& options,
                               const ExecutionControl& control) {
    LogisticObjective objective(examples, penalty, start.size(), control);
    return minimize(std::ref(objective), std::move(start), options, control);
}

std::vector<double> logistic_losses(const LabelledRows& examples, std::span<const double> theta) {
    std::vector<double> losses, scores(static_cast<std::size_t>(examples.classes));
    for (Index i = 0; i < examples.rows.rows; ++i) {
        linear_scores(examples.rows.row(i), theta, scores);
        const double weight = examples.weights.empty() ? 1.0 : examples.weights[i];
        losses.push_back(weight * softmax_loss(scores, examples.labels[i]));
    }
    return losses;
}

double total_logistic_loss(const LabelledRows& examples, std::span<const double> theta) {
    const std::vector<double> losses = logistic_losses(examples, theta);
    return std::accumulate(losses.begin(), losses.end(), 0.0);
}

LinearClassifier fit_logistic_regression(const LabelledRows& examples, double l2,
                                         const ExecutionControl& control) {
    const Index features = examples.rows.columns;
    const auto classes = static_cast<std::size_t>(examples.classes);
    const Minimum minimum = minimize_logistic_loss(
        examples, {l2, l2}, std::vector<double>((static_cast<std::size_t>(features) + 1) * classes), {},
        control);
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
