#include "parameters.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/data/synthetic_parameters.hpp"
#include "hwgcn/data/target.hpp"
#include "hwgcn/methods/methods.hpp"
#include "hwgcn/neighbor_weights/weight_parameters.hpp"
#include "hwgcn/propagation/propagation_parameters.hpp"

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

namespace {

// Calls use(key, heading, introduction, table) for every table.
template <typename Use>
void for_each_table(const Use& use) {
    const std::string as_published =
        "Methods come with their published values, which `hwgcn evaluate --json` shows; the defaults below "
        "are "
        "GCN's.";
    use("weights", "Neighbour weights",
        "On the command line `max_ring` is `--max-ring`, and so on: see `hwgcn weights --help`.",
        weight_parameters());
    use("method", "Method",
        "For `train`, `evaluate` and `reproduce`, as are all that follow but the last two.",
        method_parameters());
    use("propagation", "Operator", "How the learned weights become the operator.", propagation_parameters());
    use("network", "Network", as_published, network_parameters());
    use("training", "Training", as_published, fit_parameters());
    use("classic", "Classic methods", "LP, ICA, ManiReg and DeepWalk; see their pages.",
        classic_parameters());
    use("target", "Classes", "Which labels `train` and `evaluate` accept.", target_parameters());
    use("synthetic", "Synthetic graphs", "On the command line: `--synthetic nodes=10000,mean_degree=8`.",
        synthetic_parameters());
}

}  // namespace

std::string parameters_as_markdown() {
    std::string text =
        "# Parameters\n\nEvery parameter of hwgcn, with what it accepts. Made by `hwgcn info "
        "--parameters`.\n";
    for_each_table([&](const char*, const char* heading, const std::string& introduction, const auto& table) {
        text += fmt::format("\n## {}\n\n{}\n\n{}", heading, introduction, markdown_table(table));
    });
    return text;
}

Json parameters_as_json() {
    Json json = Json::object();
    for_each_table([&](const char* key, const char*, const std::string&, const auto& table) {
        json[key] = json_list(table);
    });
    return json;
}

}  // namespace hwgcn::cli
