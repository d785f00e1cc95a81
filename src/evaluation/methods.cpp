#include "hwgcn/evaluation/methods.hpp"

#include <algorithm>
#include <functional>

#include "hwgcn/neighbor_weights/weight_parameters.hpp"
#include "hwgcn/propagation/propagation_parameters.hpp"

namespace hwgcn {
namespace {

// Fills in what a method has of its own; everything else stays as GCN was published (Kipf and Welling 2017).
using Adjust = std::function<void(MethodSettings&, std::string_view dataset)>;

struct Method {
    MethodInfo info;
    std::string network;
    Adjust adjust;
};

void leave(MethodSettings&, std::string_view) {}

void as_hwgcn(MethodSettings& settings, std::string_view dataset) {
    settings.operator_kind = OperatorKind::higher_order;
    settings.weights.order = dataset == "pubmed" ? 5 : 6;
    if (dataset == "pubmed") settings.weights.keep = {0.2, 0.1, 0.05, 0.05};
}

// Velickovic et al. 2018.
void as_gat(MethodSettings& settings, std::string_view dataset) {
    const bool pubmed = dataset == "pubmed";
    settings.shape.hidden = 8;
    settings.shape.heads = 8;
    settings.shape.output_heads = pubmed ? 8 : 1;
    settings.shape.input_dropout = settings.shape.hidden_dropout = settings.shape.attention_dropout = 0.6;
    settings.fit.epochs = 1000;
    settings.fit.rate = pubmed ? 0.01 : 0.005;
    settings.fit.l2 = pubmed ? 1e-3 : 5e-4;
    settings.fit.patience = 100;
}

// Abu-El-Haija et al. 2019.
void as_mixhop(MethodSettings& settings, std::string_view dataset) {
    const bool citeseer = dataset == "citeseer";
    const bool pubmed = dataset == "pubmed";
    settings.shape.power_units = citeseer ? std::vector{20, 20, 20}
                                 : pubmed ? std::vector{17, 23, 20}
                                          : std::vector{24, 18, 18};
    settings.shape.input_dropout = 0.5;
    settings.shape.hidden_dropout = 0.9;
    settings.fit.optimizer = Optimizer::gradient_descent;
    settings.fit.rate = citeseer ? 0.25 : pubmed ? 0.5 : 1.0;
    settings.fit.rate_interval = pubmed ? 20 : 40;
    settings.fit.rate_drop = 0.01;
    settings.fit.l2 = citeseer ? 5e-2 : 5e-3;
    settings.fit.epochs = 400;
    settings.fit.patience = 200;
}

// Wu et al. 2019: no dropout, a high rate.
void as_sgc(MethodSettings& settings, std::string_view) {
    settings.shape.input_dropout = 0.0;
    settings.shape.propagations = 2;
    settings.fit.rate = 0.2;
    settings.fit.l2 = 1e-5;
    settings.fit.epochs = 100;
}

// Klicpera et al. 2019.
void as_appnp(MethodSettings& settings, std::string_view) {
    settings.shape.hidden = 64;
    settings.shape.propagations = 10;
    settings.shape.teleport = 0.1;
    settings.fit.l2 = 5e-3;
    settings.fit.epochs = 1000;
    settings.fit.patience = 100;
}

const std::vector<Method>& methods() {
    static const std::vector<Method> table = {
        {{"mlp", "MLP", "two layers on the features alone: what the graph has to beat"}, "mlp", leave},
        {{"gcn", "GCN", "graph convolution over direct neighbours"}, "gcn", leave},
        {{"gat", "GAT", "graph attention over direct neighbours"}, "gat", as_gat},
        {{"mixhop", "MixHop", "powers of the graph's operator side by side"}, "mixhop", as_mixhop},
        {{"sgc", "SGC", "a linear classifier on smoothed features"}, "sgc", as_sgc},
        {{"appnp", "APPNP", "predictions spread by personalised PageRank"}, "appnp", as_appnp},
        {{"hwgcn", "HWGCN", "graph convolution over learned higher-order neighbours"}, "gcn", as_hwgcn},
    };
    return table;
}

const std::vector<std::pair<std::string, OperatorKind>>& operator_names() {
    static const std::vector<std::pair<std::string, OperatorKind>> names = {
        {"plain", OperatorKind::plain}, {"higher-order", OperatorKind::higher_order}};
    return names;
}

// Another order than the published one, with the published shares: the last one holds for all further orders.
void fit_keep_to_order(WeightOptions& weights) {
    if (!weights.keep.empty())
        weights.keep.resize(static_cast<std::size_t>(weights.order) - 1, weights.keep.back());
}

// Calls use(table, options) for each group of settings.
template <typename Settings, typename Use>
void for_each_group(Settings& settings, const Use& use) {
    use(weight_parameters(), settings.weights);
    use(propagation_parameters(), settings.propagation);
    use(network_parameters(), settings.shape);
    use(fit_parameters(), settings.fit);
}

}  // namespace

const std::vector<Parameter<MethodSettings>>& method_parameters() {
    static const std::vector<Parameter<MethodSettings>> table = {choice_parameter(
        "operator", &MethodSettings::operator_kind, operator_names(),
        "what the network multiplies with: the graph alone, or with learned higher-order weights")};
    return table;
}

const std::vector<MethodInfo>& method_table() {
    static const std::vector<MethodInfo> table = [] {
        std::vector<MethodInfo> rows;
        for (const Method& method : methods())
            rows.push_back(method.info);
        return rows;
    }();
    return table;
}

MethodSettings method_settings(std::string_view name, std::string_view dataset_name) {
    std::vector<std::string> names;
    for (const Method& method : methods()) {
        if (method.info.name == name) {
            MethodSettings settings;
            settings.method = name;
            settings.network = method.network;
            as_hwgcn(settings, dataset_name);  // the orders, should the user ask for --operator higher-order
            settings.operator_kind = OperatorKind::plain;
            method.adjust(settings, dataset_name);
            return settings;
        }
        names.push_back(method.info.name);
    }
    fail_unknown_name("method", name, names);
}

void apply_settings(MethodSettings& settings, const std::vector<Setting>& changes) {
    for (const Setting& change : changes) {
        std::vector<std::string> names;
        bool done = false;
        const auto try_table = [&](const auto& table, auto& options) {
            for (const auto& parameter : table) {
                names.push_back(parameter.name);
                if (parameter.name != change.name) continue;
                set_parameter(table, options, change.name, change.text);
                done = true;
            }
        };
        try_table(method_parameters(), settings);
        for_each_group(settings, try_table);
        if (!done) fail_unknown_name("setting", change.name, names);
    }
    const bool keep_given = std::any_of(changes.begin(), changes.end(),
                                        [](const Setting& change) { return change.name == "keep"; });
    if (!keep_given) fit_keep_to_order(settings.weights);
    // There is no operator in an MLP.
    if (settings.network == "mlp") settings.operator_kind = OperatorKind::plain;
}

std::vector<Setting> all_settings(const MethodSettings& settings) {
    std::vector<Setting> all = {{"method", settings.method}, {"network", settings.network}};
    const auto add = [&](const auto& table, const auto& options) {
        for (const auto& parameter : table)
            all.push_back({parameter.name, parameter.get(options)});
    };
    add(method_parameters(), settings);
    if (settings.operator_kind == OperatorKind::higher_order) {
        add(weight_parameters(), settings.weights);
        add(propagation_parameters(), settings.propagation);
    }
    add(network_parameters(), settings.shape);
    add(fit_parameters(), settings.fit);
    return all;
}

}  // namespace hwgcn
