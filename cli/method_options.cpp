#include "method_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "hwgcn/methods/methods.hpp"
#include "hwgcn/neighbor_weights/weight_parameters.hpp"
#include "hwgcn/propagation/propagation_parameters.hpp"
#include "hwgcn/support/error.hpp"

#include "environment.hpp"
#include "parameters.hpp"

namespace hwgcn::cli {
namespace {

enum class Defaults {
    differ,  ///< the published values differ from method to method, so that none is shown
    hold,
};

template <typename Options>
void add_group(CLI::App& command, const std::string& group, const std::vector<Parameter<Options>>& table,
               std::vector<Setting>& given, Defaults defaults = Defaults::differ) {
    for (const Parameter<Options>& parameter : table) {
        const std::string option = option_name(parameter.name);
        const auto remember = [&given, &parameter, option](const std::string& text) {
            Options scratch{};
            if (!parameter.set(scratch, text)) fail_unexpected(option, parameter.expected, text);
            given.push_back({parameter.name, text});
        };
        command
            .add_option_function<std::string>(
                option, remember,
                option_help(parameter.help, parameter.expected,
                            defaults == Defaults::hold ? parameter.get(Options{}) : std::string()))
            ->type_name(parameter.metavar)
            ->group(group);
    }
}

}  // namespace

void add_cache_options(CLI::App& command, CacheOptions& options) {
    command
        .add_option("--cache-dir", options.directory,
                    "where finished orders are kept and found again (default: the user's cache)")
        ->type_name("DIR");
    command.add_flag("--no-cache", options.off, "neither look for finished orders nor keep them")
        ->disable_flag_override();
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

void add_setting_options(CLI::App& command, std::vector<Setting>& given) {
    add_group(command, "Operator (default: as published for the method)", method_parameters(), given);
    add_group(command, "Operator (default: as published for the method)", weight_parameters(), given);
    add_group(command, "Operator (default: as published for the method)", propagation_parameters(), given);
    add_group(command, "Network (default: as published for the method)", network_parameters(), given);
    add_group(command, "Training (default: as published for the method)", fit_parameters(), given);
    add_group(command, "Classic methods", classic_parameters(), given, Defaults::hold);
}

std::vector<MethodSettings> chosen_methods(const std::string& names, const std::vector<Setting>& given,
                                           const std::string& dataset_name) {
    const auto is_given = [&](const std::string& name, const std::string& text = "") {
        return std::ranges::any_of(given, [&](const Setting& setting) {
            return setting.name == name && (text.empty() || setting.text == text);
        });
    };
    std::vector<MethodSettings> methods;
    for (const std::string& name : split_at(names, ',')) {
        for (const MethodSettings& earlier : methods) {
            if (earlier.method == name) throw InputError(fmt::format("--method: '{}' was given twice", name));
        }
        methods.push_back(method_settings(name, dataset_name));
        if (is_given("keep") && !is_given("order") && !methods.back().candidates.empty())
            throw InputError("--keep has a share for each order: it goes with --order K or a named method");
        apply_settings(methods.back(), given);
    }
    if (is_given("lambda") && !is_given("weighting", "lasso"))
        throw InputError("--lambda matters only with --weighting lasso");
    if (methods.empty()) throw InputError("--method: expected a method, or several separated by commas");
    return methods;
}

std::string methods_help() {
    std::string text = "Methods:\n";
    for (const MethodInfo& method : method_table())
        text += fmt::format("  {:<10} {}\n", method.name, method.description);
    return text;
}

}  // namespace hwgcn::cli
