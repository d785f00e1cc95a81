#include "cells.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/base/error.hpp"

#include "base/safe_text.hpp"
#include "report/markdown.hpp"

namespace hwgcn {
namespace {

using Json = nlohmann::ordered_json;

void check_cells(std::span<const ResultCell> cells) {
    std::set<std::tuple<std::string_view, std::string_view, std::string_view>> seen;
    for (const ResultCell& cell : cells) {
        const auto fail = [&](std::string_view message) {
            throw InputError(
                fmt::format("result of {} on {}, {}: {}", cell.method, cell.dataset, cell.setting, message));
        };
        for (const double number : {cell.ours, cell.std, cell.paper.value_or(0.0), cell.by_loss.value_or(0.0),
                                    cell.seconds.value_or(0.0), cell.peak_mb.value_or(0.0)}) {
            if (!std::isfinite(number)) fail(fmt::format("expected a finite number, got {}", number));
        }
        if (cell.std < 0) fail(fmt::format("expected a deviation of at least 0, got {}", cell.std));
        if (cell.runs < 1) fail(fmt::format("expected at least one run, got {}", cell.runs));
        if (!seen.emplace(cell.dataset, cell.method, cell.setting).second)
            fail("expected one such result, got two");
    }
}

// The values that a field has, each once, in the order in which they come.
std::vector<std::string> distinct(std::span<const ResultCell> cells, std::string ResultCell::*field) {
    std::vector<std::string> values;
    for (const ResultCell& cell : cells) {
        if (std::ranges::find(values, cell.*field) == values.end()) values.push_back(cell.*field);
    }
    return values;
}

std::string setting_title(const std::string& setting) {
    constexpr std::string_view random = "random:";
    if (setting == "fixed") return "Fixed split";
    if (setting.starts_with(random))
        return fmt::format("Random splits, {} per class", setting.substr(random.size()));
    return setting;
}

std::string runs_text(std::span<const ResultCell> cells) {
    const auto [fewest, most] = std::ranges::minmax(cells, {}, &ResultCell::runs);
    if (most.runs == 1) return "One run, in percent.\n\n";
    const std::string runs = fewest.runs == most.runs ? fmt::to_string(most.runs)
                                                      : fmt::format("{} to {}", fewest.runs, most.runs);
    return fmt::format("Mean ± standard deviation over {} runs, in percent.\n\n", runs);
}

// As many decimals as the paper prints: 81.7 and 42.79, not 81.70.
std::string paper_text(double value) {
    std::string text = fmt::format("{:.2f}", value);
    if (text.ends_with('0')) text.pop_back();
    return text;
}

std::string difference_text(double value) {
    return fmt::format("{:+.2f}", std::round(value * 100.0) / 100.0 + 0.0);  // -0.0 + 0.0 is +0.0
}

void add_columns(std::vector<std::string>& row, const ResultCell* cell, bool with_paper) {
    const std::string none = "–";
    std::string ours = none;
    if (cell != nullptr) {
        ours = fmt::format("{:.2f}", cell->ours);
        if (cell->runs > 1) ours += fmt::format(" ± {:.2f}", cell->std);
        if (cell->runs < cell->asked) ours += fmt::format(" ({} of {})", cell->runs, cell->asked);
    }
    row.push_back(std::move(ours));
    if (!with_paper) return;
    const bool published = cell != nullptr && cell->paper;
    row.push_back(published ? paper_text(*cell->paper) : none);
    row.push_back(published ? difference_text(*difference(*cell)) : none);
}

// The paper has columns where it has any of the numbers.
MarkdownTable make_table(std::span<const ResultCell> cells) {
    const std::vector<std::string> datasets = distinct(cells, &ResultCell::dataset);
    const bool with_paper =
        std::ranges::any_of(cells, [](const ResultCell& cell) { return cell.paper.has_value(); });
    MarkdownTable table{.columns = {{.heading = "method"}}, .rows = {}};
    for (const std::string& dataset : datasets) {
        table.columns.push_back({.heading = dataset + ": ours ± std", .numeric = true});
        if (!with_paper) continue;
        table.columns.push_back({.heading = "paper", .numeric = true});
        table.columns.push_back({.heading = "diff", .numeric = true});
    }
    for (const std::string& method : distinct(cells, &ResultCell::method)) {
        std::vector<std::string> row{method};
        for (const std::string& dataset : datasets) {
            const auto cell = std::ranges::find_if(cells, [&](const ResultCell& each) {
                return each.method == method && each.dataset == dataset;
            });
            add_columns(row, cell == cells.end() ? nullptr : &*cell, with_paper);
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

}  // namespace

std::optional<double> difference(const ResultCell& cell) {
    if (!cell.paper) return std::nullopt;
    return cell.ours - *cell.paper;
}

std::string cells_json(std::string_view target, std::span<const ResultCell> cells) {
    check_cells(cells);
    const auto number_or_null = [](std::optional<double> number) { return number ? Json(*number) : Json(); };
    Json list = Json::array();
    for (const ResultCell& cell : cells) {
        list.push_back({{"dataset", cell.dataset},
                        {"method", cell.method},
                        {"setting", cell.setting},
                        {"ours", cell.ours},
                        {"std", cell.std},
                        {"runs", cell.runs},
                        {"asked", std::max(cell.asked, cell.runs)},
                        {"paper", number_or_null(cell.paper)},
                        {"difference", number_or_null(difference(cell))},
                        {"by_loss", number_or_null(cell.by_loss)},
                        {"seconds", number_or_null(cell.seconds)},
                        {"peak_mb", number_or_null(cell.peak_mb)}});
    }
    const Json json{{"target", target}, {"cells", std::move(list)}};
    return safe_json(json.dump(2, ' ', false, Json::error_handler_t::replace)) + '\n';
}

std::string cells_markdown(std::span<const ResultCell> cells) {
    check_cells(cells);
    std::string text;
    for (const std::string& setting : distinct(cells, &ResultCell::setting)) {
        std::vector<ResultCell> group;
        std::ranges::copy_if(cells, std::back_inserter(group),
                             [&](const ResultCell& cell) { return cell.setting == setting; });
        if (!text.empty()) text += '\n';
        text +=
            markdown_heading(2, setting_title(setting)) + runs_text(group) + markdown_text(make_table(group));
    }
    return text;
}

}  // namespace hwgcn
