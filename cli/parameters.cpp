#include "parameters.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/data/synthetic_parameters.hpp"
#include "hwgcn/neighbor_weights/weight_parameters.hpp"

namespace hwgcn::cli {
namespace {

template <typename Options>
std::string markdown_table(const std::vector<Parameter<Options>>& table) {
    std::string text = "| name | expected | default | meaning |\n|-|-|-|-|\n";
    for (const Parameter<Options>& parameter : table) {
        const std::string value = parameter.get(Options{});
        text += fmt::format("| `{}` | {} | {} | {} |\n", parameter.name, parameter.expected,
                            value.empty() ? "" : fmt::format("`{}`", value), parameter.help);
    }
    return text;
}

template <typename Options>
Json json_list(const std::vector<Parameter<Options>>& table) {
    Json list = Json::array();
    for (const Parameter<Options>& parameter : table) {
        list.push_back({{"name", parameter.name},
                        {"expected", parameter.expected},
                        {"default", parameter.get(Options{})},
                        {"meaning", parameter.help}});
    }
    return list;
}

}  // namespace

std::string option_name(std::string_view parameter) {
    std::string option = fmt::format("--{}", parameter);
    std::replace(option.begin(), option.end(), '_', '-');
    return option;
}

std::string option_help(std::string_view help, std::string_view expected, std::string_view default_text) {
    if (default_text.empty()) return fmt::format("{} ({})", help, expected);
    return fmt::format("{} ({}; default {})", help, expected, default_text);
}

void fail_unexpected(std::string_view option, std::string_view expected, std::string_view text) {
    throw InputError(fmt::format("{}: expected {}, got '{}'", option, expected, text));
}

std::string parameters_as_markdown() {
    return fmt::format(
        "# Parameters\n\n"
        "Every parameter of hwgcn, with what it accepts. Made by `hwgcn info --parameters`.\n\n"
        "## Neighbour weights\n\n"
        "On the command line `max_ring` is `--max-ring`, and so on: see `hwgcn weights --help`.\n\n{}\n"
        "## Synthetic graphs\n\n"
        "On the command line: `--synthetic nodes=10000,mean_degree=8`.\n\n{}",
        markdown_table(weight_parameters()), markdown_table(synthetic_parameters()));
}

Json parameters_as_json() {
    return {{"weights", json_list(weight_parameters())}, {"synthetic", json_list(synthetic_parameters())}};
}

}  // namespace hwgcn::cli
