#include <algorithm>

#include <fmt/format.h>

#include "hwgcn/methods/methods.hpp"

#include "methods/method_table.hpp"

namespace hwgcn {
namespace {

MethodSettings with_order(std::string_view method, std::string_view dataset, int order) {
    MethodSettings settings(method, dataset);
    if (order > 1) {
        settings.apply({{"operator", "higher-order"}, {"order", fmt::to_string(order)}});
    } else if (settings.reads("operator")) {
        settings.apply({{"operator", "plain"}});
    }
    return settings;
}

// Preferred first: what did best on the graphs of docs/beyond.md, then what is simpler.
Automatic automatic_for(std::string_view dataset) {
    Automatic automatic;
    for (const int order : {4, 1})
        automatic.candidates.push_back(with_order("hwgpr", dataset, order));
    for (const int order : {6, 4, 2})
        automatic.candidates.push_back(with_order("hwgcn", dataset, order));
    for (const char* method : {"gcn", "lp", "mlp"})
        automatic.candidates.push_back(with_order(method, dataset, 1));
    automatic.without_features.push_back(with_order("deepwalk", dataset, 1));
    return automatic;
}

bool has_published_operator(const MethodSettings& settings) {
    return settings.operator_kind() == MethodSettings(settings.method(), "").operator_kind();
}

bool are_same(const MethodSettings& a, const MethodSettings& b) {
    return a.network() == b.network() && a.effective() == b.effective();
}

// The methods that settings may go to.
std::vector<MethodSettings*> targets_of(std::vector<AskedMethod>& methods) {
    std::vector<MethodSettings*> targets;
    for (AskedMethod& method : methods) {
        if (auto* one = std::get_if<MethodSettings>(&method)) targets.push_back(one);
        if (auto* automatic = std::get_if<Automatic>(&method)) {
            for (std::vector<MethodSettings>* list : {&automatic->candidates, &automatic->without_features}) {
                for (MethodSettings& candidate : *list)
                    targets.push_back(&candidate);
            }
        }
    }
    return targets;
}

// Says under which condition one of the targets reads the change, where one has such a parameter: first those
// that lack nothing but this condition.
void explain_condition(const std::vector<MethodSettings*>& targets, const std::vector<Setting>& changes,
                       const Setting& change) {
    for (const bool nearest : {true, false}) {
        for (const MethodSettings* target : targets) {
            const std::vector<ParameterInfo>& parameters = parameters_of(target->method());
            const auto found = std::ranges::find(parameters, change.name, &ParameterInfo::name);
            if (found == parameters.end()) continue;
            MethodSettings changed = *target;
            changed.apply(target->read_among(changes));
            if (!nearest || changed.reads(found->condition.parameter)) changed.apply({change});
        }
    }
}

std::string names_of(const std::vector<AskedMethod>& methods) {
    std::vector<std::string> names;
    for (const AskedMethod& method : methods)
        names.push_back(name_of(method));
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

const MethodInfo& automatic_info() {
    static const MethodInfo info = {
        .name = "auto",
        .title = "auto",
        .description =
            "chooses among hwgpr, hwgcn, gcn, lp, mlp (without features deepwalk) by held-out labels",
        .uses_features = false};
    return info;
}

std::vector<MethodInfo> askable_methods() {
    std::vector<MethodInfo> rows = method_table();
    rows.push_back(automatic_info());
    return rows;
}

AskedMethod asked_method(std::string_view name, std::string_view dataset_name) {
    if (name == automatic_info().name) return automatic_for(dataset_name);
    return MethodSettings(name, dataset_name);
}

const std::string& name_of(const AskedMethod& method) {
    const auto* settings = std::get_if<MethodSettings>(&method);
    return settings != nullptr ? settings->method() : automatic_info().name;
}

void apply_settings(std::vector<AskedMethod>& methods, const std::vector<Setting>& changes) {
    const std::vector<MethodSettings*> targets = targets_of(methods);
    if (targets.size() == 1) return targets.front()->apply(changes);
    for (const Setting& change : changes) {
        const auto reads = [&](const MethodSettings* target) {
            const std::vector<Setting> read = target->read_among(changes);
            return std::ranges::find(read, change.name, &Setting::name) != read.end();
        };
        if (std::ranges::any_of(targets, reads)) continue;
        expect_known_parameter(change.name);
        explain_condition(targets, changes, change);
        throw UnreadSetting(fmt::format("`{}`: none of {} has it", change.name, names_of(methods)));
    }
    for (MethodSettings* target : targets)
        target->apply(target->read_among(changes));
    for (AskedMethod& method : methods) {
        if (auto* automatic = std::get_if<Automatic>(&method)) merge_equal_candidates(*automatic);
    }
}

void apply_settings(AskedMethod& method, const std::vector<Setting>& changes) {
    std::vector<AskedMethod> one = {method};
    apply_settings(one, changes);
    method = std::move(one.front());
}

void merge_equal_candidates(Automatic& automatic) {
    std::vector<MethodSettings> different;
    for (MethodSettings& candidate : automatic.candidates) {
        if (order_of(candidate) == 1 && candidate.operator_kind() == OperatorKind::higher_order)
            candidate.apply({{"operator", "plain"}});
        const auto equal = std::ranges::find_if(
            different, [&](const MethodSettings& earlier) { return are_same(earlier, candidate); });
        if (equal == different.end()) {
            different.push_back(std::move(candidate));
        } else if (has_published_operator(candidate)) {
            *equal = std::move(candidate);  // HWGCN on the plain graph is called GCN
        }
    }
    automatic.candidates = std::move(different);
}

std::string method_label(const MethodSettings& settings) {
    const std::string& title = method_info(settings.method()).title;
    if (order_of(settings) > 1) return fmt::format("{} of order {}", title, order_of(settings));
    if (settings.operator_kind() == OperatorKind::in) return title + " over in-neighbours";
    if (settings.operator_kind() == OperatorKind::out) return title + " over out-neighbours";
    return title + (has_published_operator(settings) ? "" : " on the plain graph");
}

std::vector<Setting> listed_settings(const AskedMethod& method) {
    if (const auto* settings = std::get_if<MethodSettings>(&method)) {
        std::vector<Setting> all = {{"method", settings->method()}, {"network", settings->network()}};
        for (Setting& setting : settings->effective())
            all.push_back(std::move(setting));
        return all;
    }
    std::vector<Setting> all = {{"method", automatic_info().name}};
    const std::vector<MethodSettings>& candidates = std::get<Automatic>(method).candidates;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
        for (const Setting& setting : listed_settings(candidates[k]))
            all.push_back({fmt::format("candidate_{}.{}", k + 1, setting.name), setting.text});
    }
    return all;
}

std::string settings_hash(const AskedMethod& method) {
    return settings_hash(listed_settings(method));
}

}  // namespace hwgcn
