#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/parallel_for.hpp"
#include "base/random_sample.hpp"
#include "methods/linear/even_columns.hpp"
#include "methods/linear/logistic_regression.hpp"
#include "methods/method_definition.hpp"
#include "tensor/elementwise.hpp"

namespace hwgcn {
namespace {

// Strengths of the penalty that are tried: powers of 4, from the number of examples, which leaves hardly more
// than the classes' shares, down to this one.
constexpr int weakest_power = -9;
constexpr double strength_without_choice = 1;

// The bias is hardly penalised: just enough for a class without examples.
constexpr double bias_strength = 1e-3;

constexpr Index most_folds = 5;
constexpr std::size_t most_examples_to_choose_by = 5000;

// So many numbers of this size a search of L-BFGS keeps, and so many bytes may all of them take.
constexpr double vectors_of_a_search = 26;
constexpr double most_bytes = 1e9;

constexpr MinimizerOptions when_choosing{1e-5, 300};

struct Examples {
    CsrMatrix<float> rows;
    std::vector<Index> labels;
    std::vector<double> weights;
    Index classes = 0;

    LabelledRows view() const { return {rows, labels, classes, weights}; }
};

// All of them, or so many drawn at random.
LabelledNodes thinned(const LabelledNodes& all, std::size_t most) {
    if (all.nodes.size() <= most) return all;
    LabelledNodes some;
    for (const std::size_t place : random_sample(all.nodes.size(), most)) {
        some.nodes.push_back(all.nodes[place]);
        some.labels.push_back(all.labels[place]);
        if (!all.weights.empty()) some.weights.push_back(all.weights[place]);
    }
    return some;
}

// Learned from some labels and judged by others.
struct Trial {
    Examples learned, judged;
    std::vector<double> theta = {};  // the last one found, where the next search starts
    double loss = 0;
};

// Minimises  sum of weight * -log p(label)  +  strength/2 |Theta|^2.
class StrengthChoice {
  public:
    StrengthChoice(const ClassicGraph& graph, const EvenColumns& columns, const KnownLabels& known)
        : graph_(graph), columns_(columns) {
        const LabelledNodes train = thinned(known.train, most_examples_to_choose_by);
        add_folds(train);
        if (!known.validation.nodes.empty())
            add_trial(train, thinned(known.validation, most_examples_to_choose_by));
    }

    double choose(const ExecutionControl& control) {
        if (trials_.empty()) return strength_without_choice;
        int power = 0;
        while (std::ldexp(1.0, 2 * power) < trials_.back().learned.rows.rows)
            ++power;
        double best_loss = std::numeric_limits<double>::infinity(), best = strength_without_choice;
        for (; power >= weakest_power; --power) {
            const double strength = std::ldexp(1.0, 2 * power);
            const double loss = held_out_loss(strength, control);
            if (!(loss < best_loss)) continue;
            best_loss = loss;
            best = strength;
        }
        return best;
    }

    /// "5 folds and 500 validation nodes"
    std::string judges() const {
        std::string text = folds_ > 0 ? fmt::format("{} folds", folds_) : "";
        if (trials_.size() == static_cast<std::size_t>(folds_)) return text;
        return text + (text.empty() ? "" : " and ") +
               fmt::format("{} validation nodes", trials_.back().judged.rows.rows);
    }

  private:
    Examples examples(const LabelledNodes& labelled) const {
        return {columns_.rows(graph_.features, labelled.nodes), labelled.labels, labelled.weights,
                graph_.classes};
    }

    void add_trial(const LabelledNodes& learned, const LabelledNodes& judged) {
        trials_.push_back({examples(learned), examples(judged)});
        trials_.back().theta.resize((static_cast<std::size_t>(columns_.columns()) + 1) *
                                    static_cast<std::size_t>(graph_.classes));
    }

    // The examples of each class go round the folds.
    void add_folds(const LabelledNodes& train) {
        const auto count = static_cast<Index>(train.nodes.size());
        folds_ = count < 4 ? 0 : std::min(most_folds, count / 2);
        std::vector<Index> order = all_indices(count);
        std::ranges::stable_sort(order, {}, [&](Index k) { return train.labels[k]; });
        for (Index fold = 0; fold < folds_; ++fold) {
            LabelledNodes learned, judged;
            for (Index k = 0; k < count; ++k) {
                LabelledNodes& part = k % folds_ == fold ? judged : learned;
                part.nodes.push_back(train.nodes[order[k]]);
                part.labels.push_back(train.labels[order[k]]);
                if (!train.weights.empty()) part.weights.push_back(train.weights[order[k]]);
            }
            add_trial(learned, judged);
        }
    }

