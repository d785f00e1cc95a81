#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hwgcn {

/// One measured number, and the one that the paper has for it. All in percent.
struct ResultCell {
    std::string dataset;
    std::string method;
    std::string setting;  ///< "fixed", "random:20", or any other words
    double ours = 0;      ///< mean over the runs
    double std = 0;
    int runs = 1;
    std::optional<double> paper = std::nullopt;
    int asked = 0;                                 ///< runs that were asked for; 0: those that it has
    std::optional<double> by_loss = std::nullopt;  ///< mean, had the epochs been selected by the other rule
    std::optional<double> seconds = std::nullopt;  ///< of a run
    std::optional<double> peak_mb = std::nullopt;  ///< of a process that did such runs
};

/// ours - paper
std::optional<double> difference(const ResultCell& cell);

// Both throw InputError for a number that is not finite, fewer than one run, or two cells with the same
// dataset, method and setting.

/// {"target":..,"cells":[{"dataset","method","setting","ours","std","runs","asked","paper","difference",
/// "by_loss","seconds","peak_mb"}]}, with null for numbers that are not known.
std::string cells_json(std::string_view target, std::span<const ResultCell> cells);

/// A heading and a table per setting: a row per method, three columns per dataset (one where the paper has no
/// number in that table). Everything stands in the order in which it first occurs. A cell with fewer runs
/// than were asked for has their number.
std::string cells_markdown(std::span<const ResultCell> cells);

}  // namespace hwgcn
