#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace hwgcn {

/// The value of a parameter, as text.
struct Setting {
    std::string name;
    std::string text;

    bool operator==(const Setting&) const = default;
};

/// When a parameter is read: always, or where another one has (or has not) some value.
struct Condition {
    std::string parameter = {};  ///< empty: always
    std::string text = {};
    bool negated = false;  ///< any other value than `text`
};

/// A parameter of whatever options, as a method lists it.
struct ParameterInfo {
    std::string name;
    std::string metavar;
    std::string expected;
    std::string help;
    Condition condition;
    std::string default_text;
    /// The text as the table writes it ("100" for "1e2"); nothing for an unexpected one.
    std::function<std::optional<std::string>(std::string_view)> normalized;
    bool quiet_default = false;  ///< listed only where it is not the default
};

}  // namespace hwgcn