    double held_out_loss(double strength, const ExecutionControl& control) {
        const double bytes = vectors_of_a_search * 8 * static_cast<double>(trials_.front().theta.size());
        const ExecutionControl limited{
            std::clamp(static_cast<int>(most_bytes / bytes), 1, thread_count(control)), nullptr,
            control.stop};
        const ExecutionControl single{1, nullptr, control.stop};
        parallel_for(static_cast<std::int64_t>(trials_.size()), 1, limited, [&](int, std::int64_t number) {
            Trial& trial = trials_[static_cast<std::size_t>(number)];
            const double count = trial.learned.rows.rows;
            trial.theta =
                minimize_logistic_loss(trial.learned.view(), {strength / count, bias_strength / count},
                                       std::move(trial.theta), when_choosing, single)
                    .x;
            trial.loss = total_logistic_loss(trial.judged.view(), trial.theta);
        });
        double sum = 0;
        for (const Trial& trial : trials_)
            sum += trial.loss;
        return sum;
    }

    const ClassicGraph& graph_;
    const EvenColumns& columns_;
    std::vector<Trial> trials_;
    Index folds_ = 0;
};

// Z = X Theta + b, and P = softmax(Z): multinomial logistic regression.
class LinearNetwork final : public Network {
  public:
    explicit LinearNetwork(NetworkShape shape) : shape_(shape) {}

    int steps() const override { return 0; }

    std::vector<TrainableMatrix> initial_parameters(std::uint64_t) const override {
        return {{"theta", DenseMatrix(shape_.features, shape_.classes), true},
                {"bias", DenseMatrix(1, shape_.classes), false}};
    }

    Variable scores(Pass& pass) const override {
        return add_row(pass.tape(), pass.features_times(pass.parameter(0), 0.0), pass.parameter(1));
    }

    std::optional<PropagatedTerms> propagated_terms(Pass& pass) const override {
        return PropagatedTerms{pass.features_times(pass.parameter(0), 0.0), {1.0F}, pass.parameter(1)};
    }

  private:
    NetworkShape shape_;
};

struct NoOptions {};

class Linear final : public ClassicMethod {
  public:
    explicit Linear(NoOptions) {}

    std::vector<TrainableMatrix> empty_parameters(NetworkShape shape) const override {
        return LinearNetwork(shape).initial_parameters(0);
    }

    ClassicModel learn(const ClassicGraph& graph, const KnownLabels& known, std::uint64_t,
                       const ExecutionControl& control) const override {
        const EvenColumns columns(graph.features, known.train.nodes);
        StrengthChoice choice(graph, columns, known);
        const double strength = choice.choose(control);
        const CsrMatrix<float> rows = columns.rows(graph.features, known.train.nodes);
        const double count = rows.rows;
        const Minimum minimum =
            minimize_logistic_loss({rows, known.train.labels, graph.classes, known.train.weights},
                                   {strength / count, bias_strength / count},
                                   std::vector<double>((static_cast<std::size_t>(columns.columns()) + 1) *
                                                       static_cast<std::size_t>(graph.classes)),
                                   {}, control);
        ClassicModel model = describe(minimum, strength, choice.judges());
        const DenseMatrix all = columns.for_given_features(minimum.x, graph.classes);
        model.parameters = empty_parameters({graph.features.columns, graph.classes, 0, 1});
        for (Index f = 0; f < all.rows(); ++f) {
            float* target =
                f + 1 < all.rows() ? model.parameters[0].value.row(f) : model.parameters[1].value.row(0);
            std::copy_n(all.row(f), graph.classes, target);
        }
        return model;
    }

    DenseMatrix probabilities(const ClassicGraph& graph, std::span<const TrainableMatrix> parameters,
                              const ExecutionControl& control) const override {
        const DenseMatrix& theta = parameters[0].value;
        DenseMatrix with_bias(theta.rows() + 1, theta.columns());
        for (Index f = 0; f < with_bias.rows(); ++f) {
            std::copy_n(f < theta.rows() ? theta.row(f) : parameters[1].value.row(0), theta.columns(),
                        with_bias.row(f));
        }
        return classify(graph.features, with_bias, control);
    }

  private:
    static ClassicModel describe(const Minimum& minimum, double strength, const std::string& judges) {
        ClassicModel model;
        model.summary = fmt::format("L2 strength {:g}{}, {} steps to a gradient of {:.1e}.", strength,
                                    judges.empty() ? "" : fmt::format(" by the log loss of {}", judges),
                                    minimum.iterations, minimum.gradient);
        if (!minimum.converged) {
            model.notes.push_back(fmt::format(
                "logistic regression: stopped after {} steps with a gradient of {:.1e}, short of {:.1e}",
                minimum.iterations, minimum.gradient, MinimizerOptions().tolerance));
        }
        return model;
    }
};

}  // namespace

MethodDefinition linear_method() {
    return classic_method<Linear>(
        {.name = "linear",
         .title = "Linear",
         .description = "logistic regression on the features, without the graph (baseline)",
         .uses_graph = false,
         .weighs_labels = true},
        std::vector<Parameter<NoOptions>>(),
        [](NetworkShape shape) { return std::make_unique<LinearNetwork>(shape); });
}

}  // namespace hwgcn
