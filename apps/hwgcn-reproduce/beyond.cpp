#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "beyond_tables.hpp"
#include "experiment.hpp"
#include "paper_targets.hpp"
#include "recipes.hpp"
#include "report/markdown.hpp"

namespace hwgcn::experiments {
namespace {

// The paper's column holds the best of all methods in the paper.
void add_cells(const SettingResults& results, std::vector<ResultCell>& cells) {
    for (const RecipeResult& row : results.rows) {
        for (const MethodResult* result : {&row.learned, &row.plain}) {
            if (result->runs.empty()) continue;
            add_cell(cells, *result, results.dataset, results.setting,
                     paper_best(results.dataset, results.setting), results.asked);
            cells.back().method = row.recipe.name + (result == &row.plain ? ", plain graph" : "");
        }
    }
}

Outcome run_beyond(ExperimentRunner& runner, const Plan& plan) {
    const std::vector<Recipe> chosen = chosen_recipes(plan);
    const std::vector<std::string> known(paper_settings.begin(), paper_settings.end());
    std::vector<SettingResults> all;
    for (const std::string& dataset : plan.datasets) {
        for (const std::string& setting : chosen_settings(plan, known)) {
            SettingResults results{dataset, setting, runs_of(plan, setting), {}, {}};
            results.rows = run_recipes(runner, plan, chosen, dataset, setting);
            if (plan.first_seed == 0) results.fresh = find_fresh_runs(runner, plan, chosen, dataset, setting);
            all.push_back(std::move(results));
        }
        runner.forget_operators();
    }
    Outcome outcome;
    for (const SettingResults& results : all)
        add_cells(results, outcome.cells);
    outcome.text = beyond_text(all);
    return outcome;
}

}  // namespace

Experiment beyond_the_paper() {
    Experiment experiment{"beyond", "Beyond the paper: recipes on the same operator", run_beyond};
    experiment.varied = {"operator", "self_training"};
    experiment.published = false;
    experiment.settings.assign(paper_settings.begin(), paper_settings.end());
    for (const Recipe& recipe : recipes()) {
        experiment.rows.push_back({recipe.name, recipe.variants});
        for (const std::string& method : recipe.variants) {
            if (std::ranges::find(experiment.methods, method) == experiment.methods.end())
                experiment.methods.push_back(method);
        }
    }
    return experiment;
}

}  // namespace hwgcn::experiments
