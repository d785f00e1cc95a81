#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiment.hpp"

namespace hwgcn::experiments {

/// A row of the tables that go beyond the paper: a method, or the variant of it that validation chooses run
/// by run; trained once, or twice with self-training.
struct Recipe {
    std::string name;
    std::vector<std::string> variants;  ///< methods; one, unless it is chosen by validation
    bool self_training = false;
    bool has_control = true;  ///< the same on the plain graph; an automatic choice has none
};

const std::vector<Recipe>& recipes();

/// Those that the plan asks for.
std::vector<Recipe> chosen_recipes(const Plan& plan);

/// What came out of a recipe in one setting. The control is without runs where there is none.
struct RecipeResult {
    Recipe recipe;
    MethodResult learned;
    MethodResult plain;
};

/// Of the variants that validation chooses among, one that it chose in none of the first runs, as many as
/// this, is not trained further, unless the plan names it.
inline constexpr int scouting_runs = 10;

/// Trains the recipes in a setting.
std::vector<RecipeResult> run_recipes(ExperimentRunner& runner, const Plan& plan,
                                      const std::vector<Recipe>& recipes, const std::string& dataset,
                                      const std::string& setting);

/// The seeds from here on were not looked at while the recipes were made.
inline constexpr std::uint64_t fresh_seeds = 5000;

/// The same from the runs with these seeds that are in the journal; trains nothing.
std::vector<RecipeResult> find_fresh_runs(ExperimentRunner& runner, const Plan& plan,
                                          const std::vector<Recipe>& recipes, const std::string& dataset,
                                          const std::string& setting);

}  // namespace hwgcn::experiments
