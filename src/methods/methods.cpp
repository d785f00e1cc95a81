#include "hwgcn/methods/methods.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

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

// Another order than the published one, with the published shares: the last one holds for all further orders.
void fit_keep_to_order(WeightOptions& weights) {
    if (!weights.keep.empty())
        weights.keep.resize(static_cast<std::size_t>(weights.order) - 1, weights.keep.back());
}

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

// HWGCN with four times the units, more dropout and more time; the symmetric operator.
void as_wide_hwgcn(MethodSettings& settings, std::string_view dataset) {
    as_hwgcn(settings, dataset);
    settings.propagation.orientation = Orientation::symmetric;
    settings.shape.hidden = 64;
    settings.shape.input_dropout = settings.shape.hidden_dropout = 0.8;
    settings.fit.l2 = 1e-3;
    settings.fit.epochs = 400;
}

// Polynomial propagation on the higher-order operator of four orders, trained for consistency.
void as_hwgpr(MethodSettings& settings, std::string_view dataset) {
    as_hwgcn(settings, dataset);
    settings.weights.order = 4;
    fit_keep_to_order(settings.weights);
    settings.propagation.orientation = Orientation::symmetric;
    settings.shape.hidden = 64;
    settings.shape.input_dropout = settings.shape.hidden_dropout = 0.7;
    settings.shape.propagations = 5;
    settings.shape.teleport = 0.2;
    settings.fit.l2 = 5e-3;
    settings.fit.epochs = 300;
    settings.fit.scheme = Scheme::consistency;
}

// Weston et al. 2012: an MLP, which learns more slowly with the penalty.
void as_semiemb(MethodSettings& settings, std::string_view) {
    settings.fit.epochs = 400;
}

// Yang et al. 2016: the better kind of theirs for each dataset. Embeddings of single nodes need longer.
void as_planetoid(MethodSettings& settings, std::string_view dataset) {
    const bool inductive = dataset == "citeseer" || dataset == "pubmed";
    settings.shape.planetoid_kind = inductive ? PlanetoidKind::inductive : PlanetoidKind::transductive;
    settings.shape.hidden_dropout = inductive ? 0.5 : 0.8;
    settings.fit.epochs = inductive ? 200 : 400;
}

MethodSettings with_order(std::string_view method, std::string_view dataset, int order) {
    MethodSettings settings = method_settings(method, dataset);
    settings.operator_kind = order > 1 ? OperatorKind::higher_order : OperatorKind::plain;
    if (order > 1) settings.weights.order = order;
    fit_keep_to_order(settings.weights);
    return settings;
}

// Preferred first: what did best on the graphs of docs/beyond.md, then what is simpler.
void as_auto(MethodSettings& settings, std::string_view dataset) {
    for (const int order : {4, 1})
        settings.candidates.push_back(with_order("hwgpr", dataset, order));
    for (const int order : {6, 4, 2})
        settings.candidates.push_back(with_order("hwgcn", dataset, order));
    for (const char* method : {"gcn", "lp", "mlp"})
        settings.candidates.push_back(with_order(method, dataset, 1));
}

const std::vector<Method>& methods() {
    constexpr MethodKind classic = MethodKind::classic;
    static const std::vector<Method> table = {
        {{.name = "lp",
          .title = "LP",
          .description = "labels spread over the graph alone: what the features have to beat",
          .kind = classic,
          .uses_features = false,
          .takes_weights = true},
         "lp",
         leave},
        {{.name = "mlp",
          .title = "MLP",
          .description = "two layers on the features alone: what the graph has to beat",
          .uses_graph = false},
         "mlp",
         leave},
        {{.name = "ica",
          .title = "ICA",
          .description = "logistic regression on features and the neighbours' classes, iterated",
          .kind = classic,
          .takes_weights = true},
         "ica",
         leave},
        {{.name = "manireg",
          .title = "ManiReg",
          .description = "a linear classifier that is smooth over the graph",
          .kind = classic,
          .takes_weights = true},
         "manireg",
         leave},
        {{.name = "semiemb",
          .title = "SemiEmb",
          .description = "an MLP whose embeddings are close for neighbours",
          .takes_weights = true},
         "semiemb",
         as_semiemb},
        {{.name = "deepwalk",
          .title = "DeepWalk",
          .description = "skip-gram embeddings of random walks, then logistic regression",
          .kind = classic,
          .uses_features = false,
          .takes_weights = true},
         "deepwalk",
         leave},
        {{.name = "planetoid",
          .title = "Planetoid",
          .description = "embeddings that predict class and context",
          .takes_weights = true},
         "planetoid",
         as_planetoid},
        {{"gcn", "GCN", "graph convolution over direct neighbours"}, "gcn", leave},
        {{"gat", "GAT", "graph attention over direct neighbours"}, "gat", as_gat},
        {{"mixhop", "MixHop", "powers of the graph's operator side by side"}, "mixhop", as_mixhop},
        {{"sgc", "SGC", "a linear classifier on smoothed features"}, "sgc", as_sgc},
        {{"appnp", "APPNP", "predictions spread by personalised PageRank"}, "appnp", as_appnp},
        {{"hwgcn", "HWGCN", "graph convolution over learned higher-order neighbours"}, "gcn", as_hwgcn},
        {{"hwgcn-wide", "wide HWGCN", "HWGCN with 64 units and more dropout"}, "gcn", as_wide_hwgcn},
        {{"hwgpr", "HWGPR",
          "polynomial propagation over learned higher-order neighbours, trained for consistency"},
         "gpr",
         as_hwgpr},
        {{.name = "auto",
          .title = "auto",
          .description = "chooses among hwgpr, hwgcn, gcn, lp, mlp and their orders by held-out labels",
          .kind = MethodKind::automatic,
          .uses_features = false},
         "",
         as_auto},
    };
    return table;
}

