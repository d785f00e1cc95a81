#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hwgcn/base/setting.hpp"

#include "base/fail.hpp"

namespace hwgcn {

/// One parameter of an options struct, declared once in a table beside the struct: the command line, files of
/// settings and the documentation are all made from that table.
template <typename Options>
struct Parameter {
    std::string name;      ///< as in a file of settings: "max_ring"
    std::string metavar;   ///< what stands for the value in a help text: "N"
    std::string expected;  ///< what `set` accepts, in words: "a whole number in 1..64"
    std::string help;
    std::function<bool(Options&, std::string_view)> set;  ///< false, and no change, for an unexpected text
    std::function<std::string(const Options&)> get;       ///< the value as `set` reads it
    Condition condition = {};
    bool quiet_default = false;  ///< see listed_if_changed

    /// The same parameter, among the settings of a run only where it is not the default: it came later than
    /// the runs that do not have it, and must not change their hashes.
    Parameter listed_if_changed() && {
        quiet_default = true;
        return std::move(*this);
    }
    /// The same parameter, read only where `other` has the value `text`.
    Parameter only_with(std::string other, std::string text) && {
        condition = {std::move(other), std::move(text)};
        return std::move(*this);
    }
    /// .. where `other` has any other value than `text`.
    Parameter only_without(std::string other, std::string text) && {
        condition = {std::move(other), std::move(text), true};
        return std::move(*this);
    }
};

/// The values that a number may have.
template <typename Number>
struct Range {
    Number lowest;
    Number highest = std::numeric_limits<Number>::max();
    bool lowest_excluded = false;

    bool contains(Number value) const {  // false for NaN
        return (lowest_excluded ? value > lowest : value >= lowest) && value <= highest;
    }
};

// For int, std::int64_t, std::uint64_t and double. Whole numbers may be written as 1e6.
template <typename Number>
std::optional<Number> parse_value(std::string_view text);
template <typename Number>
std::string value_text(Number value);
template <typename Number>
std::string describe(const Range<Number>& range);

/// "a, b or c"
std::string join_alternatives(const std::vector<std::string>& words);
std::vector<std::string> split_at(std::string_view text, char separator);

template <typename Options, typename Number>
Parameter<Options> number_parameter(std::string name, Number Options::*member, Range<Number> range,
                                    std::string metavar, std::string help) {
    return {std::move(name),
            std::move(metavar),
            describe(range),
            std::move(help),
            [=](Options& options, std::string_view text) {
                const std::optional<Number> value = parse_value<Number>(text);
                if (!value || !range.contains(*value)) return false;
                options.*member = *value;
                return true;
            },
            [=](const Options& options) { return value_text(options.*member); }};
}

/// Numbers separated by commas, at least `least`; an empty text stands for none.
template <typename Options, typename Number>
Parameter<Options> list_parameter(std::string name, std::vector<Number> Options::*member, Range<Number> range,
                                  std::string metavar, std::string help, std::size_t least = 0) {
    return {std::move(name),
            std::move(metavar),
            "a list a,b,.. of: " + describe(range),
            std::move(help),
            [=](Options& options, std::string_view text) {
                std::vector<Number> values;
                for (const std::string& field : split_at(text, ',')) {
                    const std::optional<Number> value = parse_value<Number>(field);
                    if (!value || !range.contains(*value)) return false;
                    values.push_back(*value);
                }
                if (values.size() < least) return false;
                options.*member = std::move(values);
                return true;
            },
            [=](const Options& options) {
                std::string text;
                for (const Number value : options.*member) {
                    if (!text.empty()) text += ',';
                    text += value_text(value);
                }
                return text;
            }};
}

/// One of a few names.
template <typename Options, typename Choice>
Parameter<Options> choice_parameter(std::string name, Choice Options::*member,
                                    std::vector<std::pair<std::string, Choice>> choices, std::string help) {
    std::vector<std::string> names;
    for (const auto& choice : choices)
        names.push_back(choice.first);
    return {std::move(name),
            "NAME",
            join_alternatives(names),
            std::move(help),
            [=](Options& options, std::string_view text) {
                for (const auto& [word, choice] : choices) {
                    if (word != text) continue;
                    options.*member = choice;
                    return true;
                }
                return false;
            },
            [=](const Options& options) {
                for (const auto& [word, choice] : choices) {
                    if (choice == options.*member) return word;
                }
                return std::string();
            }};
}

template <typename Options>
std::vector<ParameterInfo> parameter_infos(const std::vector<Parameter<Options>>& table) {
    std::vector<ParameterInfo> infos;
    for (const Parameter<Options>& parameter : table) {
        infos.push_back({parameter.name, parameter.metavar, parameter.expected, parameter.help,
                         parameter.condition, parameter.get(Options{}),
                         [parameter](std::string_view text) -> std::optional<std::string> {
                             Options scratch{};
                             if (!parameter.set(scratch, text)) return std::nullopt;
                             return parameter.get(scratch);
                         },
                         parameter.quiet_default});
    }
    return infos;
}

/// The options that the settings stand for; those that are not of the table are passed over.
template <typename Options>
Options options_from(const std::vector<Parameter<Options>>& table, const std::vector<Setting>& settings) {
    Options options{};
    for (const Setting& setting : settings) {
        for (const Parameter<Options>& parameter : table) {
            if (parameter.name != setting.name || parameter.set(options, setting.text)) continue;
            throw InputError(parameter.name + ": expected " + parameter.expected + ", got '" + setting.text +
                             "'");
        }
    }
    return options;
}

/// Throws InputError for the first value that its parameter would not accept.
template <typename Options>
void validate_parameters(const std::vector<Parameter<Options>>& table, const Options& options) {
    Options accepted;
    for (const Parameter<Options>& parameter : table) {
        const std::string text = parameter.get(options);
        if (parameter.set(accepted, text)) continue;
        throw InputError(parameter.name + ": expected " + parameter.expected + ", got '" + text + "'");
    }
}

/// Sets the parameter called `name`; throws InputError for an unknown name or an unexpected text.
template <typename Options>
void set_parameter(const std::vector<Parameter<Options>>& table, Options& options, std::string_view name,
                   std::string_view text) {
    std::vector<std::string> names;
    for (const Parameter<Options>& parameter : table) {
        if (parameter.name != name) {
            names.push_back(parameter.name);
        } else if (parameter.set(options, text)) {
            return;
        } else {
            throw InputError(parameter.name + ": expected " + parameter.expected + ", got '" +
                             std::string(text) + "'");
        }
    }
    fail_unknown_name("parameter", name, names);
}

}  // namespace hwgcn
