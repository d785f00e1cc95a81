#pragma once

#include <memory>

#include "execution_context.hpp"

namespace hwgcn::cli {

/// Commands are carried out by this process alone, which has all data.
std::unique_ptr<const ExecutionContext> one_process();

}  // namespace hwgcn::cli
