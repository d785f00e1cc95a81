#pragma once

#include <algorithm>

#include <nlohmann/json.hpp>

namespace hwgcn {

/// A mean over runs in percent, with its 95 % interval where there is more than one run. `lowest` is the
/// least that it can be.
inline nlohmann::ordered_json mean_json(double mean, double half_interval, int runs, double lowest = 0) {
    nlohmann::ordered_json json = {{"mean", mean}, {"count", runs}};
    if (runs < 2) return json;
    json["low"] = std::max(lowest, mean - half_interval);
    json["high"] = std::min(100.0, mean + half_interval);
    return json;
}

}  // namespace hwgcn
