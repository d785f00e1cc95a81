#pragma once

#include <string>

#include "hwgcn/methods/choose_method.hpp"

namespace hwgcn {

/// Says in a paragraph what was chosen and why.
std::string choice_reason(const Choice& choice);

}  // namespace hwgcn
