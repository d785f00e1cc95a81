#include <algorithm>

#include <fmt/format.h>

#include "experiment.hpp"
#include "paper_targets.hpp"
#include "report/markdown.hpp"
#include "run_columns.hpp"
#include "run_statistics.hpp"

namespace hwgcn::experiments {
namespace {

const std::string setting = "random:20";
constexpr int usual_runs = 30;

const std::vector<std::string>& usual_methods() {
    static const std::vector<std::string> methods = {
        "mlp", "lp", "gcn", "hwgcn", "hwgpr", "hwgrand", "hwgrand-sharp", "hwgrand-norm", "auto"};
    return methods;
}

bool is_on_plain_graph(const AskedMethod& method) {
    const auto* settings = std::get_if<MethodSettings>(&method);
    return settings != nullptr && settings->operator_kind() == OperatorKind::plain;
}

// HWGPR has a control, the same on the plain graph. Rings of order 5 and 6 reach most of the denser graphs:
// there HWGCN has four orders.
std::vector<AskedMethod> methods_on(const Plan& plan, const std::string& dataset) {
    std::vector<AskedMethod> methods;
    for (const std::string& name : plan.methods.empty() ? usual_methods() : plan.methods) {
        AskedMethod& method = methods.emplace_back(asked_method(name, dataset));
        if (name == "hwgcn" && std::ranges::find(paper_datasets, dataset) == paper_datasets.end())
            apply_settings(method, {{"order", "4"}});
        apply_readable(method, plan.changes);
        if (name != "hwgpr" || is_on_plain_graph(method)) continue;
        AskedMethod control = method;
        apply_settings(control, {{"operator", "plain"}});
        methods.push_back(std::move(control));
    }
    return methods;
}

// Random propagation with dropout of features or normalisation holds propagated features of all nodes, once
// per group of nodes: more than this is too much for a table that is made on a small machine.
constexpr double most_bytes = 2e9;

bool fits(const AskedMethod& method, const PreparedGraph& graph) {
    const auto* settings = std::get_if<MethodSettings>(&method);
    if (settings == nullptr || settings->network() != "grand") return true;
    if (settings->value("input_dropout") == "0" && settings->value("normalize") == "off") return true;
    const double numbers = static_cast<double>(graph.features.scaled->rows) * graph.features.scaled->columns;
    return 4.0 * numbers * std::stod(settings->value("node_groups")) <= most_bytes;
}

// Leaves out what does not fit, and returns the names of that.
std::string leave_out(std::vector<AskedMethod>& methods, const PreparedGraph& graph) {
    std::string names;
    std::erase_if(methods, [&](const AskedMethod& method) {
        if (fits(method, graph)) return false;
        names += (names.empty() ? "" : ", ") + method_title(name_of(method));
        return true;
    });
    return names;
}

std::string title_of(const MethodResult& result) {
    const bool is_control = method_of(result) == "hwgpr" && is_on_plain_graph(result.method);
    return method_title(method_of(result)) + (is_control ? ", plain graph" : "");
}

struct Tables {
    MarkdownTable accuracy{{{"graph"},
                            {"method"},
                            {"splits", true},
                            {"accuracy", true},
                            {"on GCN", true},
                            {"95 % interval", true},
                            {"seconds", true},
                            {"MB", true}},
                           {}};
    MarkdownTable control{
        {{"graph"}, {"splits", true}, {"operator adds to HWGPR", true}, {"95 % interval", true}}, {}};
    MarkdownTable automatic{{{"graph"},
                             {"best candidate"},
                             {"auto on it", true},
                             {"95 % interval", true},
                             {"slowest candidate"},
                             {"auto's time / its", true}},
                            {}};
    std::string left_out;
    MarkdownTable choices{{{"graph"}, {"auto chose"}, {"runs", true}}, {}};
};

void add_accuracy(const std::string& dataset, const std::vector<MethodResult>& results, int asked,
                  MarkdownTable& table) {
    const MethodResult* gcn = find_result(results, "gcn");
    for (const MethodResult& result : results) {
        if (result.runs.empty()) continue;
        std::vector<std::string> row = {dataset_title(dataset), title_of(result),
                                        runs_text(result.accuracy().count, asked),
                                        accuracy_text(result.accuracy())};
        const std::vector<std::string> gain =
            gcn == nullptr || &result == gcn ? std::vector<std::string>{"–", "–"} : gain_cells(result, *gcn);
        row.insert(row.end(), gain.begin(), gain.end());
        row.push_back(seconds_text(result));
        row.push_back(memory_text(result));
        table.rows.push_back(std::move(row));
    }
}

void add_control(const std::string& dataset, const std::vector<MethodResult>& results, MarkdownTable& table) {
    for (std::size_t k = 1; k < results.size(); ++k) {
        const bool is_pair = method_of(results[k]) == "hwgpr" && method_of(results[k - 1]) == "hwgpr";
        if (!is_pair) continue;
        const std::size_t runs = shared_runs(results[k - 1], results[k]).ours.size();
        if (runs == 0) continue;
        std::vector<std::string> row = {dataset_title(dataset), fmt::to_string(runs)};
        const std::vector<std::string> gain = gain_cells(results[k - 1], results[k]);
        row.insert(row.end(), gain.begin(), gain.end());
        table.rows.push_back(std::move(row));
    }
}

// Whether auto has candidates of the method.
bool is_candidate(const MethodResult& automatic, const MethodResult& result) {
    const auto is_same = [&](const MethodSettings& candidate) {
        return candidate.method() == method_of(result);
    };
    const auto& asked = std::get<Automatic>(automatic.method);
    return std::ranges::any_of(asked.candidates, is_same) ||
           std::ranges::any_of(asked.with_many_labels, is_same);
}

// auto against the best of its candidates, and its time against that of the slowest.
void add_choice(const std::string& dataset, const std::vector<MethodResult>& results, Tables& tables) {
    const MethodResult* automatic = find_result(results, "auto");
    if (automatic == nullptr || automatic->runs.empty()) return;
    const MethodResult* best = nullptr;
    const MethodResult* slowest = nullptr;
    for (const MethodResult& result : results) {
        if (&result == automatic || result.runs.empty() || !is_candidate(*automatic, result)) continue;
        if (best == nullptr || result.accuracy().mean > best->accuracy().mean) best = &result;
        if (slowest == nullptr || usual_seconds(result) > usual_seconds(*slowest)) slowest = &result;
    }
    for (const auto& [label, count] : automatic->choices())
        tables.choices.rows.push_back({dataset_title(dataset), label, fmt::to_string(count)});
    if (best == nullptr) return;
    std::vector<std::string> row = {dataset_title(dataset), title_of(*best)};
    const std::vector<std::string> gain = gain_cells(*automatic, *best);
    row.insert(row.end(), gain.begin(), gain.end());
    row.push_back(title_of(*slowest));
    row.push_back(
        fmt::format("{:.1f}", *usual_seconds(*automatic) / std::max(*usual_seconds(*slowest), 1e-9)));
    tables.automatic.rows.push_back(std::move(row));
}

std::string text_of(const Tables& tables) {
    if (tables.accuracy.rows.empty()) return "";
    std::string text =
        "Test accuracy in percent, and the gain on GCN on the same splits and seeds with Student's "
        "interval.\n" +
        cost_columns_text() + "\n" + markdown_text(tables.accuracy);
    if (!tables.left_out.empty()) {
        text += fmt::format(
            "\nLeft out, because features propagated in groups would take more than {:.0f} GB: {}.\n",
            most_bytes / 1e9, tables.left_out);
    }
    if (!tables.control.rows.empty())
        text += "\n" + markdown_heading(3, "What the operator adds") + markdown_text(tables.control);
    if (!tables.automatic.rows.empty()) {
        text += "\n" + markdown_heading(3, "auto and its candidates") +
                "The best and the slowest of the candidates of `auto` that are in the table, each trained "
                "alone.\n\n" +
                markdown_text(tables.automatic);
    }
    if (!tables.choices.rows.empty())
        text += "\n" + markdown_heading(3, "What auto chose") + markdown_text(tables.choices);
    return text;
}

Outcome run_other_graphs(ExperimentRunner& runner, const Plan& plan) {
    Outcome outcome;
    Tables tables;
    const int runs = plan.runs > 0 ? plan.runs : usual_runs;
    for (const std::string& dataset : plan.datasets) {
        std::vector<AskedMethod> methods = methods_on(plan, dataset);
        const std::string names = leave_out(methods, runner.graph(dataset));
        if (!names.empty()) {
            tables.left_out +=
                fmt::format("{}{} on {}", tables.left_out.empty() ? "" : "; ", names, dataset_title(dataset));
        }
        const std::vector<MethodResult> results = runner.run(dataset, methods, setting, runs);
        for (const MethodResult& result : results) {
            if (result.runs.empty()) continue;
            add_cell(outcome.cells, result, dataset, setting, std::nullopt, runs);
            if (title_of(result) != method_title(method_of(result)))
                outcome.cells.back().method += ", plain graph";
        }
        add_accuracy(dataset, results, runs, tables.accuracy);
        add_control(dataset, results, tables.control);
        add_choice(dataset, results, tables);
    }
    outcome.text = text_of(tables);
    return outcome;
}

}  // namespace

Experiment other_graphs() {
    Experiment experiment{"graphs", "Six graphs, 20 training nodes per class: the default and its candidates",
                          run_other_graphs};
    experiment.datasets = {"cora", "citeseer", "pubmed", "cora_ml", "amazon_photo", "coauthor_cs"};
    experiment.published = false;
    experiment.methods = usual_methods();
    return experiment;
}

}  // namespace hwgcn::experiments
