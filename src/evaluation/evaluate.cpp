#include "hwgcn/evaluation/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "hwgcn/pipeline/train_run.hpp"

#include "base/parallel_for.hpp"
#include "evaluation/evaluation_task.hpp"
#include "models/selection.hpp"
#include "pipeline/feasible.hpp"
#include "pipeline/warnings.hpp"
#include "runs/run_journal.hpp"

namespace hwgcn {
namespace {

std::vector<Split> draw_splits(const Dataset& dataset, const EvaluationOptions& options) {
    std::vector<Split> splits;
    for (int run = 0; run < options.runs; ++run) {
        const std::uint64_t seed = options.first_seed + static_cast<std::uint64_t>(run);
        splits.push_back(make_split(dataset, options.split, seed));
        if (splits.back().test.empty())
            throw InputError("the split " + splits.back().name + " has no test nodes to judge by");
    }
    return splits;
}

// What tells the data of a run from others. Weights and thresholds came later: runs without them keep their
// keys.
std::string data_key(const PreparedGraph& graph, const EvaluationOptions& options) {
    std::string key = dataset_hash(graph);
    if (graph.label_weights.of_classes.any())
        key += " class_weights=" + graph.label_weights.of_classes.text();
    if (options.threshold != ThresholdRule{}) key += " threshold=" + options.threshold.text();
    return key;
}

// Fills in what the journal has; the rest are tasks.
std::vector<EvaluationTask> look_up(const PreparedGraph& graph, const std::vector<Split>& splits,
                                    const EvaluationOptions& options, const RunJournal* journal,
                                    std::vector<MethodResult>& results) {
    const std::string data = journal != nullptr ? data_key(graph, options) : "";
    std::vector<EvaluationTask> tasks;
    for (std::size_t r = 0; r < splits.size(); ++r) {
        const std::string split = journal != nullptr ? split_hash(splits[r], graph.dataset) : "";
        for (std::size_t m = 0; m < results.size(); ++m) {
            EvaluationTask task{m, r, ""};
            if (journal != nullptr) {
                const AskedMethod method =
                    with_resolved_selection(results[m].method, graph.dataset, splits[r]);
                task.key = RunJournal::key(data, method, split, options.first_seed + r);
                const std::optional<RunResult> found = journal->find(task.key);
                if (found && found->has(options.metric)) {
                    results[m].runs[r] = *found;
                    results[m].runs[r].seed = options.first_seed + r;
                    ++results[m].reused;
                    continue;
                }
            }
            tasks.push_back(std::move(task));
        }
    }
    return tasks;
}

// Leaves out the runs that would have to be done.
void erase_missing(const std::vector<EvaluationTask>& tasks, std::vector<MethodResult>& results) {
    // NOLINTNEXTLINE(modernize-loop-convert): Clang 14 cannot read GCC's reversed views
    for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) {  // the last run of a method first
        std::vector<RunResult>& runs = results[task->method].runs;
        runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(task->run));
    }
}

// With all threads, before the runs share them.
void prepare_operators(OperatorPool& operators, const AskedMethod& method, const ExecutionControl& control) {
    if (const auto* settings = std::get_if<MethodSettings>(&method)) operators.get(*settings, control);
    if (const auto* automatic = std::get_if<Automatic>(&method)) {
        for (const MethodSettings& candidate : automatic->candidates)
            operators.get(candidate, control);
    }
}

}  // namespace

void compare_with_first(std::vector<MethodResult>& results) {
    for (MethodResult& result : results) {
        const MethodResult& first = results.front();
        const bool same_runs =
            std::ranges::equal(result.runs, first.runs, {}, &RunResult::seed, &RunResult::seed);
        const bool comparable = !result.runs.empty() && same_runs && result.summary(result.metric) &&
                                first.summary(result.metric);
        if (&result != &first && comparable)
            result.paired = compare_paired(result.values(result.metric), first.values(result.metric));
    }
}

namespace {

// "ROC AUC, average precision and MCC"
std::string titles_of(const std::vector<Metric>& metrics) {
    std::string text;
    for (const Metric metric : metrics)
        text += (text.empty() ? "" : metric == metrics.back() ? " and " : ", ") + metric_info(metric).title;
    return text;
}

// Why the metric that methods are compared by is not known of some runs.
void add_missing_metrics(const MethodResult& result, std::vector<std::string>& notes) {
    const auto is_old = [](const RunResult& run) { return !run.unknown.empty(); };
    if (const auto old = std::ranges::find_if(result.runs, is_old); old != result.runs.end()) {
        notes.push_back(fmt::format(
            "{}: {} of {} runs come from a journal of an earlier version, without {}; another `journal` has "
            "them all",
            name_of(result.method), std::ranges::count_if(result.runs, is_old), result.runs.size(),
            titles_of(old->unknown)));
        return;
    }
    const auto undefined =
        std::ranges::count_if(result.values(result.metric), [](double value) { return std::isnan(value); });
    if (undefined == 0) return;
    notes.push_back(
        fmt::format("{}: {} is not defined in {} of {} runs, whose test nodes are all of one class: "
                    "no mean and no comparison",
                    name_of(result.method), metric_info(result.metric).title, undefined, result.runs.size()));
}

}  // namespace

