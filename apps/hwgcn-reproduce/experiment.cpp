#include "experiment.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/choice/choose_method.hpp"
#include "hwgcn/dataset/split.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "pipeline/feasible.hpp"
#include "run_statistics.hpp"

namespace hwgcn::experiments {

ExperimentRunner::ExperimentRunner(Load load, const WeightCache* cache, RunJournal& journal,
                                   const ExecutionControl& control, const Plan& plan)
    : load_(std::move(load)),
      cache_(cache),
      journal_(&journal),
      control_(control),
      first_seed_(plan.first_seed),
      finished_only_(plan.finished_only) {}

const PreparedGraph& ExperimentRunner::graph(const std::string& dataset) {
    if (name_ == dataset) return *graph_;
    operators_.reset();
    feasible_.clear();
    graph_ = std::make_unique<PreparedGraph>(prepare_graph(load_(dataset)));
    operators_ = std::make_unique<OperatorPool>(*graph_, cache_);
    name_ = dataset;
    made_ = false;
    return *graph_;
}

void ExperimentRunner::use(const std::string& name, Dataset dataset) {
    operators_.reset();
    feasible_.clear();
    graph_ = std::make_unique<PreparedGraph>(prepare_graph(std::move(dataset)));
    operators_ = std::make_unique<OperatorPool>(*graph_, nullptr);
    name_ = name;
    made_ = true;
}

// Rings are searched for it: once per graph is enough.
const AskedMethod& ExperimentRunner::feasible_method(const AskedMethod& method) {
    const std::string hash = settings_hash(method);
    const auto known = feasible_.find(hash);
    if (known != feasible_.end()) return known->second;
    return feasible_.emplace(hash, feasible(*graph_, method, control_, notes_)).first->second;
}

std::vector<MethodResult> ExperimentRunner::run(const std::string& dataset,
                                                const std::vector<AskedMethod>& methods,
                                                const std::string& setting, int runs) {
    return run(dataset, methods, setting, runs, first_seed_);
}

std::vector<MethodResult> ExperimentRunner::run(const std::string& dataset,
                                                const std::vector<AskedMethod>& methods,
                                                const std::string& setting, int runs,
                                                std::uint64_t first_seed) {
    return evaluate_on(dataset, methods, {setting, runs, first_seed, finished_only_});
}

std::vector<MethodResult> ExperimentRunner::finished(const std::string& dataset,
                                                     const std::vector<AskedMethod>& methods,
                                                     const std::string& setting, int runs,
                                                     std::uint64_t first_seed) {
    return evaluate_on(dataset, methods, {setting, runs, first_seed, true});
}

std::vector<MethodResult> ExperimentRunner::evaluate_on(const std::string& dataset,
                                                        const std::vector<AskedMethod>& methods,
                                                        const WantedRuns& wanted) {
    const PreparedGraph& prepared = graph(dataset);
    EvaluationOptions options;
    options.split = wanted.setting == "fixed" ? "planetoid" : wanted.setting;
    options.runs = wanted.runs;
    options.first_seed = wanted.first_seed;
    options.finished_only = wanted.finished_only;
    options.task = dataset_title(dataset) + ", " + setting_title(wanted.setting);
    const std::size_t known = operators_->notes().size();
    std::vector<AskedMethod> possible;
    for (const AskedMethod& method : methods)
        possible.push_back(feasible_method(method));
    std::vector<MethodResult> results =
        evaluate(prepared, *operators_, possible, options, control_, journal_);
    std::vector<std::string> said(operators_->notes().begin() + static_cast<std::ptrdiff_t>(known),
                                  operators_->notes().end());
    for (const MethodResult& result : results) {
        if (made_) break;  // that a graph which was made to be hard is hard is no news
        for (std::string& note : result.notes())
            said.push_back(std::move(note));
    }
    for (std::string& note : said) {
        if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(std::move(note));
    }
    return results;
}

void ExperimentRunner::forget_operators() {
    operators_->clear();
}

LearnedWeights ExperimentRunner::weights(const std::string& dataset, const WeightOptions& options) {
    const PreparedGraph& prepared = graph(dataset);
    LearnedWeights learned = learn_weights(prepared.graph, *prepared.features.scaled, options, control_,
                                           cache_, weight_content(prepared));
    notes_.insert(notes_.end(), learned.notes.begin(), learned.notes.end());
    return learned;
}

std::vector<Experiment> all_experiments() {
    return {depth_of_gcn(),      random_splits(),    fixed_split(),  number_of_orders(), matrix_powers(),
            weight_statistics(), beyond_the_paper(), other_graphs(), where_it_helps()};
}

int runs_of(const Plan& plan, const std::string& setting) {
    if (plan.runs > 0) return plan.runs;
    return setting == "fixed" ? 100 : 50;
}

std::vector<std::string> chosen_settings(const Plan& plan, const std::vector<std::string>& settings) {
    if (plan.settings.empty()) return settings;
    std::vector<std::string> chosen;
    std::ranges::copy_if(settings, std::back_inserter(chosen), [&](const std::string& setting) {
        return std::ranges::find(plan.settings, setting) != plan.settings.end();
    });
    return chosen;
}

void apply_readable(AskedMethod& method, const std::vector<Setting>& changes) {
    if (auto* settings = std::get_if<MethodSettings>(&method)) settings->apply(settings->read_among(changes));
    auto* automatic = std::get_if<Automatic>(&method);
    if (automatic == nullptr) return;
    for (std::vector<MethodSettings>* list : automatic->lists()) {
        for (MethodSettings& candidate : *list)
            candidate.apply(candidate.read_among(changes));
        merge_equal_candidates(*list);
    }
}

AskedMethod settings_of(const Plan& plan, const std::string& method, const std::string& dataset) {
    AskedMethod asked = asked_method(method, dataset);
    apply_readable(asked, plan.changes);
    return asked;
}

const std::string& method_of(const MethodResult& result) {
    return name_of(result.method);
}

void add_cell(std::vector<ResultCell>& cells, const MethodResult& result, const std::string& dataset,
              const std::string& setting, std::optional<double> paper, int asked) {
    if (result.runs.empty()) return;
    const SampleSummary accuracy = result.accuracy();
    ResultCell cell{dataset, method_of(result), setting, accuracy.mean, accuracy.std, accuracy.count, paper};
    cell.asked = asked;
    cell.by_loss = result.alternative_accuracy();
    cell.seconds = usual_seconds(result);
    cell.peak_mb = least_peak_mb(result);
    cells.push_back(std::move(cell));
}

const MethodResult* find_result(const std::vector<MethodResult>& results, const std::string& method) {
    const auto found = std::ranges::find_if(
        results, [&](const MethodResult& result) { return method_of(result) == method; });
    return found == results.end() ? nullptr : &*found;
}

std::vector<std::string> gain_cells(const MethodResult& result, const MethodResult& other) {
    const SharedRuns shared = shared_runs(result, other);
    if (shared.ours.empty()) return {"–", "–"};
    const PairedComparison gain = compare_paired(shared.ours, shared.other);
    const std::string interval =
        fmt::format("{:+.2f} .. {:+.2f}", gain.mean_difference - gain.ci95, gain.mean_difference + gain.ci95);
    return {fmt::format("{:+.2f}", gain.mean_difference), shared.ours.size() > 1 ? interval : "–"};
}

std::string setting_title(const std::string& setting) {
    return setting == "fixed" ? "fixed split" : setting.substr(setting.find(':') + 1) + " per class";
}

std::string dataset_title(const std::string& dataset) {
    if (dataset == "cora_ml") return "Cora ML";
    if (dataset == "amazon_photo") return "Amazon Photo";
    if (dataset == "coauthor_cs") return "Coauthor CS";
    std::string title = dataset;
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
    return title;
}

std::string method_title(const std::string& method) {
    return method == automatic_info().name ? automatic_info().title : method_info(method).title;
}

}  // namespace hwgcn::experiments
