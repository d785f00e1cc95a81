#include <algorithm>
#include <functional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "hwgcn/pipeline/train_run.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "base/fail.hpp"
#include "choice/training_cost.hpp"
#include "models/method_table.hpp"
#include "pipeline/feasible.hpp"
#include "pipeline/warnings.hpp"
#include "weights/estimate.hpp"
#include "weights/ring_graph.hpp"

namespace hwgcn {
namespace {

// Of learning_work: about 20 s of learning on two cores.
constexpr double ring_budget = 1.5e9;
// Of WalkCost: about two minutes of walks on two cores.
constexpr double walk_budget = 2e11;

// The largest of the wanted orders whose rings, and those of all orders below, fit into the budget. Rings
// are searched order by order: where they explode, high orders are too long even to be searched.
int affordable_order(const PreparedGraph& graph, const WeightOptions& options, int wanted,
                     const ExecutionControl& control) {
    double work = 0;
    for (int order = 2; order <= wanted; ++order) {
        work += learning_entries(graph, options, order, control);
        if (work > ring_budget) return order - 1;
    }
    return wanted;
}

bool needs_features(const MethodSettings& settings) {
    return method_info(settings.method()).uses_features ||
           settings.operator_kind() == OperatorKind::higher_order;
}

void add_once(const std::string& note, std::vector<std::string>& notes) {
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
}

// Says where the features come from, to whom it matters.
void add_feature_notes(const PreparedGraph& graph, std::vector<std::string>& notes) {
    for (const std::string& note : graph.features.notes)
        add_once(fmt::format("{}: {}", graph.dataset.name, note), notes);
}

// A setting that only candidates read which are not tried would be without effect.
void check_settings_of(const std::vector<MethodSettings>& left_out,
                       const std::vector<MethodSettings>& candidates, const PreparedGraph& graph) {
    for (const MethodSettings& one : left_out) {
        const MethodSettings usual(one.method(), graph.dataset.name);
        for (const ParameterInfo& parameter : parameters_of(one.method())) {
            const auto reads = [&](const MethodSettings& other) { return other.reads(parameter.name); };
            if (one.value(parameter.name) == usual.value(parameter.name)) continue;
            if (std::ranges::any_of(candidates, reads)) continue;
            throw UnreadSetting(fmt::format(
                "`{}`: {} has features, and auto tries {}, which alone reads it, without features",
                parameter.name, graph.dataset.name, method_info(one.method()).title));
        }
    }
}

// Whether there are walks, and not too many.
bool can_walk(const PreparedGraph& graph, const MethodSettings& settings, std::vector<std::string>& notes) {
    if (graph.graph.edges() == 0) return false;
    const double work = make_classic_method(settings)->walk_cost(graph.graph.nodes()).work;
    if (work <= walk_budget) return true;
    notes.push_back(
        fmt::format("{}: auto does not try DeepWalk, which takes long on {} nodes; smaller `walks` or "
                    "`walk_length` make it faster, `method=deepwalk` trains it nevertheless",
                    graph.dataset.name, graph.graph.nodes()));
    return false;
}

// Without features of the dataset's own: DeepWalk comes first, then LP, then what reads structural features.
void prefer_the_graph(const PreparedGraph& graph, Automatic& automatic, std::vector<std::string>& notes) {
    std::vector<MethodSettings>& candidates = automatic.candidates;
    std::stable_partition(candidates.begin(), candidates.end(), std::not_fn(needs_features));
    automatic.with_validation.clear();  // they were measured on features of a dataset's own
    candidates.insert(candidates.begin(), automatic.without_features.begin(),
                      automatic.without_features.end());
    if (graph.features.scaled->columns == 0) {
        std::erase_if(candidates, needs_features);
        automatic.with_many_labels.clear();
        notes.push_back(
            fmt::format("{}: without features, there is only the graph to learn from", graph.dataset.name));
    }
    std::erase_if(candidates, [&](const MethodSettings& candidate) {
        return candidate.method() == "deepwalk" && !can_walk(graph, candidate, notes);
    });
    merge_equal_candidates(candidates);
    if (std::ranges::any_of(candidates, needs_features)) add_feature_notes(graph, notes);
}

// Of a handful of measured numbers every one counts: networks that drop half of them in training learn from
// noise.
void keep_few_features(const PreparedGraph& graph, std::span<MethodSettings> candidates, std::string_view who,
                       std::vector<std::string>& notes) {
    constexpr Index few = 10;
    const Index features = graph.features.scaled->columns;
    if (graph.features.scaling.scale != Scale::standard || features == 0 || features >= few) return;
    bool changed = false;
    for (MethodSettings& candidate : candidates) {
        const bool drops = candidate.reads("input_dropout") && candidate.value("input_dropout") != "0";
        if (!drops || candidate.is_given("input_dropout")) continue;
        candidate.apply({{"input_dropout", "0"}});
        changed = true;
    }
    if (!changed) return;
    add_once(
        fmt::format("{}: {} few: {} drops none of them in training (`input_dropout`)", graph.dataset.name,
                    features == 1 ? "1 feature is" : fmt::format("{} features are", features), who),
        notes);
}

// Trees are for tables: each column of many sparse ones says too little to split by.
void leave_out_trees(const PreparedGraph& graph, std::vector<MethodSettings>& candidates) {
    constexpr Index most_columns = 300;
    if (graph.features.scaled->columns <= most_columns) return;
    std::erase_if(candidates, [](const MethodSettings& one) { return one.method() == "boosted"; });
}

// Candidates that become equal are one. Order 1 is the plain graph.
void lower_orders(std::vector<MethodSettings>& candidates, int highest) {
    for (MethodSettings& candidate : candidates) {
        if (order_of(candidate) > highest) candidate.apply({{"order", fmt::to_string(highest)}});
    }
    merge_equal_candidates(candidates);
}

}  // namespace

Automatic feasible_candidates(const PreparedGraph& graph, Automatic automatic,
                              const ExecutionControl& control, std::vector<std::string>& notes) {
    std::vector<MethodSettings>& candidates = automatic.candidates;
    notes.insert(notes.end(), automatic.notes.begin(), automatic.notes.end());
    automatic.notes.clear();
    if (graph.features.structural || graph.features.scaled->columns == 0) {
        prefer_the_graph(graph, automatic, notes);
    } else {
        check_settings_of(automatic.without_features, candidates, graph);
    }
    automatic.without_features.clear();
    leave_out_trees(graph, candidates);
    keep_few_features(graph, candidates, automatic_info().name, notes);
    keep_few_features(graph, automatic.with_validation, automatic_info().name, notes);
    const auto ignores_weights = [](const MethodSettings& candidate) {
        return !method_info(candidate.method()).weighs_labels;
    };
    if (graph.label_weights.any() && std::erase_if(candidates, ignores_weights) > 0) {
        notes.push_back(
            fmt::format("{}: auto does not try LP, which cannot weigh labels", graph.dataset.name));
    }
    int wanted = 1;
    WeightOptions options;
    for (const MethodSettings& candidate : candidates) {
        if (order_of(candidate) <= wanted) continue;
        wanted = order_of(candidate);
        options = candidate.weights();
    }
    const int affordable = affordable_order(graph, options, wanted, control);
    if (affordable < wanted) {
        for (std::vector<MethodSettings>* list : automatic.lists())
            lower_orders(*list, affordable);
        notes.push_back(
            fmt::format("{}: auto tries no orders above {}: their rings are too large; `max_ring` makes "
                        "them smaller, `method=hwgcn` with `order={}` learns them nevertheless",
                        graph.dataset.name, affordable, wanted));
    }
    if (candidates.empty())
        fail_in_file(graph.dataset.name, "with these settings, auto has nothing to choose from");
    return automatic;
}

AskedMethod feasible(const PreparedGraph& graph, AskedMethod method, const ExecutionControl& control,
                     std::vector<std::string>& notes) {
    if (auto* automatic = std::get_if<Automatic>(&method))
        return feasible_candidates(graph, std::move(*automatic), control, notes);
    auto& settings = std::get<MethodSettings>(method);
    if (needs_features(settings)) add_feature_notes(graph, notes);
    if (is_own_data(graph.dataset))
        keep_few_features(graph, {&settings, 1}, method_info(settings.method()).title, notes);
    return method;
}

}  // namespace hwgcn
