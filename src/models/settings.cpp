#include <algorithm>

#include <fmt/format.h>

#include "hwgcn/weights/learn_weights.hpp"

#include "base/fail.hpp"
#include "base/hash.hpp"
#include "base/parameter.hpp"
#include "base/suggestions.hpp"
#include "models/choice_parameters.hpp"
#include "models/method_table.hpp"
#include "operators/propagation.hpp"
#include "training/fit_options.hpp"
#include "weights/weight_parameters.hpp"

namespace hwgcn {
namespace {

// Messages write parameters as `name` or `name=value`: each front end shows them in its own way.
std::string quoted(const Condition& condition) {
    return condition.negated ? fmt::format("`{}` other than {}", condition.parameter, condition.text)
                             : fmt::format("`{}={}`", condition.parameter, condition.text);
}

bool has(const std::vector<ParameterInfo>& parameters, std::string_view name) {
    return std::ranges::any_of(parameters, [&](const ParameterInfo& one) { return one.name == name; });
}

// What other methods have, to tell a misspelt name from one in the wrong place.
std::vector<std::string> all_parameter_names() {
    std::vector<std::string> names;
    for (const MethodInfo& method : method_table()) {
        for (const ParameterInfo& parameter : parameters_of(method.name)) {
            if (std::ranges::find(names, parameter.name) == names.end()) names.push_back(parameter.name);
        }
    }
    for (const auto& parameter : choice_parameters())
        names.push_back(parameter.name);
    return names;
}

std::string list_of_parameters(const MethodSettings& settings) {
    std::string text;
    for (const ParameterInfo& parameter : parameters_of(settings.method())) {
        if (settings.reads(parameter.name))
            text += fmt::format("{}`{}`", text.empty() ? "" : ", ", parameter.name);
    }
    return text;
}

[[noreturn]] void fail_unread(const MethodSettings& settings, std::string_view name) {
    const std::string& title = method_info(settings.method()).title;
    const std::vector<ParameterInfo>& parameters = parameters_of(settings.method());
    const auto found = std::ranges::find(parameters, name, &ParameterInfo::name);
    if (found != parameters.end()) {
        const Condition* unmet = &found->condition;
        while (!settings.reads(unmet->parameter))
            unmet = &std::ranges::find(parameters, unmet->parameter, &ParameterInfo::name)->condition;
        throw UnreadSetting(fmt::format("`{}`: {} reads it only with {}", name, title, quoted(*unmet)));
    }
    expect_known_parameter(name);
    throw UnreadSetting(fmt::format("`{}`: {} does not have it; with these settings it has {}", name, title,
                                    list_of_parameters(settings)));
}

}  // namespace

void expect_known_parameter(std::string_view name) {
    const std::vector<std::string> names = all_parameter_names();
    if (std::ranges::find(names, name) != names.end()) return;
    if (likely_names(name, names).empty())
        throw InputError(fmt::format("unknown setting '{}'; hwgcn info --parameters shows all {} of them",
                                     name, names.size()));
    fail_unknown_name("setting", name, names);
}

MethodSettings::MethodSettings(std::string_view method, std::string_view dataset_name) : method_(method) {
    const MethodDefinition& definition = method_definition(method);
    for (const ParameterInfo& parameter : parameters_of(method))
        settings_.push_back({parameter.name, parameter.default_text});
    std::vector<Setting> published = published_operator(dataset_name);
    std::erase_if(published, [&](const Setting& one) { return !has(parameters_of(method), one.name); });
    set(published);
    set(definition.published(dataset_name));
}

MethodSettings MethodSettings::from_listed(const std::vector<Setting>& listed, std::string_view dataset_name,
                                           bool lenient) {
    const auto named = std::ranges::find(listed, "method", &Setting::name);
    if (named == listed.end()) throw InputError("settings without a method");
    MethodSettings settings(named->text, dataset_name);
    std::vector<Setting> own;
    // What is listed only if changed and is not there had its default, whatever is published by now.
    for (const ParameterInfo& parameter : parameters_of(settings.method_)) {
        if (parameter.quiet_default) own.push_back({parameter.name, parameter.default_text});
    }
    for (const Setting& setting : listed) {
        if (setting.name == "method" || setting.name == "network") continue;
        if (has(parameters_of(settings.method_), setting.name)) {
            own.push_back(setting);
        } else if (!lenient) {
            fail_unread(settings, setting.name);
        }
    }
    settings.set(own);
    return settings;
}

const std::string& MethodSettings::network() const {
    return method_definition(method_).network;
}

const std::string* MethodSettings::find(std::string_view parameter) const {
    const auto found = std::ranges::find(settings_, parameter, &Setting::name);
    return found == settings_.end() ? nullptr : &found->text;
}

const std::string& MethodSettings::value(std::string_view parameter) const {
    if (const std::string* text = find(parameter)) return *text;
    fail_unread(*this, parameter);
}

bool MethodSettings::reads(std::string_view parameter) const {
    const std::vector<ParameterInfo>& parameters = parameters_of(method_);
    const auto found = std::ranges::find(parameters, parameter, &ParameterInfo::name);
    if (found == parameters.end()) return false;
    const Condition& condition = found->condition;
    if (condition.parameter.empty()) return true;
    return reads(condition.parameter) && (value(condition.parameter) == condition.text) != condition.negated;
}

std::vector<Setting> MethodSettings::effective() const {
    std::vector<Setting> settings;
    for (const ParameterInfo& parameter : parameters_of(method_)) {
        const bool is_quiet = parameter.quiet_default && value(parameter.name) == parameter.default_text;
        if (reads(parameter.name) && !is_quiet) settings.push_back({parameter.name, value(parameter.name)});
    }
    return settings;
}

void MethodSettings::set(const std::vector<Setting>& changes) {
    const std::vector<ParameterInfo>& parameters = parameters_of(method_);
    std::vector<Setting> settings = settings_;
    for (const Setting& change : changes) {
        const auto found = std::ranges::find(parameters, change.name, &ParameterInfo::name);
        if (found == parameters.end()) fail_unread(*this, change.name);
        const std::optional<std::string> text = found->normalized(change.text);
        if (!text)
            throw InputError(
                fmt::format("{}: expected {}, got '{}'", change.name, found->expected, change.text));
        settings[static_cast<std::size_t>(found - parameters.begin())].text = *text;
    }
    options_ = std::make_shared<const MethodOptions>(read_options(method_definition(method_), settings));
    settings_ = std::move(settings);
    const bool keep_given = std::ranges::find(changes, "keep", &Setting::name) != changes.end();
    const bool order_given = std::ranges::find(changes, "order", &Setting::name) != changes.end();
    if (keep_given || !order_given || weights().keep.empty()) return;
    // Another order has the shares there are; the last one holds for all further orders.
    WeightOptions shares = weights();
    shares.keep.resize(static_cast<std::size_t>(shares.order) - 1, shares.keep.back());
    const auto keep = std::ranges::find(weight_parameters(), "keep", &Parameter<WeightOptions>::name);
    set({{"keep", keep->get(shares)}});
}

void MethodSettings::apply(const std::vector<Setting>& changes) {
    MethodSettings changed = *this;
    changed.set(changes);
    for (const Setting& change : changes) {
        if (!changed.reads(change.name)) fail_unread(changed, change.name);
    }
    *this = std::move(changed);
}

void MethodSettings::mark_given(const std::vector<Setting>& changes) {
    for (const Setting& change : changes)
        given_.push_back(change.name);
}

bool MethodSettings::is_given(std::string_view parameter) const {
    return std::ranges::find(given_, parameter) != given_.end();
}

std::vector<Setting> MethodSettings::read_among(const std::vector<Setting>& changes) const {
    std::vector<Setting> own;
    for (const Setting& change : changes) {
        if (find(change.name) != nullptr) own.push_back(change);
    }
    MethodSettings changed = *this;
    changed.set(own);
    std::erase_if(own, [&](const Setting& change) { return !changed.reads(change.name); });
    return own;
}

OperatorKind MethodSettings::operator_kind() const {
    return options_->operator_kind;
}

const WeightOptions& MethodSettings::weights() const {
    return options_->weights;
}

const PropagationOptions& MethodSettings::propagation() const {
    return options_->propagation;
}

const FitOptions& MethodSettings::fit() const {
    return options_->fit;
}

int order_of(const MethodSettings& settings) {
    return settings.operator_kind() == OperatorKind::higher_order ? settings.weights().order : 1;
}

std::string settings_hash(const std::vector<Setting>& listed, int version) {
    Sha256 hash;
    hash.value(version);
    for (const Setting& setting : listed)
        hash.text(setting.name).text(setting.text);
    return hash.hex();
}

}  // namespace hwgcn
