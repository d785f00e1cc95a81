#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hwgcn/models/methods.hpp"

#include "base/parameter.hpp"
#include "models/choice_parameters.hpp"
#include "models/method_table.hpp"
#include "training/fit_options.hpp"

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

// Residual networks as the choice tries them: half of the published units, trained three times as fast.
MethodSettings residual(std::string_view method, std::string_view dataset,
                        std::vector<Setting> changes = {}) {
    MethodSettings settings(method, dataset);
    settings.apply({{"hidden", "64"}, {"rate", "0.003"}, {"epochs", "300"}, {"patience", "100"}});
    settings.apply(changes);
    return settings;
}

// Deep residual networks as the choice tries them: with a rate that falls to 0 they need fewer epochs.
MethodSettings deep(std::string_view method, std::string_view dataset, std::vector<Setting> changes) {
    MethodSettings settings(method, dataset);
    settings.apply({{"rate_decay", "cosine"}});
    settings.apply(changes);
    return settings;
}

// Networks that tell a node from its neighbors or regularise lightly: what many labels allow.
std::vector<MethodSettings> with_many_labels(std::string_view dataset) {
    const std::vector<Setting> regularised = {{"hidden_dropout", "0.5"}, {"l2", "0.0005"}};
    return {residual("gcn-res", dataset),
            MethodSettings("mixhop-light", dataset),
            residual("sage", dataset, regularised),
            residual("sage", dataset),
            residual("hwsage", dataset),
            MethodSettings("gpr", dataset),
            deep("deep-gcn", dataset, {{"epochs", "600"}}),
            deep("deep-gcn", dataset, {{"epochs", "600"}, {"neighbors", "mean"}}),
            deep("wide-gcn", dataset, {{"epochs", "200"}}),
            deep("layer-gcn", dataset, {{"epochs", "200"}, {"rate", "0.002"}}),
            MethodSettings("mlp", dataset)};
}

// What needs validation nodes that stop it in time: random propagation, and teaching oneself.
std::vector<MethodSettings> with_validation(std::string_view dataset) {
    MethodSettings self_trained = with_order("hwgpr", dataset, 4);
    self_trained.apply({{"self_training", "50"}});
    return {self_trained, MethodSettings("hwgrand", dataset), MethodSettings("hwgrand-sharp", dataset),
            MethodSettings("hwgrand-norm", dataset)};
}

// Preferred first: what did best on the graphs of docs/beyond.md, then what is simpler.
Automatic automatic_for(std::string_view dataset) {
    Automatic automatic;
    for (const char* method : {"hwgpr", "diffusion"}) {
        for (const int order : {4, 1})
            automatic.candidates.push_back(with_order(method, dataset, order));
    }
    automatic.candidates.push_back(with_order("hwgcn", dataset, 4));
    for (const char* method : {"gcn", "boosted", "linear-neighbors", "lp", "linear"})
        automatic.candidates.push_back(with_order(method, dataset, 1));
    automatic.without_features.push_back(with_order("deepwalk", dataset, 1));
    automatic.with_many_labels = with_many_labels(dataset);
    automatic.with_validation = with_validation(dataset);
    return automatic;
}

bool has_published_operator(const MethodSettings& settings) {
    return settings.operator_kind() == MethodSettings(settings.method(), "").operator_kind();
}

bool are_same(const MethodSettings& a, const MethodSettings& b) {
    return a.network() == b.network() && a.effective() == b.effective();
}

// Of two candidates of the same method, this tells them apart.
bool is_regularised(const MethodSettings& settings) {
    return settings.network() == "sage" &&
           settings.value("hidden_dropout") != MethodSettings(settings.method(), "").value("hidden_dropout");
}

bool takes_means(const MethodSettings& settings) {
    return settings.method() == "deep-gcn" && settings.value("neighbors") == "mean";
}

