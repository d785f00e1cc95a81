#include "experiment.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/data/split.hpp"
#include "hwgcn/methods/choose_method.hpp"

namespace hwgcn::experiments {

Laboratory::Laboratory(Load load, const WeightCache* cache, RunJournal& journal,
                       const ExecutionControl& control, std::uint64_t first_seed)
    : load_(std::move(load)), cache_(cache), journal_(&journal), control_(control), first_seed_(first_seed) {}

const PreparedGraph& Laboratory::graph(const std::string& dataset) {
    if (name_ == dataset) return *graph_;
    operators_.reset();
    graph_ = std::make_unique<PreparedGraph>(load_(dataset));
    operators_ = std::make_unique<OperatorPool>(*graph_, cache_);
    name_ = dataset;
    return *graph_;
}

std::vector<MethodResult> Laboratory::run(const std::string& dataset, const std::vector<AskedMethod>& methods,
                                          const std::string& setting, int runs) {
    const PreparedGraph& prepared = graph(dataset);
    EvaluationOptions options;
    options.split = setting == "fixed" ? "planetoid" : setting;
    options.runs = runs;
    options.first_seed = first_seed_;
    options.task = dataset_title(dataset) + ", " + setting_title(setting);
    const std::size_t known = operators_->notes().size();
    std::vector<AskedMethod> possible;
    for (const AskedMethod& method : methods)
        possible.push_back(feasible(prepared, method, control_, notes_));
    std::vector<MethodResult> results =
        evaluate(prepared, *operators_, possible, options, control_, journal_);
    std::vector<std::string> said(operators_->notes().begin() + static_cast<std::ptrdiff_t>(known),
                                  operators_->notes().end());
    for (const MethodResult& result : results) {
        for (std::string& note : result.notes())
            said.push_back(std::move(note));
    }
    for (std::string& note : said) {
        if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(std::move(note));
    }
    return results;
}

void Laboratory::forget_operators() {
    operators_->clear();
}

LearnedWeights Laboratory::weights(const std::string& dataset, const WeightOptions& options) {
    const PreparedGraph& prepared = graph(dataset);
    LearnedWeights learned = learn_weights(prepared.graph, *prepared.features, options, control_, cache_);
    notes_.insert(notes_.end(), learned.notes.begin(), learned.notes.end());
    return learned;
}

std::vector<Experiment> all_experiments() {
    return {depth_of_gcn(),  random_splits(),     fixed_split(),      number_of_orders(),
            matrix_powers(), weight_statistics(), beyond_the_paper(), other_graphs()};
}

int runs_of(const Plan& plan, const std::string& setting) {
    if (plan.runs > 0) return plan.runs;
    return setting == "fixed" ? 100 : 50;
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

ResultCell cell_of(const MethodResult& result, const std::string& dataset, const std::string& setting,
                   std::optional<double> paper) {
    return {
        dataset, method_of(result), setting, result.accuracy.mean, result.accuracy.std, result.accuracy.count,
        paper};
}

const MethodResult* find_result(const std::vector<MethodResult>& results, const std::string& method) {
    const auto found = std::ranges::find_if(
        results, [&](const MethodResult& result) { return method_of(result) == method; });
    return found == results.end() ? nullptr : &*found;
}

std::vector<std::string> gain_cells(const MethodResult& result, const MethodResult& other) {
    const PairedComparison gain = compare_paired(result.accuracies(), other.accuracies());
    return {fmt::format("{:+.2f}", gain.mean_difference),
            fmt::format("{:+.2f} .. {:+.2f}", gain.mean_difference - gain.ci95,
                        gain.mean_difference + gain.ci95)};
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
