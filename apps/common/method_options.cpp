#include "method_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/metrics/decision.hpp"
#include "hwgcn/models/methods.hpp"

#include "environment.hpp"
#include "parameters.hpp"
#include "tables.hpp"
#include "usage.hpp"

namespace hwgcn::cli {
namespace {

// Every parameter of any method once: of the operator, of the methods, of training.
const std::vector<ParameterInfo>& all_parameters() {
    static const std::vector<ParameterInfo> all = [] {
        std::vector<ParameterInfo> unique;
        const auto add = [&](const std::string& method) {
            for (const ParameterInfo& parameter : parameters_of(method)) {
                if (std::ranges::find(unique, parameter.name, &ParameterInfo::name) == unique.end())
                    unique.push_back(parameter);
            }
        };
        add("sgc");  // which has all those of the operator
        for (const MethodInfo& method : method_table())
            add(method.name);
        for (const ParameterInfo& parameter : parameter_infos(choice_parameters()))
            unique.push_back(parameter);
        std::ranges::stable_partition(unique, [](const ParameterInfo& parameter) {
            return std::ranges::none_of(fit_parameters(),
                                        [&](const auto& one) { return one.name == parameter.name; });
        });
        return unique;
    }();
    return all;
}

// What a value may look like, whichever method it is for.
bool is_accepted(const std::string& name, const std::string& text) {
    for (const ParameterInfo& parameter : parameter_infos(choice_parameters())) {
        if (parameter.name == name) return parameter.normalized(text).has_value();
    }
    return std::ranges::any_of(method_table(), [&](const MethodInfo& method) {
        const std::vector<ParameterInfo>& parameters = parameters_of(method.name);
        const auto found = std::ranges::find(parameters, name, &ParameterInfo::name);
        return found != parameters.end() && found->normalized(text);
    });
}

}  // namespace

void add_cache_options(CLI::App& command, CacheOptions& options) {
    command
        .add_option("--cache-dir", options.directory,
                    "cache of learned weights (default: in the user's cache folder)")
        ->type_name("DIR")
        ->group(rare_options);
    command.add_flag("--no-cache", options.off, "do not use the cache of learned weights")
        ->disable_flag_override()
        ->group(rare_options);
}

std::filesystem::path cache_directory(const CacheOptions& options) {
    if (options.off && !options.directory.empty())
        throw InputError("--no-cache and --cache-dir exclude each other");
    if (options.off) return {};
    return options.directory.empty() ? default_cache_directory() : options.directory;
}

std::unique_ptr<const WeightCache> open_cache(const CacheOptions& options) {
    const std::filesystem::path directory = cache_directory(options);
    return directory.empty() ? nullptr : std::make_unique<const WeightCache>(directory);
}

void add_decision_options(CLI::App& command, DecisionOptions& options) {
    command
        .add_option("--class-weights", options.class_weights,
                    "what errors at each class cost: balanced (rare classes as much as common ones), or a "
                    "file with a class and its weight on each line")
        ->type_name("balanced|FILE");
    const auto remember = [&options](const std::string& text) {
        threshold_rule(text);  // throws for what it does not understand
        options.threshold = text;
    };
    command
        .add_option_function<std::string>(
            "--threshold", remember,
            "of two classes, predict the rarer one from this probability on: a number, or the best one for "
            "its F1 or for balanced accuracy on the validation nodes")
        ->type_name("f1|balanced|P");
}

std::vector<std::filesystem::path> input_files(const DecisionOptions& options) {
    if (options.class_weights.empty() || options.class_weights == "balanced") return {};
    return {options.class_weights};
}

void add_setting_options(CLI::App& command, std::vector<Setting>& given) {
    for (const ParameterInfo& parameter : all_parameters()) {
        const std::string option = option_name(parameter.name);
        const auto remember = [&given, &parameter, option](const std::string& text) {
            if (!is_accepted(parameter.name, text)) fail_unexpected(option, parameter.expected, text);
            given.push_back({parameter.name, text});
        };
        command.add_option_function<std::string>(option, remember, parameter.help)
            ->type_name(parameter.metavar)
            ->group("");  // not in the help, which `explain_settings` adds them to
    }
}

void explain_settings(CLI::App& command, const std::string& methods) {
    for (const std::string& name : split_at(methods, ',')) {
        if (name == automatic_info().name) {  // its candidates have the settings of their methods, too
            for (const ParameterInfo& parameter : parameter_infos(choice_parameters())) {
                CLI::Option* option = command.get_option(option_name(parameter.name));
                option->group("Settings of auto");
                option->description(option_help(parameter.help, parameter.expected, parameter.default_text));
            }
            continue;
        }
        const MethodSettings published(name, "");
        for (const ParameterInfo& parameter : parameters_of(name)) {
            CLI::Option* option = command.get_option(option_name(parameter.name));
            if (!option->get_group().empty()) continue;
            option->group(fmt::format("Settings of {}", method_info(name).title));
            option->description(option_help(parameter.help + condition_text(parameter.condition),
                                            parameter.expected, published.value(parameter.name)));
        }
    }
}

std::vector<AskedMethod> chosen_methods(const std::string& names, const std::vector<Setting>& given,
                                        const std::string& dataset_name) {
    std::vector<AskedMethod> methods;
    for (const std::string& name : split_at(names, ',')) {
        for (const AskedMethod& earlier : methods) {
            if (name_of(earlier) == name)
                throw InputError(fmt::format("--method: '{}' was given twice", name));
        }
        methods.push_back(asked_method(name, dataset_name));
    }
    if (methods.empty()) throw InputError("--method: expected a method, or several separated by commas");
    const auto is_given = [&](const char* name) {
        return std::ranges::find(given, name, &Setting::name) != given.end();
    };
    const bool automatic = std::ranges::any_of(
        methods, [](const AskedMethod& method) { return std::holds_alternative<Automatic>(method); });
    if (automatic && is_given("keep") && !is_given("order"))
        throw InputError("--keep has a share for each order: it goes with --order K or a named method");
    apply_settings(methods, given);
    return methods;
}

std::string methods_help() {
    std::string names;
    for (const MethodInfo& method : askable_methods())
        names += (names.empty() ? "" : ", ") + method.name;
    return "Methods: " + wrapped(names, 88) +
           "\nEach has its own settings, as published unless given: add --method NAME to --help.\n"
           "What each of them is: --help-all.\n";
}

void describe_methods(CLI::App& command) {
    const std::string brief = methods_help();
    std::string footer = command.get_footer();
    const std::size_t place = footer.find(brief);
    if (place == std::string::npos) return;
    std::string text = "Methods:\n";
    for (const MethodInfo& method : askable_methods())
        text += fmt::format("  {:<13} {}\n", method.name, method.description);
    text += "Each has its own settings, as published unless given: add --method NAME to --help.\n";
    command.footer(footer.replace(place, brief.size(), text));
}

}  // namespace hwgcn::cli
