#include "methods/linear/strength_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/parallel_for.hpp"
#include "base/random_sample.hpp"
#include "tensor/elementary.hpp"

namespace hwgcn {
namespace {

constexpr Index most_folds = 5;
constexpr std::size_t most_examples_to_choose_by = 5000;

// The log likelihood that sharper scores must gain: a few labels that all are right would want no end of it.
constexpr double least_gain = 1;

// So many numbers of this size a search of L-BFGS keeps, and so many bytes may all of them take.
constexpr double vectors_of_a_search = 26;
constexpr double most_bytes = 1e9;

}  // namespace

Minimum minimize_with_strength(const LabelledRows& examples, double strength, std::vector<double> theta,
                               const MinimizerOptions& options, const ExecutionControl& control) {
    const double count = examples.rows.rows;
    return minimize_logistic_loss(examples, {strength / count, bias_strength / count}, std::move(theta),
                                  options, control);
}

std::vector<double> sharpened(std::vector<double> theta, const LabelledRows& examples, double sharpness) {
    if (sharpness == 1) return theta;
    std::vector<double> shares(static_cast<std::size_t>(examples.classes));
    for (Index i = 0; i < examples.rows.rows; ++i)
        shares[examples.labels[i]] +=
            (examples.weights.empty() ? 1.0 : examples.weights[i]) / examples.rows.rows;
    for (double& number : theta)
        number *= sharpness;
    double* bias = theta.data() + theta.size() - shares.size();
    for (std::size_t c = 0; c < shares.size(); ++c)
        bias[c] -= (sharpness - 1) * (shares[c] > 0 ? logarithm(shares[c]) : bias[c] / sharpness);
    return theta;
}

LabelledNodes labels_at(const LabelledNodes& all, std::span<const std::size_t> places) {
    LabelledNodes some;
    for (const std::size_t place : places) {
        some.nodes.push_back(all.nodes[place]);
        some.labels.push_back(all.labels[place]);
        if (!all.weights.empty()) some.weights.push_back(all.weights[place]);
    }
    return some;
}

LabelledNodes thinned(const LabelledNodes& all, std::size_t most) {
    return all.nodes.size() <= most ? all : labels_at(all, random_sample(all.nodes.size(), most));
}

LabelledNodes of_learned_classes(const LabelledNodes& judged, const LabelledNodes& learned, Index classes) {
    std::vector<char> is_learned(static_cast<std::size_t>(classes), 0);
    for (const Index label : learned.labels)
        is_learned[label] = 1;
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < judged.labels.size(); ++k) {
        if (is_learned[judged.labels[k]] != 0) places.push_back(k);
    }
    return labels_at(judged, places);
}

std::vector<HeldOutLabels> folds_of(const LabelledNodes& train) {
    const auto count = static_cast<Index>(train.nodes.size());
    const Index folds = count < 4 ? 0 : std::min(most_folds, count / 2);
    std::vector<std::size_t> order(train.nodes.size());
    for (std::size_t k = 0; k < order.size(); ++k)
        order[k] = k;
    std::ranges::stable_sort(order, {}, [&](std::size_t k) { return train.labels[k]; });
    std::vector<HeldOutLabels> result;
    for (Index fold = 0; fold < folds; ++fold) {
        std::vector<std::size_t> parts[2];
        for (Index k = 0; k < count; ++k)
            parts[k % folds == fold ? 1 : 0].push_back(order[k]);
        result.push_back({labels_at(train, parts[0]), labels_at(train, parts[1])});
    }
    return result;
}

bool clearly_lower(const std::vector<double>& losses, const std::vector<double>& than) {
    double sum = 0, squares = 0;
    for (std::size_t k = 0; k < losses.size(); ++k) {
        const double gain = than[k] - losses[k];
        sum += gain;
        squares += gain * gain;
    }
    // sum / n > error of the mean = sqrt((squares - sum^2 / n) / (n - 1) / n)
    const auto count = static_cast<double>(losses.size());
    return count > 1 && sum > 0 && sum * sum * (count - 1) > count * squares - sum * sum;
}

