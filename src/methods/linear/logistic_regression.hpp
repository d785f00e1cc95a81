#pragma once

#include <span>
#include <string>
#include <vector>

#include "hwgcn/base/run_control.hpp"
#include "hwgcn/tensor/dense_matrix.hpp"

#include "methods/classic_method.hpp"
#include "methods/linear/rows.hpp"
#include "tensor/solvers/lbfgs.hpp"

namespace hwgcn {

/// A linear classifier: scores = x Theta + bias, probabilities = softmax(scores).
struct LinearClassifier {
    DenseMatrix theta;  ///< columns of x, and a last row for the bias; x classes
    int iterations = 0;
    double gradient = 0;     ///< its largest number where the search ended
    bool converged = false;  ///< it is below the tolerance
};

/// Rows to learn from, sparse: one per label.
struct LabelledRows {
    const CsrMatrix<float>& rows;
    std::span<const Index> labels;
    Index classes = 0;
    std::span<const double> weights = {};  ///< of each in the loss, about 1; empty: all count the same
};

/// l2/2 |Theta|^2 + bias/2 |b|^2; both must be positive: a class without examples then gets a finite bias.
struct LogisticPenalty {
    double l2 = 0;
    double bias = 0;
};

/// Minimises  1/n sum of weight * -log p(label)  plus the penalty, for n examples, by L-BFGS in double
/// precision from `start`. The minimum is unique. Numbers are stored feature by feature, a class after the
/// other; those of the bias come last. The same bits at any number of threads.
Minimum minimize_logistic_loss(const LabelledRows& examples, LogisticPenalty penalty,
                               std::vector<double> start, const MinimizerOptions& options,
                               const ExecutionControl& control);

/// weight * -log p(label) of every example under such numbers.
std::vector<double> logistic_losses(const LabelledRows& examples, std::span<const double> theta);

/// Their sum.
double total_logistic_loss(const LabelledRows& examples, std::span<const double> theta);

/// The minimum of mean(-log p(label)) + l2/2 |theta|^2, the bias included.
LinearClassifier fit_logistic_regression(const LabelledRows& examples, double l2,
                                         const ExecutionControl& control);

/// What to tell the user about a regression that stopped early: a sentence, or nothing.
std::string note_of(const LinearClassifier& classifier);

/// x Theta + bias of every row.
DenseMatrix linear_scores(const CsrMatrix<float>& rows, ConstMatrixView theta,
                          const ExecutionControl& control);

/// Class probabilities of every row.
DenseMatrix classify(const CsrMatrix<float>& rows, ConstMatrixView theta, const ExecutionControl& control);

/// The share of known nodes whose highest score is that of their label; `scores` has a row for every node.
double accuracy(ConstMatrixView scores, const LabelledNodes& known);

}  // namespace hwgcn
