#pragma once

#include <string>
#include <string_view>

#include "hwgcn/choice/choose_method.hpp"

namespace hwgcn {

/// Says in a paragraph what was chosen and why. `features` is what methods learn from: "features".
std::string choice_reason(const Choice& choice, std::string_view features = "features");

}  // namespace hwgcn
