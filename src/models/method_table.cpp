#include "models/method_table.hpp"

#include <algorithm>
#include <map>

#include "base/fail.hpp"
#include "base/parameter.hpp"
#include "operators/propagation_parameters.hpp"
#include "training/fit_options.hpp"
#include "weights/weight_parameters.hpp"

namespace hwgcn {

// Every method, those of the paper first, in the order of its tables; each is declared in its own file of
// models/ or classic/.
#define HWGCN_METHODS(METHOD)       \
    METHOD(lp_method)               \
    METHOD(mlp_method)              \
    METHOD(ica_method)              \
    METHOD(manireg_method)          \
    METHOD(semiemb_method)          \
    METHOD(deepwalk_method)         \
    METHOD(planetoid_method)        \
    METHOD(gcn_method)              \
    METHOD(gat_method)              \
    METHOD(mixhop_method)           \
    METHOD(linear_method)           \
    METHOD(linear_neighbors_method) \
    METHOD(sgc_method)              \
    METHOD(appnp_method)            \
    METHOD(diffusion_method)        \
    METHOD(boosted_method)          \
    METHOD(hwgcn_method)            \
    METHOD(hwgcn_wide_method)       \
    METHOD(hwgpr_method)            \
    METHOD(gpr_method)              \
    METHOD(hwgrand_method)          \
    METHOD(hwgrand_sharp_method)    \
    METHOD(hwgrand_norm_method)     \
    METHOD(mixhop_light_method)     \
    METHOD(sage_method)             \
    METHOD(gcn_res_method)          \
    METHOD(hwsage_method)           \
    METHOD(deep_gcn_method)         \
    METHOD(wide_gcn_method)         \
    METHOD(layer_gcn_method)

#define DECLARE(method) MethodDefinition method();
HWGCN_METHODS(DECLARE)
#undef DECLARE

namespace {

const std::vector<MethodDefinition>& definitions() {
#define CALL(method) method(),
    static const std::vector<MethodDefinition> table = {HWGCN_METHODS(CALL)};
#undef CALL
    return table;
}

struct OperatorOptions {
    OperatorKind kind = OperatorKind::plain;
};

std::vector<Parameter<OperatorOptions>> operator_parameters(bool with_directions) {
    std::vector<std::pair<std::string, OperatorKind>> kinds = {{"plain", OperatorKind::plain},
                                                               {"higher-order", OperatorKind::higher_order}};
    std::string help = "graph to propagate over: its edges alone, or with learned higher-order weights";
    if (with_directions) {
        kinds.emplace_back("in", OperatorKind::in);
        kinds.emplace_back("out", OperatorKind::out);
        help +=
            "; for SGC, Diffusion, MixHop and GCN-res on a directed graph, the edges that lead to a node "
            "(in) or from "
            "it (out)";
    }
    return {choice_parameter("operator", &OperatorOptions::kind, kinds, help)};
}

void add(std::vector<ParameterInfo>& all, const std::vector<ParameterInfo>& more,
         const Condition& condition = {}) {
    for (const ParameterInfo& parameter : more) {
        all.push_back(parameter);
        if (parameter.condition.parameter.empty()) all.back().condition = condition;
    }
}

std::vector<ParameterInfo> collect_parameters(const MethodDefinition& definition) {
    const Condition higher_order{"operator", "higher-order"};
    std::vector<ParameterInfo> all;
    if (definition.info.uses_graph) {
        add(all, parameter_infos(operator_parameters(definition.info.takes_directions)));
        if (definition.info.separate_operators)
            all.back().expected += " (either takes both directions of a directed graph)";
        add(all, parameter_infos(weight_parameters()), higher_order);
        if (!definition.info.takes_weights) add(all, parameter_infos(propagation_parameters()), higher_order);
    }
    add(all, definition.parameters);
    if (definition.info.kind == MethodKind::network) add(all, parameter_infos(fit_parameters()));
    if (!definition.info.trains_on_devices)
        std::erase_if(all, [](const ParameterInfo& parameter) { return parameter.name == "device"; });
    return all;
}

MethodSettings changed(std::string_view method, const std::vector<Setting>& settings) {
    MethodSettings result(method, "");
    result.apply(settings);
    return result;
}

}  // namespace

const MethodDefinition& method_definition(std::string_view name) {
    for (const MethodDefinition& method : definitions()) {
        if (method.info.name == name) return method;
    }
    std::vector<std::string> names;
    for (const MethodInfo& method : askable_methods())
        names.push_back(method.name);
    fail_unknown_name("method", name, names);
}

const std::vector<MethodInfo>& method_table() {
    static const std::vector<MethodInfo> table = [] {
        std::vector<MethodInfo> rows;
        for (const MethodDefinition& method : definitions())
            rows.push_back(method.info);
        return rows;
    }();
    return table;
}

const MethodInfo& method_info(std::string_view method) {
    return method_definition(method).info;
}

const std::vector<ParameterInfo>& parameters_of(std::string_view method) {
    static const std::map<std::string, std::vector<ParameterInfo>, std::less<>> tables = [] {
        std::map<std::string, std::vector<ParameterInfo>, std::less<>> all;
        for (const MethodDefinition& definition : definitions())
            all[definition.info.name] = collect_parameters(definition);
        return all;
    }();
    const auto found = tables.find(method);
    return found != tables.end() ? found->second : tables.at(method_definition(method).info.name);
}

MethodOptions read_options(const MethodDefinition& method, const std::vector<Setting>& settings) {
    static const std::vector<Parameter<OperatorOptions>> operators = operator_parameters(true);
    return {options_from(operators, settings).kind, options_from(weight_parameters(), settings),
            options_from(propagation_parameters(), settings), options_from(fit_parameters(), settings),
            method.maker(settings)};
}

std::vector<Setting> published_operator(std::string_view dataset) {
    const bool pubmed = dataset == "pubmed";
    return {
        {"operator", "plain"}, {"order", pubmed ? "5" : "6"}, {"keep", pubmed ? "0.2,0.1,0.05,0.05" : ""}};
}

std::unique_ptr<Network> make_network(const MethodSettings& settings, NetworkShape shape) {
    return settings.options().maker.network(shape);
}

bool is_classic(const MethodSettings& settings) {
    return method_info(settings.method()).kind == MethodKind::classic;
}

std::unique_ptr<Network> make_network(std::string_view method, const std::vector<Setting>& settings,
                                      NetworkShape shape) {
    return make_network(changed(method, settings), shape);
}

std::unique_ptr<ClassicMethod> make_classic_method(const MethodSettings& settings) {
    return settings.options().maker.classic();
}

std::unique_ptr<ClassicMethod> make_classic_method(std::string_view method,
                                                   const std::vector<Setting>& settings) {
    return make_classic_method(changed(method, settings));
}

}  // namespace hwgcn