std::vector<double> MethodResult::values(Metric which) const {
    std::vector<double> values;
    for (const RunResult& run : runs)
        values.push_back(metric_info(which).shown(run.test));
    return values;
}

std::optional<SampleSummary> MethodResult::summary(Metric which) const {
    const std::vector<double> all = values(which);
    if (std::ranges::any_of(all, [](double value) { return std::isnan(value); })) return std::nullopt;
    return summarize(all);
}

SampleSummary MethodResult::accuracy() const {
    return summarize(values(&Metrics::accuracy));
}

std::optional<double> MethodResult::alternative_accuracy() const {
    if (runs.empty()) return std::nullopt;
    double sum = 0;
    for (const RunResult& run : runs) {
        if (!run.alternative_accuracy) return std::nullopt;
        sum += 100.0 * *run.alternative_accuracy;
    }
    return sum / static_cast<double>(runs.size());
}

std::vector<std::string> MethodResult::notes() const {
    std::vector<std::string> notes;
    std::size_t others = 0;
    for (const RunResult& run : runs) {
        if (!run.notes.empty() && !notes.empty()) ++others;
        if (notes.empty()) notes = run.notes;
    }
    if (others > 0)
        notes.back() += fmt::format(" (similar in {} other run{})", others, others > 1 ? "s" : "");
    add_missing_metrics(*this, notes);
    return notes;
}

std::vector<std::pair<std::string, int>> MethodResult::choices() const {
    std::vector<std::pair<std::string, int>> counts;
    for (const RunResult& run : runs) {
        if (run.chosen.empty()) continue;
        const auto found = std::ranges::find(counts, run.chosen, &std::pair<std::string, int>::first);
        if (found == counts.end()) {
            counts.emplace_back(run.chosen, 1);
        } else {
            ++found->second;
        }
    }
    std::ranges::stable_sort(counts, std::greater(), &std::pair<std::string, int>::second);
    return counts;
}

TrainingTask Evaluation::training(const EvaluationTask& task) const {
    TrainingTask training{graph, operators, methods[task.method], splits[task.run],
                          options.first_seed + task.run};
    training.threshold = options.threshold;
    return training;
}

void Evaluation::finish(const EvaluationTask& task, const TrainedRun& run) const {
    RunResult& result = results[task.method].runs[task.run];
    result = numbers_of(run.result);
    if (journal != nullptr) journal->add(task.key, result);
}

Metric default_metric(const Dataset& dataset, const EvaluationOptions& options) {
    const Split split = make_split(dataset, options.split, options.first_seed);
    return default_selection(dataset, split) == Selection::auc ? &Metrics::roc_auc : &Metrics::accuracy;
}

std::vector<MethodResult> evaluate(const PreparedGraph& graph, OperatorPool& operators,
                                   const std::vector<AskedMethod>& methods, const EvaluationOptions& options,
                                   const ExecutionControl& control, RunJournal* journal) {
    const std::vector<Split> splits = draw_splits(graph.dataset, options);
    std::vector<MethodResult> results;
    for (const AskedMethod& method : methods) {
        for (const Split& split : splits)
            expect_threshold({graph.dataset, split, options.threshold}, method);
        results.push_back({method, std::vector<RunResult>(splits.size()), {}, 0, options.metric});
    }
    const std::vector<EvaluationTask> tasks = look_up(graph, splits, options, journal, results);
    for (MethodResult& result : results) {
        if (!splits.empty())
            result.method = with_resolved_selection(result.method, graph.dataset, splits.front());
    }
    if (options.finished_only) {
        erase_missing(tasks, results);
        compare_with_first(results);
        return results;
    }
    for (const EvaluationTask& task : tasks)
        prepare_operators(operators, methods[task.method], control);
    operators.fresh_notes();  // of all methods together: they are not those of the first run
    const ProgressTask progress(control, options.task, static_cast<std::int64_t>(tasks.size()));
    const Evaluation evaluation{graph, operators, methods, splits, options, journal, results};
    const std::vector<EvaluationTask> others = run_side_by_side(evaluation, tasks, control);
    // Many runs: one thread each. A single one gets them all.
    const ExecutionControl inner{others.size() > 1 ? 1 : control.threads, nullptr, control.stop};
    parallel_for(static_cast<std::int64_t>(others.size()), 1, control, [&](int, std::int64_t t) {
        evaluation.finish(others[t], train_feasible(evaluation.training(others[t]), inner));
    });
    compare_with_first(results);
    return results;
}

}  // namespace hwgcn
