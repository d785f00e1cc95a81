#include "models/side_by_side.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/parallel_for.hpp"
#include "evaluation/evaluation_task.hpp"
#include "models/selection.hpp"
#include "operators/propagation.hpp"
#include "pipeline/feasible.hpp"
#include "pipeline/fold_epochs.hpp"
#include "training/fit_options.hpp"

namespace hwgcn {
namespace {

// Tells the epochs of runs as runs.
class EpochsAsRuns final : public ProgressSink {
  public:
    EpochsAsRuns(ProgressSink* target, std::int64_t epochs) : target_(target), epochs_(epochs) {}

    void start(std::string_view, std::int64_t) override {}
    void advance(std::int64_t units) override {
        done_ += units;
        const std::int64_t runs = done_ / epochs_;
        if (target_ != nullptr && runs > told_) target_->advance(runs - told_);
        told_ = std::max(told_, runs);
    }
    void finish() override {}

  private:
    ProgressSink* target_;
    std::int64_t epochs_;
    std::int64_t done_ = 0;
    std::int64_t told_ = 0;
};

// Runs of one method with the same settings.
struct Batch {
    MethodSettings settings;
    std::vector<EvaluationTask> tasks;
};

std::string text_of(const MethodSettings& settings) {
    std::string text = settings.method();
    for (const auto& [name, value] : settings.effective())
        text.append(" ").append(name).append("=").append(value);
    return text;
}

// Whether all runs of the evaluation learn from the same nodes, and would if there were more.
bool have_same_nodes(const Evaluation& evaluation) {
    const Split& first = evaluation.splits.front();
    const auto is_like_first = [&](const Split& split) {
        return split.train == first.train && split.validation == first.validation;
    };
    const EvaluationOptions& options = evaluation.options;
    return is_like_first(make_split(evaluation.graph.dataset, options.split, options.first_seed + 1)) &&
           std::ranges::all_of(evaluation.splits, is_like_first);
}

void run_batch(const Evaluation& evaluation, const Batch& batch, const ExecutionControl& control) {
    std::vector<SeededSplit> runs;
    for (const EvaluationTask& task : batch.tasks)
        runs.push_back({&evaluation.splits[task.run], evaluation.options.first_seed + task.run});
    const Propagation& propagation = evaluation.operators.get(batch.settings, control);
    EpochsAsRuns progress(control.progress, batch.settings.fit().epochs);
    // What is trained is measured and written down, even where somebody wants a stop.
    const auto measure = [&](std::vector<FinishedModel> models) {
        const auto count = static_cast<std::int64_t>(models.size());
        const ExecutionControl inner{count > 1 ? 1 : control.threads};
        parallel_for(count, 1, {control.threads}, [&](int, std::int64_t k) {
            const EvaluationTask& task = batch.tasks[models[k].run];
            TrainingTask training = evaluation.training(task);
            training.earlier = {{}, std::move(models[k].model), models[k].seconds};
            evaluation.finish(task, train_feasible(training, inner));
        });
    };
    train_side_by_side(evaluation.graph, propagation, batch.settings, runs, have_same_nodes(evaluation),
                       measure, {control.threads, &progress, control.stop});
}

}  // namespace

std::vector<EvaluationTask> run_side_by_side(const Evaluation& evaluation, std::vector<EvaluationTask> tasks,
                                             const ExecutionControl& control) {
    std::map<std::pair<std::size_t, std::string>, Batch> batches;
    std::vector<EvaluationTask> others;
    for (EvaluationTask& task : tasks) {
        const AskedMethod method = with_resolved_selection(
            evaluation.methods[task.method], evaluation.graph.dataset, evaluation.splits[task.run]);
        const auto* const settings = std::get_if<MethodSettings>(&method);
        const bool alike = settings != nullptr && trains_side_by_side(evaluation.graph, *settings);
        if (!alike || needs_folds(evaluation.graph, *settings, evaluation.splits[task.run])) {
            others.push_back(std::move(task));
            continue;
        }
        batches.try_emplace({task.method, text_of(*settings)}, Batch{*settings, {}})
            .first->second.tasks.push_back(std::move(task));
    }
    for (const auto& [name, batch] : batches)
        run_batch(evaluation, batch, control);
    return others;
}

}  // namespace hwgcn
