#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hwgcn {

/// The candidates that `word` may have meant, the likeliest first: the nearest one in edit distance, then
/// those that have it as a part ("dropout": input_dropout) and the one that its last part is
/// ("learning_rate": rate). No more than a handful.
std::vector<std::string> likely_names(std::string_view word, std::span<const std::string> candidates);

}  // namespace hwgcn
