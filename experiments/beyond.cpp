#include <algorithm>

#include <fmt/format.h>

#include "hwgcn/report/markdown.hpp"

#include "experiment.hpp"
#include "paper_targets.hpp"

namespace hwgcn::experiments {
namespace {

// A recipe on the learned operator; its control is the same on the plain one.
struct Recipe {
    std::string name;
    std::string method;
    std::vector<Setting> changes;
};

const std::vector<Recipe>& recipes() {
    static const std::vector<Recipe> table = {
        {"hwgcn-wide", "hwgcn-wide", {}},
        {"hwgpr", "hwgpr", {}},
        {"hwgpr+self-training", "hwgpr", {{"self_training", "50"}}},
    };
    return table;
}

std::vector<Recipe> chosen_recipes(const Plan& plan) {
    std::vector<Recipe> chosen;
    for (const Recipe& recipe : recipes()) {
        if (plan.methods.empty() || std::ranges::find(plan.methods, recipe.method) != plan.methods.end())
            chosen.push_back(recipe);
    }
    if (chosen.empty()) throw InputError("--method: expected hwgcn-wide or hwgpr for this table");
    return chosen;
}

AskedMethod settings_of(const Plan& plan, const Recipe& recipe, const std::string& dataset,
                        const char* operator_name) {
    AskedMethod method = experiments::settings_of(plan, recipe.method, dataset);
    apply_settings(method, recipe.changes);
    apply_settings(method, {{"operator", operator_name}});
    return method;
}

MarkdownTable gains_table() {
    return {{{"dataset"},
             {"setting"},
             {"recipe"},
             {"on the paper's best", true},
             {"what the operator adds", true},
             {"95 % interval", true},
             {"reference", true},
             {"ours on it", true}},
            {}};
}

std::vector<std::string> gains_row(const std::string& dataset, const std::string& setting,
                                   const Recipe& recipe, const MethodResult& learned,
                                   const MethodResult& plain) {
    const std::vector<std::string> gain = gain_cells(learned, plain);
    const double mean = learned.accuracy.mean;
    const auto against = [&](std::optional<double> other) {
        return other ? fmt::format("{:+.2f}", mean - *other) : std::string("–");
    };
    const std::optional<double> reference = recipe_accuracy(dataset, recipe.name, setting);
    return {dataset_title(dataset),
            setting_title(setting),
            recipe.name,
            against(paper_best(dataset, setting)),
            gain[0],
            gain[1],
            reference ? fmt::format("{:.1f}", *reference) : "–",
            against(reference)};
}

// The paper's column holds the best of all methods in the paper.
Outcome run_beyond(Laboratory& laboratory, const Plan& plan) {
    const std::vector<Recipe> chosen = chosen_recipes(plan);
    Outcome outcome;
    MarkdownTable gains = gains_table();
    for (const std::string_view setting_name : paper_settings) {
        const std::string setting(setting_name);
        for (const std::string& dataset : plan.datasets) {
            std::vector<AskedMethod> methods;
            for (const Recipe& recipe : chosen) {
                methods.push_back(settings_of(plan, recipe, dataset, "higher-order"));
                methods.push_back(settings_of(plan, recipe, dataset, "plain"));
            }
            const std::vector<MethodResult> results =
                laboratory.run(dataset, methods, setting, runs_of(plan, setting));
            for (std::size_t k = 0; k < chosen.size(); ++k) {
                const MethodResult& learned = results[2 * k];
                const MethodResult& plain = results[2 * k + 1];
                for (const MethodResult* result : {&learned, &plain}) {
                    outcome.cells.push_back(cell_of(*result, dataset, setting, paper_best(dataset, setting)));
                    outcome.cells.back().method = chosen[k].name + (result == &plain ? ", plain graph" : "");
                }
                gains.rows.push_back(gains_row(dataset, setting, chosen[k], learned, plain));
            }
        }
    }
    outcome.text =
        "In the column \"paper\": the best of all methods that the paper has in that setting.\n\n" +
        cells_markdown(outcome.cells) + "\n" +
        markdown_heading(3, "What the recipe adds, and what the operator adds to it") +
        "Points of accuracy; the second one on the same splits and seeds, with Student's interval. "
        "\"Reference\" is an independent measurement of the same recipe.\n\n" +
        markdown_text(gains);
    return outcome;
}

}  // namespace

Experiment beyond_the_paper() {
    Experiment experiment{"beyond", "Beyond the paper: recipes on the same operator", run_beyond};
    experiment.varied = {"operator", "self_training"};
    experiment.methods = {"hwgcn-wide", "hwgpr"};
    experiment.published = false;
    return experiment;
}

}  // namespace hwgcn::experiments
