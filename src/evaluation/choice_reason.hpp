#pragma once

#include <string>

#include "hwgcn/evaluation/choose_method.hpp"

namespace hwgcn {

/// Says in a paragraph what was chosen and why.
std::string choice_reason(const Choice& choice);

}  // namespace hwgcn