Sharpness best_sharpness(const std::vector<std::vector<std::vector<double>>>& losses_of_trials,
                         int least_power) {
    Sharpness best;
    for (std::size_t k = 0; k < losses_of_trials.front().size(); ++k) {
        Sharpness next{std::ldexp(1.0, least_power + static_cast<int>(k))};
        for (const auto& trial : losses_of_trials) {
            const std::vector<double>& losses = trial[k];
            next.losses.insert(next.losses.end(), losses.begin(), losses.end());
            next.loss += std::accumulate(losses.begin(), losses.end(), 0.0);
        }
        if (best.losses.empty() ||
            (next.loss + least_gain < best.loss && clearly_lower(next.losses, best.losses)))
            best = std::move(next);
    }
    return best;
}

StrengthChoice::StrengthChoice(const RowsOf& rows_of, Index classes, const KnownLabels& known,
                               StrengthOptions options)
    : classes_(classes), options_(options) {
    const LabelledNodes train = thinned(known.train, most_examples_to_choose_by);
    for (const HeldOutLabels& fold : folds_of(train)) {
        if (add_trial(rows_of, fold.learned, fold.judged)) ++folds_;
    }
    add_trial(rows_of, train, thinned(known.validation, most_examples_to_choose_by));
}

StrengthChoice::Best StrengthChoice::choose(const ExecutionControl& control) {
    if (trials_.empty()) return {options_.without_choice};
    int power = 0;
    while (std::ldexp(1.0, 2 * power) < trials_.back().learned.rows.rows)
        ++power;
    while (options_.strongest > 0 && std::ldexp(1.0, 2 * power) > options_.strongest)
        --power;
    Best best{options_.without_choice, std::numeric_limits<double>::infinity()};
    for (int worse = 0; power >= options_.weakest_power && worse < options_.patience; --power) {
        Best next = judged(std::ldexp(1.0, 2 * power), control);
        ++worse;
        if (!(next.loss < best.loss)) continue;
        best = std::move(next);
        worse = 0;
    }
    return best;
}

std::string StrengthChoice::judges() const {
    const auto folds = static_cast<std::size_t>(folds_);
    std::string text = folds > 0 ? fmt::format("{} folds", folds) : "";
    if (trials_.size() == folds) return text;
    return text + (text.empty() ? "" : " and ") +
           fmt::format("{} validation nodes", trials_.back().judged.rows.rows);
}

StrengthChoice::Examples StrengthChoice::examples(const RowsOf& rows_of,
                                                  const LabelledNodes& labelled) const {
    return {rows_of(labelled.nodes), labelled.labels, labelled.weights, classes_};
}

bool StrengthChoice::add_trial(const RowsOf& rows_of, const LabelledNodes& learned, LabelledNodes judged) {
    if (!options_.lone_labels_judge) judged = of_learned_classes(judged, learned, classes_);
    if (judged.nodes.empty()) return false;
    trials_.push_back({examples(rows_of, learned), examples(rows_of, judged)});
    Trial& trial = trials_.back();
    trial.theta.resize((static_cast<std::size_t>(trial.learned.rows.columns) + 1) *
                       static_cast<std::size_t>(classes_));
    return true;
}

StrengthChoice::Best StrengthChoice::judged(double strength, const ExecutionControl& control) {
    const double bytes = vectors_of_a_search * 8 * static_cast<double>(trials_.front().theta.size());
    const ExecutionControl limited{std::clamp(static_cast<int>(most_bytes / bytes), 1, thread_count(control)),
                                   nullptr, control.stop};
    const ExecutionControl single{1, nullptr, control.stop};
    std::vector<std::vector<std::vector<double>>> losses(trials_.size());
    parallel_for(static_cast<std::int64_t>(trials_.size()), 1, limited, [&](int, std::int64_t number) {
        Trial& trial = trials_[static_cast<std::size_t>(number)];
        trial.theta = minimize_with_strength(trial.learned.view(), strength, std::move(trial.theta),
                                             options_.solver, single)
                          .x;
        for (int doublings = 0; doublings <= options_.most_doublings; ++doublings)
            losses[static_cast<std::size_t>(number)].push_back(
                logistic_losses(trial.judged.view(),
                                sharpened(trial.theta, trial.learned.view(), std::ldexp(1.0, doublings))));
    });
    Sharpness best = best_sharpness(losses);
    return {strength, best.loss, best.factor, std::move(best.losses)};
}

}  // namespace hwgcn
