#include "methods/diffusion/self_training.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/parallel_for.hpp"
#include "base/random_sample.hpp"
#include "methods/linear/row_coordinates.hpp"
#include "methods/linear/strength_choice.hpp"
#include "tensor/elementary.hpp"

namespace hwgcn {
namespace {

// What a sure node counts; how many there are at most; and numbers of the rows that they are drawn from.
constexpr double weight_of_sure_nodes = 0.3;
constexpr double most_sure_nodes = 500;
constexpr double most_numbers = 1e7;

constexpr std::size_t enough_validation_nodes = 100;
// What the scores may be multiplied by, in powers of 2: guesses that are learned from make a classifier too
// sure.
constexpr int least_power = -4;
constexpr int largest_power = 8;
constexpr MinimizerOptions rough = {3e-4, 100};

struct Guess {
    Index node = 0;
    Index label = 0;
    double probability = 0;
};

// The class with the highest score, and its probability.
Guess guess_of(const CsrMatrix<float>& rows, Index node, std::span<const double> theta, Index classes) {
    std::vector<double> scores(theta.end() - classes, theta.end());
    const SparseRow<float> row = rows.row(node);
    for (std::size_t e = 0; e < row.size(); ++e) {
        const double* weights = theta.data() + static_cast<std::size_t>(row.indices[e]) * scores.size();
        for (std::size_t c = 0; c < scores.size(); ++c)
            scores[c] += static_cast<double>(row.values[e]) * weights[c];
    }
    const auto highest = std::ranges::max_element(scores);
    double sum = 0;
    for (const double score : scores)
        sum += exponential(score - *highest);
    return {node, static_cast<Index>(highest - scores.begin()), 1 / sum};
}

// Examples at some rows of a matrix.
struct Examples {
    CsrMatrix<float> rows;
    const LabelledNodes& labelled;
    Index classes;

    Examples(const CsrMatrix<float>& all, const LabelledNodes& of, Index count)
        : rows(sparse_rows(all, of.nodes)), labelled(of), classes(count) {}

    LabelledRows view() const { return {rows, labelled.labels, classes, labelled.weights}; }
};

Minimum fitted(const Examples& examples, double strength, std::vector<double> start,
               const MinimizerOptions& options, const ExecutionControl& control) {
    start.resize((static_cast<std::size_t>(examples.rows.columns) + 1) *
                 static_cast<std::size_t>(examples.classes));
    return minimize_with_strength(examples.view(), strength, std::move(start), options, control);
}

// The penalty keeps its part of the loss.
double strength_with(const LabelledNodes& more, std::size_t labels, double strength) {
    const auto first = more.weights.begin(), last = first + static_cast<std::ptrdiff_t>(labels);
    return strength * std::accumulate(first, more.weights.end(), 0.0) / std::accumulate(first, last, 0.0);
}

// For every power of 2 that scores may be multiplied by, the losses of the judged labels.
using LossesOfPowers = std::vector<std::vector<double>>;

LossesOfPowers losses_of_powers(const Examples& judged, const Examples& learned,
                                const std::vector<double>& theta) {
    LossesOfPowers losses;
    for (int power = least_power; power <= largest_power; ++power)
        losses.push_back(
            logistic_losses(judged.view(), sharpened(theta, learned.view(), std::ldexp(1.0, power))));
    return losses;
}

// Labelled nodes and others in one view: rows of labelled nodes come first, the training nodes before all.
class SelfTraining {
  public:
    SelfTraining(const ClassicGraph& graph, const KnownLabels& known, const Diffusion& diffusion,
                 const ChosenView& chosen, double times, const ExecutionControl& control)
        : chosen_(chosen), classes_(graph.classes), times_(times), control_(control) {
        std::vector<Index> nodes;
        std::vector<char> trains(static_cast<std::size_t>(graph.nodes()), 0);
        for (const bool training : {true, false}) {
            LabelledNodes& part = training ? places_.train : places_.validation;
            part = training ? known.train
                            : thinned(known.validation, static_cast<std::size_t>(2 * most_sure_nodes));
            for (Index& node : part.nodes) {
                if (training) trains[node] = 1;
                nodes.push_back(node);
                node = static_cast<Index>(nodes.size() - 1);
            }
        }
        const double columns = std::max(graph.features.columns, Index{1});
        for (const std::size_t node :
             random_sample(trains.size(), static_cast<std::size_t>(most_numbers / columns))) {
            if (trains[node] != 0) continue;
            others_.push_back(static_cast<Index>(nodes.size()));
            nodes.push_back(static_cast<Index>(node));
        }
        const CsrMatrix<float> given =
            DiffusedNodes(graph, {diffusion}, nodes).rows(0, chosen.view.unit_rows, control);
        const std::vector<Index> all = all_indices(given.rows);
        columns_.emplace(given, all,
                         chosen.view.even_columns ? EvenColumns::Units::even : EvenColumns::Units::given);
        rows_ = columns_->rows(given, all);
    }

