#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hwgcn/dataset/synthetic.hpp"
#include "hwgcn/graph/graph.hpp"

#include "models/method_table.hpp"
#include "operators/propagation.hpp"
#include "training/fit.hpp"
#include "training/fit_options.hpp"

namespace hwgcn::testing {

/// A graph to train on, and how.
struct SmallProblem {
    Dataset dataset;
    Propagation propagation;
    std::shared_ptr<const CsrMatrix<float>> features;
    Split split;
    MethodSettings method{"gcn", ""};  // for its network alone
    FitOptions options;
    std::uint64_t seed = 5;
    ExecutionControl control{1, nullptr, nullptr};

    explicit SmallProblem(const SyntheticOptions& synthetic = few_nodes())
        : dataset(make_synthetic(synthetic)),
          propagation(build_propagation(Graph(dataset.nodes, dataset.edges))),
          features(std::make_shared<const CsrMatrix<float>>(row_normalized(dataset.features))),
          split(random_split(dataset, {4, 30, 40, 1})) {
        use("gcn");
        options.epochs = 12;
    }

    static SyntheticOptions few_nodes() {
        SyntheticOptions synthetic;
        synthetic.nodes = 150;
        synthetic.classes = 3;
        synthetic.vocabulary = 40;
        synthetic.words = 6;
        synthetic.topic_share = 0.3;
        return synthetic;
    }

    // Another network, small and with dropout.
    void use(const std::string& name) {
        method = MethodSettings(name, "");
        method.apply(
            method.read_among({{"hidden", "16"}, {"input_dropout", "0.5"}, {"hidden_dropout", "0.5"}}));
    }

    void drop_nothing() { method.apply({{"input_dropout", "0"}, {"hidden_dropout", "0"}}); }

    std::unique_ptr<Network> make() const {
        return make_network(method, {features->columns, dataset.classes(), dataset.nodes});
    }

    FitState start() const { return start_fit(*make(), seed); }

    void go_on(FitState& state, int epochs = std::numeric_limits<int>::max()) const {
        go_on_with(*make(), state, epochs);
    }

    void go_on_with(const Network& made, FitState& state,
                    int epochs = std::numeric_limits<int>::max()) const {
        const LabelledField train =
            training_field(made, propagation, features, split.train, dataset.labels,
                           options.scheme == Scheme::plain ? Extent::as_needed : Extent::all_nodes);
        const LabelledField validation =
            labelled_field(made, propagation, features, split.validation, dataset.labels);
        continue_fit(state, made, train, validation, options, control, epochs);
    }

    FitState fit() const {
        FitState state = start();
        go_on(state);
        return state;
    }
};

inline bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

inline bool same_bits(const DenseMatrix& a, const DenseMatrix& b) {
    const auto bits = [](float number) { return std::bit_cast<std::uint32_t>(number); };
    return a.rows() == b.rows() && a.columns() == b.columns() &&
           std::equal(a.numbers().begin(), a.numbers().end(), b.numbers().begin(), b.numbers().end(),
                      [&](float x, float y) { return bits(x) == bits(y); });
}

inline bool same_bits(const std::vector<DenseMatrix>& a, const std::vector<DenseMatrix>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const DenseMatrix& x, const DenseMatrix& y) { return same_bits(x, y); });
}

inline bool same_bits(const std::vector<TrainableMatrix>& a, const std::vector<TrainableMatrix>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const TrainableMatrix& x, const TrainableMatrix& y) {
                          return x.name == y.name && x.decays == y.decays && same_bits(x.value, y.value);
                      });
}

inline bool same_bits(const EpochRecord& a, const EpochRecord& b) {
    return a.epoch == b.epoch && same_bits(a.rate, b.rate) && same_bits(a.train_loss, b.train_loss) &&
           same_bits(a.validation_loss, b.validation_loss) &&
           same_bits(a.validation_accuracy, b.validation_accuracy) &&
           same_bits(a.validation_selection, b.validation_selection);
}

inline bool same_bits(const FitState& a, const FitState& b) {
    return a.seed == b.seed && a.epoch == b.epoch && a.finished == b.finished &&
           a.best_epoch == b.best_epoch && a.epochs_without_better == b.epochs_without_better &&
           same_bits(a.best_accuracy, b.best_accuracy) && same_bits(a.best_loss, b.best_loss) &&
           same_bits(a.best_criterion, b.best_criterion) && same_bits(a.current, b.current) &&
           same_bits(a.best, b.best) && a.alternative_epoch == b.alternative_epoch &&
           same_bits(a.alternative, b.alternative) && same_bits(a.mean, b.mean) &&
           same_bits(a.square, b.square) &&
           std::equal(a.history.begin(), a.history.end(), b.history.begin(), b.history.end(),
                      [](const EpochRecord& x, const EpochRecord& y) { return same_bits(x, y); });
}

}  // namespace hwgcn::testing
