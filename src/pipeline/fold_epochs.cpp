#include "pipeline/fold_epochs.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/parallel_for.hpp"
#include "choice/comparison.hpp"
#include "choice/race.hpp"
#include "choice/training_cost.hpp"
#include "choice/trials.hpp"
#include "models/class_weights.hpp"
#include "models/method_table.hpp"
#include "models/network_training.hpp"
#include "models/selection.hpp"
#include "operators/propagation.hpp"
#include "pipeline/baselines.hpp"
#include "pipeline/feasible.hpp"
#include "pipeline/warnings.hpp"
#include "training/fit_options.hpp"

namespace hwgcn {
namespace {

// After how many epochs a training is looked at: all of them first, then half as many each time. Few, because
// the best of many is best by chance. Where the rate falls until the last epoch, no earlier one tells what
// fewer epochs would give.
std::vector<int> marks_of(const FitOptions& fit) {
    const std::size_t most = fit.rate_decay == RateDecay::none ? 5 : 1;
    std::vector<int> marks;
    for (int epochs = fit.epochs; epochs > 0 && marks.size() < most; epochs /= 2)
        marks.push_back(epochs);
    return marks;
}

// What the folds predict for the labels that they hold out, after so many epochs each.
std::vector<DenseMatrix> predictions_at(const std::vector<int>& marks, const PreparedGraph& graph,
                                        const Propagation& propagation, const MethodSettings& settings,
                                        const std::vector<Trial>& trials, std::uint64_t seed,
                                        const ExecutionControl& control) {
    constexpr double large = 2e8;  // bytes: such trainings have all threads, one after the other
    const std::vector<Index> first = first_rows(trials);
    const auto count = static_cast<std::int64_t>(trials.size());
    std::vector<DenseMatrix> found;
    for (std::size_t k = 0; k < marks.size(); ++k)
        found.emplace_back(first.back(), graph.dataset.classes());
    const ProgressTask progress(control, "finding the number of epochs", count);
    const auto train_fold = [&](std::int64_t fold, int threads) {
        const Trial& trial = trials[fold];
        const ExecutionControl silent{threads, nullptr, control.stop};
        std::vector<std::string> unsaid;  // the training on all labels says it again
        NetworkTraining training(graph, propagation, settings, trial.split, seed, {}, unsaid);
        for (std::size_t k = marks.size(); k-- > 0;) {
            training.advance_to(marks[k], silent);
            const DenseMatrix all = predict_nodes(graph, propagation, settings, training.model(), silent);
            for (std::size_t i = 0; i < trial.held_out.size(); ++i) {
                std::copy_n(all.row(trial.held_out[i]), all.columns(),
                            found[k].row(first[fold] + static_cast<Index>(i)));
            }
        }
        if (control.progress != nullptr) control.progress->advance(1);
    };
    if (training_cost(graph, settings, trials.front().split).bytes < large) {
        parallel_for(count, 1, {control.threads, nullptr, control.stop},
                     [&](int, std::int64_t fold) { train_fold(fold, 1); });
    } else {
        for (std::int64_t fold = 0; fold < count; ++fold)
            train_fold(fold, control.threads);
    }
    return found;
}

// The labels that are held out, fold by fold, and how predictions of them are judged.
struct FoldLabels {
    std::vector<Index> labels;
    std::vector<Index> rows;
    Judge judge;

    FoldLabels(const TrainingTask& task, const MethodSettings& settings, const std::vector<Trial>& trials)
        : judge{resolved_selection(settings, task.graph.dataset, task.split),
                {.class_weights = class_weights_for(task.graph.label_weights.of_classes, task.graph.dataset,
                                                    task.split)}} {
        for (const Trial& trial : trials) {
            for (const Index node : trial.held_out)
                labels.push_back(task.graph.dataset.labels[node]);
        }
        rows.resize(labels.size());
        std::iota(rows.begin(), rows.end(), Index{0});
    }

