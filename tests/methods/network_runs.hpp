#pragma once

#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "hwgcn/base/error.hpp"

#include "autodiff/small_field.hpp"
#include "models/method_table.hpp"

namespace hwgcn::testing {

/// What one pass of a network computes.
struct NetworkRun {
    DenseMatrix scores;
    std::vector<float> penalties;
    std::vector<DenseMatrix> gradients;  ///< of the cross-entropy of made-up labels, and of the penalties
};

/// Every output, with one of three classes.
struct MadeUpLabels {
    std::vector<Index> rows;
    std::vector<Index> labels;

    explicit MadeUpLabels(std::span<const Index> outputs) {
        for (const Index node : outputs) {
            rows.push_back(static_cast<Index>(rows.size()));
            labels.push_back(node % 3);
        }
    }
};

inline NetworkRun run_network(const Network& network, const std::vector<TrainableMatrix>& parameters,
                              const ReceptiveField& field, std::optional<DropoutSeed> dropout,
                              int threads = 1) {
    Workspace workspace;
    const ExecutionControl control{.threads = threads};
    Tape tape(workspace, control, true);
    NetworkRun run;
    for (const TrainableMatrix& parameter : parameters)
        run.gradients.emplace_back(parameter.value.rows(), parameter.value.columns());
    std::vector<Variable> variables;
    for (std::size_t k = 0; k < parameters.size(); ++k)
        variables.push_back(tape.parameter(parameters[k].value, run.gradients[k]));
    Pass pass(tape, field, variables, dropout);
    const MadeUpLabels known(*field.outputs);
    if (dropout) pass.set_labels({known.rows, known.labels});
    const Variable scores = network.scores(pass);
    const ConstMatrixView value = tape.value(scores);
    run.scores = DenseMatrix(value.rows, value.columns);
    std::memcpy(run.scores.numbers().data(), value.data, run.scores.numbers().size_bytes());
    Variable loss = cross_entropy(tape, scores, known.labels);
    for (const Variable penalty : pass.penalties()) {
        run.penalties.push_back(tape.value(penalty).at(0, 0));
        loss = combine(tape, 1.0F, loss, 1.0F, penalty);
    }
    tape.backward(loss);
    return run;
}

/// The same with the parameters that training begins with.
inline NetworkRun run_network(const Network& network, const ReceptiveField& field,
                              std::optional<DropoutSeed> dropout, int threads = 1, std::uint64_t seed = 3) {
    return run_network(network, network.initial_parameters(seed), field, dropout, threads);
}

inline bool same_bits(const DenseMatrix& a, const DenseMatrix& b) {
    return a.rows() == b.rows() && a.columns() == b.columns() &&
           std::memcmp(a.numbers().data(), b.numbers().data(), a.numbers().size_bytes()) == 0;
}

// Matrices in double precision, for oracles.

inline DenseDouble dense(const DenseMatrix& matrix) {
    DenseDouble result = zeros(matrix.rows(), matrix.columns());
    for (Index i = 0; i < matrix.rows(); ++i) {
        for (Index j = 0; j < matrix.columns(); ++j)
            result[i][j] = static_cast<double>(matrix.at(i, j));
    }
    return result;
}

inline DenseDouble product(const DenseDouble& a, const DenseDouble& b) {
    DenseDouble result = zeros(static_cast<Index>(a.size()), static_cast<Index>(b[0].size()));
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t k = 0; k < b.size(); ++k) {
            for (std::size_t j = 0; j < b[0].size(); ++j)
                result[i][j] += a[i][k] * b[k][j];
        }
    }
    return result;
}

/// The masks of a pass, drawn again in the order in which a network draws them.
class Masks {
  public:
    explicit Masks(std::optional<DropoutSeed> seed) : seed_(seed) {}

    /// The next one. Without a seed, everything is kept.
    void draw(std::size_t count, double rate) {
        if (!seed_) return;
        mask_ = draw_mask(workspace_, count, rate, MaskStream{seed_->seed, stream_of(*seed_, number_++)});
    }

    /// What a number with this bit is multiplied by.
    double factor(std::size_t bit) const {
        if (!seed_) return 1.0;
        return (mask_.bits[bit / 64] >> bit % 64 & 1) != 0 ? static_cast<double>(mask_.scale) : 0.0;
    }

    /// draw() for a dense matrix and its product with the factors; rows are nodes.
    DenseDouble drop(DenseDouble h, double rate) {
        const std::size_t stride = row_stride(static_cast<Index>(h[0].size()));
        draw(h.size() * stride, rate);
        for (std::size_t i = 0; i < h.size(); ++i) {
            for (std::size_t j = 0; j < h[0].size(); ++j)
                h[i][j] *= factor(i * stride + j);
        }
        return h;
    }

    /// The same for the stored entries of a sparse matrix.
    DenseDouble drop(const CsrMatrix<float>& x, double rate) {
        draw(static_cast<std::size_t>(x.entries()), rate);
        DenseDouble result = zeros(x.rows, x.columns);
        std::size_t entry = 0;
        for (Index i = 0; i < x.rows; ++i) {
            const SparseRow<float> row = x.row(i);
            for (std::size_t e = 0; e < row.size(); ++e)
                result[i][row.indices[e]] = static_cast<double>(row.values[e]) * factor(entry++);
        }
        return result;
    }

  private:
    std::optional<DropoutSeed> seed_;
    std::uint32_t number_ = 0;
    Workspace workspace_;
    DropMask mask_;
};

}  // namespace hwgcn::testing