const std::vector<std::pair<std::string, OperatorKind>>& operator_names() {
    static const std::vector<std::pair<std::string, OperatorKind>> names = {
        {"plain", OperatorKind::plain}, {"higher-order", OperatorKind::higher_order}};
    return names;
}

// Calls use(table, options) for each group of settings.
template <typename Settings, typename Use>
void for_each_group(Settings& settings, const Use& use) {
    use(weight_parameters(), settings.weights);
    use(propagation_parameters(), settings.propagation);
    use(network_parameters(), settings.shape);
    use(fit_parameters(), settings.fit);
    use(classic_parameters(), settings.classic);
}

// Applies them to a method that is not automatic.
void apply_to_one(MethodSettings& settings, const std::vector<Setting>& changes) {
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
    if (!method_info(settings.method).uses_graph) settings.operator_kind = OperatorKind::plain;
}

bool has_usual_operator(const MethodSettings& settings) {
    return settings.operator_kind == method_settings(settings.method, "").operator_kind;
}

// What a method does, whatever it is called.
std::string all_but_name(const MethodSettings& settings) {
    std::string text;
    for (const Setting& setting : all_settings(settings)) {
        if (setting.name != "method") text += setting.name + "=" + setting.text + ";";
    }
    return text;
}

const Method& find_method(std::string_view name) {
    std::vector<std::string> names;
    for (const Method& method : methods()) {
        if (method.info.name == name) return method;
        names.push_back(method.info.name);
    }
    fail_unknown_name("method", name, names);
}

}  // namespace

const std::vector<Parameter<MethodSettings>>& method_parameters() {
    static const std::vector<Parameter<MethodSettings>> table = {
        choice_parameter("operator", &MethodSettings::operator_kind, operator_names(),
                         "what stands for the graph: its edges alone, or with learned higher-order weights")};
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

const MethodInfo& method_info(std::string_view method) {
    return find_method(method).info;
}

int order_of(const MethodSettings& settings) {
    return settings.operator_kind == OperatorKind::higher_order ? settings.weights.order : 1;
}

std::string method_label(const MethodSettings& settings) {
    const MethodInfo& info = method_info(settings.method);
    if (order_of(settings) > 1) return fmt::format("{} of order {}", info.title, order_of(settings));
    return info.title + (has_usual_operator(settings) ? "" : " on the plain graph");
}

MethodSettings method_settings(std::string_view name, std::string_view dataset_name) {
    const Method& method = find_method(name);
    MethodSettings settings;
    settings.method = name;
    settings.network = method.network;
    as_hwgcn(settings, dataset_name);  // the orders, should the user ask for --operator higher-order
    settings.operator_kind = OperatorKind::plain;
    method.adjust(settings, dataset_name);
    return settings;
}

void apply_settings(MethodSettings& settings, const std::vector<Setting>& changes) {
    if (settings.candidates.empty()) return apply_to_one(settings, changes);
    for (MethodSettings& candidate : settings.candidates)
        apply_to_one(candidate, changes);
    merge_equal_candidates(settings);
}

void merge_equal_candidates(MethodSettings& settings) {
    std::vector<MethodSettings> different;
    for (MethodSettings& candidate : settings.candidates) {
        if (order_of(candidate) == 1) candidate.operator_kind = OperatorKind::plain;
        const auto equal = std::ranges::find(different, all_but_name(candidate), all_but_name);
        if (equal == different.end()) {
            different.push_back(std::move(candidate));
        } else if (has_usual_operator(candidate)) {
            equal->method = candidate.method;  // HWGCN on the plain graph is called GCN
        }
    }
    settings.candidates = std::move(different);
}

std::vector<Setting> all_settings(const MethodSettings& settings) {
    std::vector<Setting> all = {{"method", settings.method}, {"network", settings.network}};
    for (std::size_t k = 0; k < settings.candidates.size(); ++k) {
        for (const Setting& setting : all_settings(settings.candidates[k]))
            all.push_back({fmt::format("candidate_{}.{}", k + 1, setting.name), setting.text});
    }
    if (method_info(settings.method).kind == MethodKind::automatic) return all;
    const auto add = [&](const auto& table, const auto& options) {
        for (const auto& parameter : table)
            all.push_back({parameter.name, parameter.get(options)});
    };
    add(method_parameters(), settings);
    if (settings.operator_kind == OperatorKind::higher_order) {
        add(weight_parameters(), settings.weights);
        if (!method_info(settings.method).takes_weights) add(propagation_parameters(), settings.propagation);
    }
    if (method_info(settings.method).kind == MethodKind::classic) {
        add(classic_parameters(), settings.classic);
    } else {
        add(network_parameters(), settings.shape);
        add(fit_parameters(), settings.fit);
    }
    return all;
}

}  // namespace hwgcn
