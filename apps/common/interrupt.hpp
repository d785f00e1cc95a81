#pragma once

#include <atomic>

namespace hwgcn::cli {

/// Set once the user asked to stop; for ExecutionControl::stop.
extern std::atomic<bool> stop_requested;

/// The first Ctrl-C (or SIGTERM) sets `stop_requested`, the second ends the program at once. Writing to a
/// closed pipe, or more than a file may hold, becomes an ordinary error.
void install_signal_handlers();

/// Throws Interrupted where the user asked to stop: between stages that cannot be stopped themselves.
void throw_if_stopped();

}  // namespace hwgcn::cli
