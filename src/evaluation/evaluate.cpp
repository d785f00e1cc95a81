#include "hwgcn/evaluation/evaluate.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "hwgcn/methods/train_run.hpp"
#include "hwgcn/runs/run_journal.hpp"

#include "support/parallel_for.hpp"

namespace hwgcn {
namespace {

// A run that is to be done: which method, which split.
struct Task {
    std::size_t method;
    std::size_t run;
    std::string key;
};

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

// What tells the data of a run from others. Weights and thresholds came later: runs without them keep their keys.
std::string data_key(const PreparedGraph& graph, const EvaluationOptions& options) {
    std::string key = dataset_hash(graph);
    if (graph.class_weights.any()) key += " class_weights=" + graph.class_weights.text();
    if (options.threshold != ThresholdRule{}) key += " threshold=" + options.threshold.text();
    return key;
}

std::string key_of(const PreparedGraph& graph, const std::string& data, const AskedMethod& method,
                   const Split& split, std::uint64_t seed) {
    return RunJournal::key(data, with_resolved_selection(method, graph.dataset, split),
                           split_hash(split, graph.dataset), seed);
}

// Fills in what the journal has; the rest are tasks.
std::vector<Task> look_up(const PreparedGraph& graph, const std::vector<Split>& splits,
                          const EvaluationOptions& options, const RunJournal* journal,
                          std::vector<MethodResult>& results) {
    const std::string data = journal != nullptr ? data_key(graph, options) : "";
    std::vector<Task> tasks;
    for (std::size_t m = 0; m < results.size(); ++m) {
        for (std::size_t r = 0; r < splits.size(); ++r) {
            Task task{m, r, ""};
            if (journal != nullptr) {
                task.key = key_of(graph, data, results[m].method, splits[r], options.first_seed + r);
                if (const std::optional<RunResult> found = journal->find(task.key)) {
                    results[m].runs[r] = *found;
                    ++results[m].reused;
                    continue;
                }
            }
            tasks.push_back(std::move(task));
        }
    }
    return tasks;
}

// With all threads, before the runs share them.
void prepare_operators(OperatorPool& operators, const AskedMethod& method, const ExecutionControl& control) {
    if (const auto* settings = std::get_if<MethodSettings>(&method)) operators.get(*settings, control);
    if (const auto* automatic = std::get_if<Automatic>(&method)) {
        for (const MethodSettings& candidate : automatic->candidates)
            operators.get(candidate, control);
    }
}

void finish(std::vector<MethodResult>& results) {
    for (MethodResult& result : results) {
        std::vector<double> macro_f1;
        for (const RunResult& run : result.runs)
            macro_f1.push_back(100.0 * run.test_macro_f1);
        result.accuracy = summarize(result.accuracies());
        result.macro_f1 = summarize(macro_f1);
        if (&result != results.data())
            result.paired = compare_paired(result.accuracies(), results.front().accuracies());
    }
}

}  // namespace

std::vector<double> MethodResult::accuracies() const {
    std::vector<double> percent;
    for (const RunResult& run : runs)
        percent.push_back(100.0 * run.test_accuracy);
    return percent;
}

std::optional<double> MethodResult::alternative_accuracy() const {
    double sum = 0;
    for (const RunResult& run : runs) {
        if (!run.alternative_test_accuracy) return std::nullopt;
        sum += 100.0 * *run.alternative_test_accuracy;
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
    if (others > 0) notes.back() += fmt::format(" (similar in {} other runs)", others);
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

RunResult run_once(const PreparedGraph& graph, OperatorPool& operators, const AskedMethod& method,
                   const Split& split, std::uint64_t seed, const ExecutionControl& control,
                   const ThresholdRule& threshold) {
    TrainingTask task{graph, operators, method, split, seed};
    task.threshold = threshold;
    const TrainedRun run = train_feasible(task, control);
    RunResult result;
    result.test_accuracy = run.test.accuracy;
    result.test_macro_f1 = run.test.macro_f1;
    result.test_nll = run.test.nll;
    result.test_ece = run.test.ece;
    result.validation_accuracy = run.validation.accuracy;
    result.alternative_test_accuracy = run.alternative_accuracy;
    result.best_epoch = run.model.best_epoch;
    result.epochs = static_cast<int>(run.model.history.size());
    result.seconds = run.seconds;
    if (run.choice) result.chosen = method_label(run.settings);
    result.notes = run.notes;
    return result;
}

std::vector<MethodResult> evaluate(const PreparedGraph& graph, OperatorPool& operators,
                                   const std::vector<AskedMethod>& methods, const EvaluationOptions& options,
                                   const ExecutionControl& control, RunJournal* journal) {
    const std::vector<Split> splits = draw_splits(graph.dataset, options);
    std::vector<MethodResult> results;
    for (const AskedMethod& method : methods) {
        for (const Split& split : splits)
            expect_threshold(options.threshold, method, graph.dataset, split);
        results.push_back({method, std::vector<RunResult>(splits.size()), {}, {}, {}, 0});
    }
    const std::vector<Task> tasks = look_up(graph, splits, options, journal, results);
    for (MethodResult& result : results) {
        if (!splits.empty())
            result.method = with_resolved_selection(result.method, graph.dataset, splits.front());
    }
    for (const Task& task : tasks)
        prepare_operators(operators, methods[task.method], control);
    operators.fresh_notes();  // of all methods together: they are not those of the first run
    const ProgressTask progress(control, options.task, static_cast<std::int64_t>(tasks.size()));
    // Many runs: one thread each. A single one gets them all.
    const ExecutionControl inner{tasks.size() > 1 ? 1 : control.threads, nullptr, control.stop};
    parallel_for(static_cast<std::int64_t>(tasks.size()), 1, control, [&](int, std::int64_t t) {
        const Task& task = tasks[t];
        RunResult& result = results[task.method].runs[task.run];
        result = run_once(graph, operators, methods[task.method], splits[task.run],
                          options.first_seed + task.run, inner, options.threshold);
        if (journal != nullptr) journal->add(task.key, result);
    });
    finish(results);
    return results;
}

}  // namespace hwgcn
