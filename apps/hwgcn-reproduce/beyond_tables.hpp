#pragma once

#include <string>
#include <vector>

#include "recipes.hpp"

namespace hwgcn::experiments {

/// The recipes on one graph in one setting.
struct SettingResults {
    std::string dataset;
    std::string setting;
    int asked = 0;  ///< runs
    std::vector<RecipeResult> rows;
    std::vector<RecipeResult> fresh;  ///< the same with fresh seeds; empty where they were not looked for
};

/// The tables in Markdown, with what they say: all results in short, each graph, what was chosen, and what
/// fresh seeds give. Results are in order of their graphs; rows without runs are left out.
std::string beyond_text(const std::vector<SettingResults>& results);

}  // namespace hwgcn::experiments