    // The sharpness of the second classifier, where held-out labels want it.
    std::optional<double> sharpness() const {
        std::vector<HeldOutLabels> trials;
        if (places_.validation.nodes.size() < enough_validation_nodes) trials = folds_of(places_.train);
        trials.push_back({places_.train, places_.validation});
        std::erase_if(trials, [&](HeldOutLabels& trial) {
            trial.judged = of_learned_classes(trial.judged, trial.learned, classes_);
            return trial.judged.nodes.empty();
        });
        if (trials.empty()) return std::nullopt;
        std::vector<LossesOfPowers> once(trials.size()), twice(trials.size());
        const ExecutionControl single{1, nullptr, control_.stop};
        parallel_for(static_cast<std::int64_t>(trials.size()), 1, control_, [&](int, std::int64_t number) {
            const auto k = static_cast<std::size_t>(number);
            std::tie(once[k], twice[k]) = losses(trials[k], trials.size() > 1 ? single : control_);
        });
        const Sharpness before = best_sharpness(once, least_power), best = best_sharpness(twice, least_power);
        if (!clearly_lower(best.losses, before.losses)) return std::nullopt;
        return best.factor;
    }

    DiffusedClassifier trained(double sharpness) const {
        const Examples labelled(rows_, places_.train, classes_);
        Minimum first = fitted(labelled, chosen_.strength, {}, rough, control_);
        const LabelledNodes more = surest(labelled, first.x);
        const Examples examples(rows_, more, classes_);
        const double strength = strength_with(more, places_.train.nodes.size(), chosen_.strength);
        DiffusedClassifier result{fitted(examples, strength, std::move(first.x), {}, control_), {}};
        result.theta =
            columns_->for_given_features(sharpened(result.minimum.x, examples.view(), sharpness), classes_);
        result.sharpness = sharpness;
        result.sure_nodes = more.nodes.size() - places_.train.nodes.size();
        return result;
    }

  private:
    LabelledNodes surest(const Examples& learned, const std::vector<double>& theta) const {
        return with_surest(rows_, learned.labelled, others_,
                           sharpened(theta, learned.view(), chosen_.sharpness), classes_, times_);
    }

    // Of the judged labels: with the labels alone, and with the surest nodes.
    std::pair<LossesOfPowers, LossesOfPowers> losses(const HeldOutLabels& trial,
                                                     const ExecutionControl& control) const {
        const Examples learned(rows_, trial.learned, classes_), judged(rows_, trial.judged, classes_);
        const std::vector<double> first = fitted(learned, chosen_.strength, {}, rough, control).x;
        const LabelledNodes more = surest(learned, first);
        const auto count = static_cast<Index>(more.nodes.size());
        LabelledNodes both = more;  // rows of all, which coordinates are of
        both.nodes.insert(both.nodes.end(), trial.judged.nodes.begin(), trial.judged.nodes.end());
        CsrMatrix<float> rows = sparse_rows(rows_, both.nodes);
        if (2 * count < rows.columns) rows = row_coordinates(rows, count, control);
        std::vector<Index> places = all_indices(rows.rows);
        const LabelledNodes again{{places.begin(), places.begin() + count}, more.labels, more.weights};
        const LabelledNodes judges{
            {places.begin() + count, places.end()}, trial.judged.labels, trial.judged.weights};
        const Examples examples(rows, again, classes_), held(rows, judges, classes_);
        const double strength = strength_with(more, trial.learned.nodes.size(), chosen_.strength);
        const std::vector<double> second = fitted(examples, strength, {}, rough, control).x;
        return {losses_of_powers(judged, learned, first), losses_of_powers(held, examples, second)};
    }

    const ChosenView& chosen_;
    Index classes_;
    double times_;
    const ExecutionControl& control_;
    KnownLabels places_;
    std::vector<Index> others_;
    std::optional<EvenColumns> columns_;
    CsrMatrix<float> rows_;
};

}  // namespace

LabelledNodes with_surest(const CsrMatrix<float>& rows, const LabelledNodes& learned,
                          std::span<const Index> others, std::span<const double> theta, Index classes,
                          double times) {
    const auto width = static_cast<std::size_t>(classes);
    std::vector<std::vector<Guess>> guesses(width);
    for (const Index node : others) {
        const Guess guess = guess_of(rows, node, theta, classes);
        guesses[guess.label].push_back(guess);
    }
    std::vector<double> labels(width, 0.0), weights(width, 0.0);
    for (std::size_t k = 0; k < learned.nodes.size(); ++k) {
        labels[learned.labels[k]] += 1;
        weights[learned.labels[k]] += learned.weights.empty() ? 1.0 : learned.weights[k];
    }
    LabelledNodes all = learned;
    all.weights.resize(all.nodes.size(), 1.0);
    for (std::size_t c = 0; c < width; ++c) {
        std::ranges::stable_sort(guesses[c], std::greater(), &Guess::probability);
        const auto most = static_cast<std::size_t>(times * labels[c]);
        for (std::size_t k = 0; k < std::min(most, guesses[c].size()); ++k) {
            all.nodes.push_back(guesses[c][k].node);
            all.labels.push_back(guesses[c][k].label);
            all.weights.push_back(weight_of_sure_nodes * weights[c] / labels[c]);
        }
    }
    return all;
}

std::optional<DiffusedClassifier> self_trained(const ClassicGraph& graph, const KnownLabels& known,
                                               const Diffusion& diffusion, const ChosenView& chosen,
                                               int times, const ExecutionControl& control) {
    const auto labels = static_cast<double>(known.train.nodes.size());
    const double most = std::min(static_cast<double>(times), most_sure_nodes / labels);
    if (chosen.judges.empty() || most < 1) return std::nullopt;
    const SelfTraining training(graph, known, diffusion, chosen, most, control);
    const std::optional<double> sharpness = training.sharpness();
    if (!sharpness) return std::nullopt;
    return training.trained(*sharpness);
}

}  // namespace hwgcn