    // Of those that are not clearly worse than the best, the first.
    std::size_t first_good(const std::vector<DenseMatrix>& found, const ExecutionControl& control) const {
        std::vector<double> values;
        for (const DenseMatrix& one : found)
            values.push_back(judged_value(one, labels, rows, judge, control));
        const auto best = static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
        for (std::size_t k = 0; k < best; ++k) {
            const Difference behind = compare(found[best], found[k], labels, judge, control);
            if (behind.mean <= behind.error) return k;
        }
        return best;
    }
};

// What a training on the other folds says of each label that is held out.
DenseMatrix held_out_predictions(const TrainingTask& task, const MethodSettings& settings,
                                 const std::vector<Trial>& trials, const Groundwork* groundwork,
                                 const ExecutionControl& control) {
    const Propagation& propagation = task.operators.get(settings, control);
    const std::vector<Index> first = first_rows(trials);
    DenseMatrix found(first.back(), task.graph.dataset.classes());
    for (std::size_t fold = 0; fold < trials.size(); ++fold) {
        const TrainedModel model =
            train(task.graph, propagation, settings, trials[fold].split, task.seed, control, {}, groundwork);
        const DenseMatrix all = predict_nodes(task.graph, propagation, settings, model, control);
        for (std::size_t i = 0; i < trials[fold].held_out.size(); ++i) {
            std::copy_n(all.row(trials[fold].held_out[i]), all.columns(),
                        found.row(first[fold] + static_cast<Index>(i)));
        }
    }
    return found;
}

DenseMatrix baseline_predictions(const TrainingTask& task, const MethodSettings& published,
                                 const std::vector<Trial>& trials, const ExecutionControl& control) {
    std::vector<std::string> unsaid;
    const auto settings = std::get<MethodSettings>(with_resolved_selection(
        feasible(task.graph, published, control, unsaid), task.graph.dataset, task.split));
    return held_out_predictions(task, settings, trials, nullptr, control);
}

// What is simpler and does better where the same labels are held out: a network may have learned little, or
// from neighbors who mislead it.
std::vector<std::string> remarks_on_baselines(const TrainingTask& task, const MethodSettings& settings,
                                              const std::vector<Trial>& trials, const FoldLabels& held_out,
                                              const DenseMatrix& own, const ExecutionControl& control) {
    constexpr double beyond_chance = 2;
    const ExecutionControl silent{control.threads, nullptr, control.stop};
    const auto accuracy_of = [&](const DenseMatrix& predictions) {
        return compute_metrics(predictions, held_out.labels, held_out.rows, silent,
                               {.decision = held_out.judge.decision})
            .accuracy;
    };
    const Judge by_accuracy{Selection::accuracy, held_out.judge.decision};
    std::vector<std::string> better;
    for (const MethodSettings& baseline : baseline_settings(task.graph)) {
        if (baseline.method() == settings.method()) continue;
        const DenseMatrix found = baseline_predictions(task, baseline, trials, silent);
        const Difference ahead = compare(found, own, held_out.labels, by_accuracy, silent);
        if (ahead.mean <= beyond_chance * ahead.error) continue;
        better.push_back(fmt::format(
            "{} has {:.1f} % of the same labels right: {}; `method=auto` compares methods",
            method_label(baseline), 100 * accuracy_of(found), baseline_says_more(baseline.method())));
    }
    return better;
}

}  // namespace

bool needs_folds(const PreparedGraph& graph, const MethodSettings& settings, const Split& split) {
    if (!is_own_data(graph.dataset) || !split.validation.empty() || graph.layout) return false;
    if (is_classic(settings)) return split.test.empty();
    return !settings.is_given("epochs") && settings.fit().self_training == 0;
}

void judge_by_folds(const TrainingTask& task, ChosenMethod& chosen, const ExecutionControl& control,
                    std::vector<std::string>& notes) {
    MethodSettings& settings = chosen.settings;
    const std::vector<Trial> trials = plan_trials(task.graph.dataset, task.split, task.seed);
    if (trials.size() < 2) return;
    const Propagation& propagation = task.operators.get(settings, control);
    const FoldLabels held_out(task, settings, trials);
    DenseMatrix own;
    std::string trained;
    if (is_classic(settings)) {
        chosen.groundwork = lay_groundwork(task.graph, propagation, settings, task.seed, control);
        own = held_out_predictions(task, settings, trials, chosen.groundwork.get(),
                                   {control.threads, nullptr, control.stop});
    } else {
        const std::vector<int> marks = marks_of(settings.fit());
        std::vector<DenseMatrix> found =
            predictions_at(marks, task.graph, propagation, settings, trials, task.seed, control);
        const std::size_t used = held_out.first_good(found, control);
        own = std::move(found[used]);
        settings.apply({{"epochs", fmt::to_string(marks[used])}});
        trained = fmt::format(" after {} of {} epochs, which it trains now; `epochs` decides otherwise",
                              marks[used], marks.front());
    }
    const Metrics metrics =
        compute_metrics(own, held_out.labels, held_out.rows, control, {.decision = held_out.judge.decision});
    notes.push_back(fmt::format(
        "without validation nodes, {} was judged by labels held out in turn ({} folds): {:.1f} % of {} were "
        "right{}",
        method_label(settings), trials.size(), 100 * metrics.accuracy, metrics.count, trained));
    for (std::string& note : remarks_on_baselines(task, settings, trials, held_out, own, control))
        notes.push_back(std::move(note));
}

}  // namespace hwgcn
