#include "hwgcn/pipeline/train_run.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/peak_memory.hpp"
#include "metrics/calibration.hpp"
#include "metrics/ranking.hpp"
#include "models/selection.hpp"
#include "operators/propagation.hpp"
#include "pipeline/feasible.hpp"
#include "pipeline/fold_epochs.hpp"
#include "pipeline/measure.hpp"
#include "pipeline/thresholds.hpp"
#include "pipeline/warnings.hpp"
#include "training/fit_options.hpp"

namespace hwgcn {
namespace {

class Notes {
  public:
    explicit Notes(const TrainingRecord& record) : record_(&record) {}

    void add(std::string note) {
        if (record_->notice) record_->notice(note);
        notes_.push_back(std::move(note));
    }
    void add_all(std::vector<std::string> notes) {
        for (std::string& note : notes)
            add(std::move(note));
    }
    std::vector<std::string> take() { return std::move(notes_); }

  private:
    const TrainingRecord* record_;
    std::vector<std::string> notes_;
};

// What is trained, and how it was chosen where it was.
struct MethodToTrain {
    ChosenMethod chosen;
    bool automatic = false;

    std::optional<Choice> choice() const { return automatic ? std::optional(chosen.choice) : std::nullopt; }
};

MethodToTrain method_to_train(const TrainingTask& task, const ExecutionControl& control) {
    if (task.earlier.chosen) return {*task.earlier.chosen, true};
    if (const auto* automatic = std::get_if<Automatic>(&task.method)) {
        MethodToTrain found{choose_method(task.graph, task.operators, *automatic, task.split, task.seed,
                                          control, task.record.choice),
                            true};
        add_threshold_of_folds(task.labels(), found.chosen, control);
        return found;
    }
    const MethodSettings& settings = std::get<MethodSettings>(task.method);
    check_trainable(task.graph, settings, task.split);
    return {{settings, {}}, false};
}

// The model that was trained in choosing, or else the training of the chosen method.
TrainedModel train_chosen(const TrainingTask& task, const Propagation& propagation, MethodToTrain& found,
                          const ExecutionControl& control) {
    const MethodSettings& settings = found.chosen.settings;
    const auto& begin = task.record.begin;
    const Checkpoints checkpoints = begin ? begin(settings, found.choice()) : Checkpoints{};
    if (task.earlier.model) return *task.earlier.model;
    if (found.chosen.model) return std::move(*found.chosen.model);
    return train(task.graph, propagation, settings, task.split, task.seed, control, checkpoints,
                 found.chosen.groundwork.get());
}

// An average has no epoch of its own that another rule would have selected.
void add_others(ChosenMethod& chosen, TrainedRun& run) {
    if (chosen.others.empty()) return;
    run.share = chosen.share;
    run.others = std::move(chosen.others);
    run.model.summary = members_text(members_of(run));
    run.model.alternative_epoch = 0;
    run.model.alternative_parameters.clear();
}

DenseMatrix predict(const TrainingTask& task, const TrainedRun& run, const ExecutionControl& control) {
    if (run.others.empty()) {
        return predict_nodes(task.graph, task.operators.get(run.settings, control), run.settings, run.model,
                             control);
    }
    const Decision decision{.class_weights = run.model.class_weights};
    DenseMatrix mean = predict_members(task.graph, operators_of(task.operators, control), members_of(run),
                                       decision, control);
    divide_out_weights(mean, run.model.class_weights, control);
    return mean;
}

// The AUC that may have selected the epoch knows nothing of how many nodes are of which class: an early epoch
// ranks them well and calls each as likely as not. Then an offset is fitted, too.
void fit_calibration(const MeasuredLabels& data, const ExecutionControl& control, TrainedRun& run) {
    const Dataset& dataset = data.dataset;
    const std::vector<Index>& validation = data.split.validation;
    const auto is_by_auc = [](const Member& member) {
        return member.settings.fit().selection == Selection::auc;
    };
    const bool by_auc =
        (run.settings.fit().selection == Selection::auc || std::ranges::any_of(run.others, is_by_auc)) &&
        dataset.classes() == 2 && !validation.empty();
    const Calibration found = run.choice && !by_auc ? run.choice->calibration
                                                    : fit_calibration(run.probabilities, dataset.labels,
                                                                      validation, control, by_auc);
    run.temperature = found.temperature;
    run.decision.offset = found.offset;
    run.decision.smoothing = found.smoothing;
}

TrainedRun run_task(const TrainingTask& task, Notes& notes, const ExecutionControl& control) {
    const auto started = std::chrono::steady_clock::now();
    expect_threshold(task.labels(), task.method);
    MethodToTrain found = method_to_train(task, control);
    notes.add_all(std::move(found.chosen.notes));
    const Propagation& propagation = task.operators.get(found.chosen.settings, control);
    notes.add_all(task.operators.fresh_notes());
    if (!found.automatic && !task.earlier.model &&
        needs_folds(task.graph, found.chosen.settings, task.split)) {
        std::vector<std::string> said;
        judge_by_folds(task, found.chosen, control, said);
        notes.add_all(std::move(said));
    }
    const MethodSettings settings = found.chosen.settings;
    TrainedRun run{settings, found.choice(), train_chosen(task, propagation, found, control), {}};
    add_statistics(task.graph, propagation, settings, run.model.parameters, control);
    notes.add_all(run.model.notes);
    add_others(found.chosen, run);
    run.probabilities = predict(task, run, control);
    notes.add_all(notes_on_class_weights(task.graph.label_weights.of_classes, run.model));
    std::vector<std::string> noticed;
    calibrate_and_measure(task.labels(), control, run, noticed);
    notes.add_all(std::move(noticed));
    notes.add_all(warnings_about_result(task.graph.dataset, task.split, run, predicted_counts(run)));
    run.result.alternative_accuracy =
        alternative_test_accuracy(task.graph, propagation, settings, run.model, task.split,
                                  run.result.test.accuracy, control, run.decision, run.temperature);
    run.result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    run.result.seconds += task.earlier.seconds;
    run.result.seed = task.seed;
    return run;
}

}  // namespace

std::vector<Member> members_of(const TrainedRun& run) {
    std::vector<Member> members = {{run.settings, run.share, run.model.parameters}};
    members.insert(members.end(), run.others.begin(), run.others.end());
    return members;
}

std::vector<std::string> notes_on_class_weights(const ClassWeights& asked, const TrainedModel& model) {
    if (!asked.any() || !model.class_weights.empty()) return {};
    return {
        "the weights of the classes change nothing: they are all the same, as they are where as many "
        "nodes of each class train; `split=shares:60:20` takes as many as there are"};
}

void calibrate_and_measure(const MeasuredLabels& data, const ExecutionControl& control, TrainedRun& run,
                           std::vector<std::string>& notes) {
    const Split& split = data.split;
    const Index positive = positive_class(data.dataset, split);
    const auto metrics_at = [&](const std::vector<Index>& nodes) {
        return compute_metrics(run.probabilities, data.dataset.labels, nodes, control,
                               {.positive = positive, .decision = run.decision});
    };
    run.decision.class_weights = run.model.class_weights;
    fit_calibration(data, control, run);
    run.result.raw_ece = metrics_at(split.test).ece;
    apply_calibration(run.probabilities, {run.temperature, run.decision.offset, run.decision.smoothing},
                      control);
    run.threshold = data.threshold;
    run.decision.threshold = threshold_for(data, run.probabilities, run.choice, notes);
    run.result.train = metrics_at(split.train);
    run.result.validation = metrics_at(split.validation);
    run.result.test = metrics_at(split.test);
    run.result.epochs = static_cast<int>(run.model.history.size());
    run.result.best_epoch = run.model.best_epoch;
    run.result.alternative_epoch = run.model.alternative_epoch;
    run.result.peak_mb = peak_megabytes();
    if (run.choice) run.result.chosen = members_label(members_of(run));
}

TrainedRun train_feasible(const TrainingTask& asked, const ExecutionControl& control) {
    TrainingTask task = asked;
    Notes notes(task.record);
    std::vector<std::string> selection;
    task.method = with_resolved_selection(std::move(task.method), task.graph.dataset, task.split, selection);
    notes.add_all(std::move(selection));
    TrainedRun run = run_task(task, notes, control);
    run.result.notes = notes.take();
    return run;
}

TrainedRun train_run(TrainingTask task, const ExecutionControl& control) {
    validate_split(task.split, task.graph.dataset);
    expect_threshold(task.labels(), task.method);
    Notes notes(task.record);
    notes.add_all(warnings_about_data(task.graph, task.split, control));
    notes.add_all(unused_of_edges(task.graph, std::span(&task.method, 1)));
    std::vector<std::string> changes;
    task.method = with_resolved_selection(std::move(task.method), task.graph.dataset, task.split, changes);
    task.method = feasible(task.graph, std::move(task.method), control, changes);
    notes.add_all(std::move(changes));
    TrainedRun run = run_task(task, notes, control);
    run.result.notes = notes.take();
    return run;
}

bool is_own_data(const Dataset& dataset) {
    return !dataset.published_split && dataset.source != "built-in";
}

std::string default_split_for(const Dataset& dataset, const AskedMethod& method) {
    const bool as_published = dataset.published_split || dataset.classes() == 0;
    const bool own = is_own_data(dataset) || std::holds_alternative<Automatic>(method);
    if (as_published || !own) return default_split(dataset);
    return has_few_labels(dataset) ? "all" : "shares:60:20";
}

std::string default_repeated_split(const Dataset& dataset) {
    return dataset.classes() > 0 && is_own_data(dataset) ? "shares:60:20" : default_split(dataset);
}

}  // namespace hwgcn
