#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/fail.hpp"
#include "base/parameter.hpp"
#include "output.hpp"

namespace hwgcn::cli {

/// "max_ring" becomes "--max-ring".
std::string option_name(std::string_view parameter);

/// The help of an option: what it is for, what it takes, what it is when not given.
std::string option_help(std::string_view help, std::string_view expected, std::string_view default_text);

/// "; only with --scheme consistency", or nothing.
std::string condition_text(const Condition& condition);

[[noreturn]] void fail_unexpected(std::string_view option, std::string_view expected, std::string_view text);

/// All parameters in Markdown, for docs/parameters.md.
std::string parameters_as_markdown();

/// The same for programs.
Json parameters_as_json();

/// Makes an option of a parameter, called `names` ("--seed,--first-seed"); it sets `options`, which has to
/// live as long as `command`.
template <typename Options>
void add_parameter_option(CLI::App& command, const std::string& names, const Parameter<Options>& parameter,
                          Options& options) {
    const std::string option = names.substr(0, names.find(','));
    const auto set = [&options, &parameter, option](const std::string& text) {
        if (!parameter.set(options, text)) fail_unexpected(option, parameter.expected, text);
    };
    command
        .add_option_function<std::string>(
            names, set, option_help(parameter.help, parameter.expected, parameter.get(Options{})))
        ->type_name(parameter.metavar);
}

/// Makes an option of each parameter of `table`, or of those called `names`; they set `options`, which has to
/// live as long as `command`.
template <typename Options>
void add_parameter_options(CLI::App& command, const std::vector<Parameter<Options>>& table, Options& options,
                           const std::vector<std::string_view>& names = {}) {
    for (const Parameter<Options>& parameter : table) {
        if (!names.empty() && std::find(names.begin(), names.end(), parameter.name) == names.end()) continue;
        add_parameter_option(command, option_name(parameter.name), parameter, options);
    }
}

/// Applies "key=value,key=value" given to `option`. A list in a value is not possible here.
template <typename Options>
void apply_settings(std::string_view option, std::string_view text,
                    const std::vector<Parameter<Options>>& table, Options& options) {
    for (const std::string& setting : split_at(text, ',')) {
        const std::size_t sign = setting.find('=');
        if (sign == std::string::npos) fail_unexpected(option, "key=value,key=value,..", setting);
        try {
            set_parameter(table, options, setting.substr(0, sign), setting.substr(sign + 1));
        } catch (const InputError& error) {
            fail_in_file(option, error.what());
        }
    }
}

}  // namespace hwgcn::cli
