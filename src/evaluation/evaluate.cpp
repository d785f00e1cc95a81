#include "hwgcn/evaluation/evaluate.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

#include <fmt/format.h>

#include "hwgcn/methods/choose_method.hpp"
#include "hwgcn/metrics/calibration.hpp"
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

std::string key_of(const PreparedGraph& graph, const std::string& data, const MethodSettings& settings,
                   const Split& split, std::uint64_t seed) {
    return RunJournal::key(data, settings, split_hash(split, graph.dataset), seed);
}

// Fills in what the journal has; the rest are tasks.
std::vector<Task> look_up(const PreparedGraph& graph, const std::vector<Split>& splits,
                          const EvaluationOptions& options, const RunJournal* journal,
                          std::vector<MethodResult>& results) {
    const std::string data = journal != nullptr ? dataset_hash(graph) : "";
    std::vector<Task> tasks;
    for (std::size_t m = 0; m < results.size(); ++m) {
        for (std::size_t r = 0; r < splits.size(); ++r) {
            Task task{m, r, ""};
            if (journal != nullptr) {
                task.key = key_of(graph, data, results[m].settings, splits[r], options.first_seed + r);
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
void prepare_operators(OperatorPool& operators, const MethodSettings& settings,
                       const ExecutionControl& control) {
    if (settings.candidates.empty()) operators.get(settings, control);
    for (const MethodSettings& candidate : settings.candidates)
        operators.get(candidate, control);
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

RunResult run_once(const PreparedGraph& graph, OperatorPool& operators, const MethodSettings& settings,
                   const Split& split, std::uint64_t seed, const ExecutionControl& control) {
    const auto started = std::chrono::steady_clock::now();
    ChosenMethod chosen = choose_method(graph, operators, settings, split, seed, control);
    const Propagation& propagation = operators.get(chosen.settings, control);
    const TrainedModel model = finish_training(graph, propagation, chosen, split, seed, control);
    DenseMatrix probabilities = predict_nodes(graph, propagation, chosen.settings, model, control);
    apply_temperature(probabilities, chosen.choice.temperature, control);  // 1 unless automatic
    const Metrics metrics = compute_metrics(probabilities, graph.dataset.labels, split.test, control);
    RunResult result;
    result.test_accuracy = metrics.accuracy;
    result.test_macro_f1 = metrics.macro_f1;
    result.test_nll = metrics.nll;
    result.test_ece = metrics.ece;
    result.validation_accuracy =
        compute_metrics(probabilities, graph.dataset.labels, split.validation, control).accuracy;
    result.notes = model.notes;
    result.alternative_test_accuracy = alternative_test_accuracy(graph, propagation, chosen.settings, model,
                                                                 split, metrics.accuracy, control);
    result.best_epoch = model.best_epoch;
    result.epochs = static_cast<int>(model.history.size());
    if (!settings.candidates.empty()) result.chosen = method_label(chosen.settings);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return result;
}

std::vector<MethodResult> evaluate(const PreparedGraph& graph, OperatorPool& operators,
                                   const std::vector<MethodSettings>& methods,
                                   const EvaluationOptions& options, const ExecutionControl& control,
                                   RunJournal* journal) {
    const std::vector<Split> splits = draw_splits(graph.dataset, options);
    std::vector<MethodResult> results;
    for (const MethodSettings& settings : methods)
        results.push_back({settings, std::vector<RunResult>(splits.size()), {}, {}, {}, 0});
    const std::vector<Task> tasks = look_up(graph, splits, options, journal, results);
    for (const Task& task : tasks)
        prepare_operators(operators, methods[task.method], control);
    const ProgressTask progress(control, options.task, static_cast<std::int64_t>(tasks.size()));
    // Many runs: one thread each. A single one gets them all.
    const ExecutionControl inner{tasks.size() > 1 ? 1 : control.threads, nullptr, control.stop};
    parallel_for(static_cast<std::int64_t>(tasks.size()), 1, control, [&](int, std::int64_t t) {
        const Task& task = tasks[t];
        RunResult& result = results[task.method].runs[task.run];
        result = run_once(graph, operators, methods[task.method], splits[task.run],
                          options.first_seed + task.run, inner);
        if (journal != nullptr) journal->add(task.key, result);
    });
    finish(results);
    return results;
}

}  // namespace hwgcn
