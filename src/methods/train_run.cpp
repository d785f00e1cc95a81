#include "hwgcn/methods/train_run.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/metrics/calibration.hpp"
#include "hwgcn/support/safe_text.hpp"

namespace hwgcn {
namespace {

class Notes {
  public:
    explicit Notes(const TrainingTask& task) : task_(&task) {}

    void add(std::string note) {
        if (task_->notice) task_->notice(note);
        notes_.push_back(std::move(note));
    }
    void add_all(std::vector<std::string> notes) {
        for (std::string& note : notes)
            add(std::move(note));
    }
    std::vector<std::string> take() { return std::move(notes_); }

  private:
    const TrainingTask* task_;
    std::vector<std::string> notes_;
};

// What is trained, and how it was chosen where it was.
struct Decision {
    ChosenMethod chosen;
    bool automatic = false;

    std::optional<Choice> choice() const { return automatic ? std::optional(chosen.choice) : std::nullopt; }
};

Decision decide(const TrainingTask& task, const ExecutionControl& control) {
    if (task.earlier) return {*task.earlier, true};
    if (const auto* automatic = std::get_if<Automatic>(&task.method)) {
        return {choose_method(task.graph, task.operators, *automatic, task.split, task.seed, control), true};
    }
    const MethodSettings& settings = std::get<MethodSettings>(task.method);
    check_trainable(task.graph, settings, task.split);
    return {{settings, {}}, false};
}

// The model that was trained in choosing, or else the training of the chosen method.
TrainedModel train_chosen(const TrainingTask& task, const Propagation& propagation, Decision& decision,
                          const ExecutionControl& control) {
    const MethodSettings& settings = decision.chosen.settings;
    const Checkpoints checkpoints = task.begin ? task.begin(settings, decision.choice()) : Checkpoints{};
    if (decision.chosen.model) return std::move(*decision.chosen.model);
    return train(task.graph, propagation, settings, task.split, task.seed, control, checkpoints,
                 decision.chosen.groundwork.get());
}

// A model that has learned nothing can look accurate where one class is common.
void note_constant_prediction(const Dataset& dataset, ConstMatrixView probabilities, Notes& notes) {
    if (dataset.classes() < 2) return;
    const Index first = argmax(probabilities, 0);
    for (Index node = 1; node < probabilities.rows; ++node) {
        if (argmax(probabilities, node) != first) return;
    }
    notes.add(fmt::format("every node is predicted as '{}': nothing else was learned",
                          safe_text(dataset.class_names[first])));
}

// Fits the temperature to labels that were not learned from, applies it, and measures.
void calibrate_and_measure(const TrainingTask& task, const ExecutionControl& control, TrainedRun& run) {
    const std::vector<Index>& labels = task.graph.dataset.labels;
    const MetricsOptions options{.positive = positive_class(task.graph.dataset, task.split)};
    const auto metrics_at = [&](const std::vector<Index>& nodes) {
        return compute_metrics(run.probabilities, labels, nodes, control, options);
    };
    run.temperature = run.choice ? run.choice->temperature
                                 : fit_temperature(run.probabilities, labels, task.split.validation, control);
    run.raw_ece = metrics_at(task.split.test).ece;
    apply_temperature(run.probabilities, run.temperature, control);
    run.train = metrics_at(task.split.train);
    run.validation = metrics_at(task.split.validation);
    run.test = metrics_at(task.split.test);
}

TrainedRun run_task(const TrainingTask& task, Notes& notes, const ExecutionControl& control) {
    const auto started = std::chrono::steady_clock::now();
    Decision decision = decide(task, control);
    notes.add_all(std::move(decision.chosen.notes));
    const MethodSettings settings = decision.chosen.settings;
    const Propagation& propagation = task.operators.get(settings, control);
    notes.add_all(task.operators.fresh_notes());
    TrainedRun run{settings, decision.choice(), train_chosen(task, propagation, decision, control), {}};
    notes.add_all(run.model.notes);
    run.probabilities = predict_nodes(task.graph, propagation, settings, run.model, control);
    note_constant_prediction(task.graph.dataset, run.probabilities, notes);
    calibrate_and_measure(task, control, run);
    run.alternative_accuracy = alternative_test_accuracy(task.graph, propagation, settings, run.model,
                                                         task.split, run.test.accuracy, control);
    run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return run;
}

}  // namespace

TrainedRun train_feasible(const TrainingTask& task, const ExecutionControl& control) {
    Notes notes(task);
    TrainedRun run = run_task(task, notes, control);
    run.notes = notes.take();
    return run;
}

TrainedRun train_run(TrainingTask task, const ExecutionControl& control) {
    validate_split(task.split, task.graph.dataset);
    Notes notes(task);
    notes.add_all(doubts_about(task.graph, task.split, control));
    notes.add_all(unused_of_edges(task.graph, std::span(&task.method, 1)));
    std::vector<std::string> left_out;
    task.method = feasible(task.graph, std::move(task.method), control, left_out);
    notes.add_all(std::move(left_out));
    TrainedRun run = run_task(task, notes, control);
    run.notes = notes.take();
    return run;
}

std::string default_split_for(const Dataset& dataset, const AskedMethod& method) {
    const bool automatic = std::holds_alternative<Automatic>(method);
    if (!automatic || dataset.published_split || dataset.classes() == 0) return default_split(dataset);
    return has_few_labels(dataset) ? "all" : "shares:60:20";
}

}  // namespace hwgcn
