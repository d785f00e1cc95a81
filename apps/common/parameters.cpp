#include "parameters.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hwgcn/models/methods.hpp"
#include "hwgcn/models/prepared_graph.hpp"

#include "dataset/synthetic_parameters.hpp"
#include "dataset/target.hpp"
#include "models/choice_parameters.hpp"
#include "models/feature_parameters.hpp"
#include "operators/propagation_parameters.hpp"
#include "tables.hpp"
#include "training/fit_options.hpp"
#include "weights/weight_parameters.hpp"

namespace hwgcn::cli {
namespace {

// "- `order` (a whole number in 1..64; default 2): learn the weights ..", on lines that diffs can show.
std::string markdown_list(const std::vector<ParameterInfo>& table) {
    constexpr std::size_t width = 112;
    std::string text;
    for (const ParameterInfo& parameter : table) {
        const std::string entry =
            fmt::format("`{}` ({}{}): {}{}", parameter.name, parameter.expected,
                        parameter.default_text.empty() ? "" : "; default " + parameter.default_text,
                        parameter.help, condition_text(parameter.condition));
        std::string lines = wrapped(entry, width);
        for (std::size_t end = lines.find('\n'); end != std::string::npos; end = lines.find('\n', end + 3))
            lines.insert(end + 1, "  ");
        text += "- " + lines + "\n";
    }
    return text;
}

// What stands for the graph, and how the learned weights become it.
std::vector<ParameterInfo> operator_parameters() {
    std::vector<ParameterInfo> table = {parameters_of("sgc").front()};
    for (ParameterInfo& parameter : parameter_infos(propagation_parameters()))
        table.push_back(std::move(parameter));
    return table;
}

Json json_list(const std::vector<ParameterInfo>& table) {
    Json list = Json::array();
    for (const ParameterInfo& parameter : table) {
        list.push_back({{"name", parameter.name},
                        {"expected", parameter.expected},
                        {"default", parameter.default_text},
                        {"meaning", parameter.help}});
    }
    return list;
}

// A method's own parameters, with its published values.
std::vector<ParameterInfo> own_parameters(const std::string& method) {
    std::vector<ParameterInfo> own = parameters_of(method);
    const auto is_shared = [](const ParameterInfo& parameter) {
        const auto in = [&](const auto& table) {
            return std::ranges::any_of(table, [&](const auto& one) { return one.name == parameter.name; });
        };
        return parameter.name == "operator" || in(weight_parameters()) || in(propagation_parameters()) ||
               in(fit_parameters());
    };
    std::erase_if(own, is_shared);
    const MethodSettings published(method, "");
    for (ParameterInfo& parameter : own)
        parameter.default_text = published.value(parameter.name);
    return own;
}

// The shared ones that a method was published with other values for: "`rate` 0.005, `epochs` 1000".
std::string published_differences(const std::string& method) {
    const MethodSettings published(method, "");
    const std::vector<ParameterInfo> own = own_parameters(method);
    std::string text;
    for (const ParameterInfo& parameter : parameters_of(method)) {
        const bool is_own = std::ranges::find(own, parameter.name, &ParameterInfo::name) != own.end();
        const std::string& value = published.value(parameter.name);
        if (is_own || !published.reads(parameter.name) || value == parameter.default_text) continue;
        text += fmt::format("{}`{}` {}", text.empty() ? "" : ", ", parameter.name, value);
    }
    return text;
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
    use("weights", "Neighbor weights",
        "On the command line `max_ring` is `--max-ring`, and so on: see `hwgcn weights --help`. Methods "
        "read\n"
        "them with `--operator higher-order`.",
        parameter_infos(weight_parameters()));
    use("operator", "Operator", "What methods that use the graph multiply with, or take as its weights.",
        operator_parameters());
    use("training", "Training",
        "Every network has them. The defaults are GCN's; what other methods were published with is below.",
        parameter_infos(fit_parameters()));
    use("choice", "Automatic choice", "What `--method auto` may take.", parameter_infos(choice_parameters()));
    use("target", "Classes", "Which labels `train` and `evaluate` accept.",
        parameter_infos(target_parameters()));
    use("features", "Features",
        "Degrees, core numbers, clustering and returns of short walks, for datasets that have no features.",
        parameter_infos(feature_parameters()));
    use("synthetic", "Synthetic graphs", "On the command line: `--synthetic nodes=10000,mean_degree=8`.",
        parameter_infos(synthetic_parameters()));
}

}  // namespace

std::string condition_text(const Condition& condition) {
    if (condition.parameter.empty()) return "";
    return fmt::format("; only with {}{} {}", option_name(condition.parameter),
                       condition.negated ? " other than" : "", condition.text);
}

std::string parameters_as_markdown() {
    std::string text =
        "# Parameters\n\nEvery parameter of hwgcn, with what it accepts. Made by `hwgcn info "
        "--parameters`.\n";
    for_each_table([&](const char*, const char* heading, const std::string& introduction,
                       const std::vector<ParameterInfo>& table) {
        text += fmt::format("\n## {}\n\n{}\n\n{}", heading, introduction, markdown_list(table));
    });
    for (const MethodInfo& method : method_table()) {
        text += fmt::format("\n## {}\n\n", method.name);
        const std::string differences = published_differences(method.name);
        if (!differences.empty())
            text += wrapped(fmt::format("Published with {}.", differences), 116) + "\n\n";
        const std::vector<ParameterInfo> own = own_parameters(method.name);
        text += own.empty() ? "It has none.\n" : markdown_list(own);
    }
    return text;
}

Json parameters_as_json() {
    Json json = Json::object();
    for_each_table([&](const char* key, const char*, const std::string&, const auto& table) {
        json[key] = json_list(table);
    });
    for (const MethodInfo& method : method_table())
        json["methods"][method.name] = json_list(own_parameters(method.name));
    return json;
}

}  // namespace hwgcn::cli
