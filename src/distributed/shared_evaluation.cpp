#include "distributed/shared_run.hpp"
#include "evaluation/evaluation_task.hpp"
#include "models/selection.hpp"
#include "operators/propagation.hpp"

namespace hwgcn {

std::vector<MethodResult> evaluate_shared(
    const GraphPart& part, const std::vector<MethodSettings>& methods, const EvaluationOptions& options,
    const std::function<Propagation(const MethodSettings& settings)>& make_operator,
    const ExecutionControl& control) {
    std::vector<Split> splits;
    for (int run = 0; run < options.runs; ++run) {
        const std::uint64_t seed = options.first_seed + static_cast<std::uint64_t>(run);
        splits.push_back(shared_split(part.partition->peers(),
                                      [&] { return make_split(part.graph.dataset, options.split, seed); }));
    }
    const auto all = static_cast<std::int64_t>(methods.size() * splits.size());
    const ProgressTask progress(control, options.task, all);
    ExecutionControl inner = control;
    inner.progress = nullptr;
    std::vector<MethodResult> results;
    for (const MethodSettings& asked : methods) {
        const Propagation propagation = make_operator(asked);
        MethodResult& result = results.emplace_back(MethodResult{asked, {}, {}, 0, options.metric});
        for (std::size_t run = 0; run < splits.size(); ++run) {
            const std::uint64_t seed = options.first_seed + run;
            std::vector<std::string> said;
            const auto settings = std::get<MethodSettings>(
                with_resolved_selection(asked, part.graph.dataset, splits[run], said));
            if (run == 0) result.method = settings;
            TrainedRun trained =
                train_shared({part, propagation, settings, splits[run], seed, options.threshold}, inner);
            RunResult& found = result.runs.emplace_back(numbers_of(std::move(trained.result)));
            found.notes.insert(found.notes.begin(), said.begin(), said.end());
            if (control.progress != nullptr) control.progress->advance(1);
        }
    }
    if (part.partition->rank() == 0) compare_with_first(results);
    return results;
}

}  // namespace hwgcn
