#pragma once

#include "hwgcn/base/error.hpp"
#include "hwgcn/base/run_control.hpp"

namespace hwgcn {

/// Whether somebody wants the work to end.
inline bool is_stopped(const ExecutionControl& control) {
    return control.stop != nullptr && control.stop->load(std::memory_order_relaxed);
}

/// For loops that can end between two rounds.
inline void throw_if_stopped(const ExecutionControl& control) {
    if (is_stopped(control)) throw Interrupted();
}

}  // namespace hwgcn