// The methods that settings may go to.
std::vector<MethodSettings*> targets_of(std::vector<AskedMethod>& methods) {
    std::vector<MethodSettings*> targets;
    for (AskedMethod& method : methods) {
        if (auto* one = std::get_if<MethodSettings>(&method)) targets.push_back(one);
        if (auto* automatic = std::get_if<Automatic>(&method)) {
            for (std::vector<MethodSettings>* list : automatic->lists()) {
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

// Of the further candidates, those that refuse a value which the others take (64 units or 100, but not 8) are
// not tried.
void drop_refusing(Automatic& automatic, const std::vector<Setting>& changes) {
    for (const Setting& change : changes) {
        std::vector<std::string> refusing;
        std::string expected;
        std::erase_if(automatic.with_many_labels, [&](const MethodSettings& candidate) {
            const std::vector<ParameterInfo>& parameters = parameters_of(candidate.method());
            const auto found = std::ranges::find(parameters, change.name, &ParameterInfo::name);
            if (found == parameters.end() || found->normalized(change.text)) return false;
            refusing.push_back(method_label(candidate));
            expected = found->expected;
            return true;
        });
        if (refusing.empty()) continue;
        automatic.notes.push_back(fmt::format("auto does not try {}, whose `{}` is {}",
                                              fmt::join(refusing, ", "), change.name, expected));
    }
}

// Sets what limits an automatic choice; returns the other changes.
std::vector<Setting> apply_limits(std::vector<AskedMethod>& methods, const std::vector<Setting>& changes) {
    std::vector<Setting> others;
    for (const Setting& change : changes) {
        const auto found =
            std::ranges::find(choice_parameters(), change.name, &Parameter<ChoiceLimits>::name);
        if (found == choice_parameters().end()) {
            others.push_back(change);
            continue;
        }
        bool read = false;
        for (AskedMethod& method : methods) {
            auto* automatic = std::get_if<Automatic>(&method);
            if (automatic == nullptr) continue;
            read = true;
            if (!found->set(automatic->limits, change.text))
                throw InputError(
                    fmt::format("{}: expected {}, got '{}'", change.name, found->expected, change.text));
        }
        if (!read) throw UnreadSetting(fmt::format("`{}`: only `method=auto` reads it", change.name));
    }
    return others;
}

std::string names_of(const std::vector<AskedMethod>& methods) {
    std::vector<std::string> names;
    for (const AskedMethod& method : methods)
        names.push_back(name_of(method));
    return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

const std::vector<Parameter<ChoiceLimits>>& choice_parameters() {
    using Options = ChoiceLimits;
    static const std::vector<Parameter<Options>> table = {
        number_parameter("budget", &Options::budget, Range<double>{0.01, 1e6}, "X",
                         "auto: work for the choice; 1 is at most four minutes on two cores"),
        choice_parameter("effort", &Options::effort,
                         {{"quick", Effort::quick}, {"normal", Effort::normal}, {"high", Effort::high}},
                         "auto: the cheap candidates alone, all within the budget, or with the budget "
                         "doubled as long as that helps"),
        number_parameter("memory", &Options::memory, Range<double>{0.01, 1e6}, "GB",
                         "auto: leave out candidates that need more memory"),
        number_parameter(
            "stop_after", &Options::stop_after, Range<double>{0, 1e9}, "SECONDS",
            "auto: take the best candidate so far after so many seconds; 0: as long as it takes"),
        choice_parameter("average", &Options::average,
                         {{"auto", Averaging::automatic}, {"off", Averaging::off}},
                         "auto: the average of several candidates where many labels are held out and it is "
                         "better than the best one, or always a single one"),
    };
    return table;
}

const MethodInfo& automatic_info() {
    static const MethodInfo info = {.name = "auto",
                                    .title = "auto",
                                    .description =
                                        "chooses among linear, diffusion, lp, gcn, hwgcn, hwgpr, hwgrand, "
                                        "with many labels sage and others",
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

void apply_settings(std::vector<AskedMethod>& methods, const std::vector<Setting>& given) {
    const std::vector<Setting> changes = apply_limits(methods, given);
    for (AskedMethod& method : methods) {
        if (auto* automatic = std::get_if<Automatic>(&method)) drop_refusing(*automatic, changes);
    }
    const std::vector<MethodSettings*> targets = targets_of(methods);
    for (MethodSettings* target : targets)
        target->mark_given(changes);
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
        auto* automatic = std::get_if<Automatic>(&method);
        if (automatic == nullptr) continue;
        for (std::vector<MethodSettings>* list : automatic->lists())
            merge_equal_candidates(*list);
    }
}

void apply_settings(AskedMethod& method, const std::vector<Setting>& changes) {
    std::vector<AskedMethod> one = {method};
    apply_settings(one, changes);
    method = std::move(one.front());
}

void merge_equal_candidates(std::vector<MethodSettings>& candidates) {
    std::vector<MethodSettings> different;
    for (MethodSettings& candidate : candidates) {
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
    candidates = std::move(different);
}

std::string method_label(const MethodSettings& settings) {
    std::string title = method_info(settings.method()).title;
    if (is_regularised(settings)) title += fmt::format(" (dropout {})", settings.value("hidden_dropout"));
    if (takes_means(settings)) title += " with means";
    if (settings.fit().self_training > 0) title = "self-trained " + title;
    if (order_of(settings) > 1) return fmt::format("{} of order {}", title, order_of(settings));
    if (settings.operator_kind() == OperatorKind::in) return title + " over in-neighbors";
    if (settings.operator_kind() == OperatorKind::out) return title + " over out-neighbors";
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
    const auto& automatic = std::get<Automatic>(method);
    for (const auto& parameter : choice_parameters()) {
        const std::string text = parameter.get(automatic.limits);
        const bool is_new = parameter.name == "average";  // runs of earlier versions had none
        if (is_new || text != parameter.get(ChoiceLimits{})) all.push_back({parameter.name, text});
    }
    std::vector<MethodSettings> candidates = automatic.candidates;
    for (const std::vector<MethodSettings>* more : {&automatic.with_many_labels, &automatic.with_validation})
        candidates.insert(candidates.end(), more->begin(), more->end());
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
