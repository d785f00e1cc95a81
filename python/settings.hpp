#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hwgcn/models/methods.hpp"

#include "base/fail.hpp"
#include "base/parameter.hpp"
#include "dataset/target.hpp"
#include "models/choice_parameters.hpp"
#include "weights/weight_parameters.hpp"

namespace hwgcn::python {

/// Settings as Python gives them.
using Settings = std::vector<std::pair<std::string, std::string>>;

// What decides which labels are accepted is no setting of a method.
inline TargetLimits take_limits(Settings& given) {
    TargetLimits limits;
    std::erase_if(given, [&](const auto& setting) {
        const bool is_limit = setting.first == "max_classes";
        if (is_limit) set_parameter(target_parameters(), limits, setting.first, setting.second);
        return is_limit;
    });
    return limits;
}

inline std::vector<Setting> settings_from(const Settings& given) {
    std::vector<Setting> settings;
    for (const auto& [name, text] : given)
        settings.push_back({name, text});
    return settings;
}

// A setting of training would change nothing here.
inline void expect_weight_settings(const Settings& given) {
    std::vector<std::string> names;
    for (const auto& parameter : weight_parameters())
        names.push_back(parameter.name);
    for (const auto& [name, text] : given) {
        if (std::find(names.begin(), names.end(), name) == names.end())
            fail_unknown_name("setting", name, names);
    }
}

// The settings that some method has.
inline std::vector<std::string> setting_names() {
    std::set<std::string> names;
    for (const MethodInfo& method : method_table()) {
        for (const ParameterInfo& parameter : parameters_of(method.name))
            names.insert(parameter.name);
    }
    for (const auto& parameter : target_parameters())
        names.insert(parameter.name);
    for (const auto& parameter : choice_parameters())
        names.insert(parameter.name);
    return {names.begin(), names.end()};
}

}  // namespace hwgcn::python
