#pragma once

#include <atomic>
#include <functional>

namespace hwgcn::cli {

/// Set once the user asked to stop; for ExecutionControl::stop.
extern std::atomic<bool> stop_requested;

/// The first Ctrl-C (or SIGTERM) sets `stop_requested`, the second ends the program at once. Writing to a
/// closed pipe, or more than a file may hold, becomes an ordinary error.
void install_signal_handlers();

/// Whether the user, who stopped a choice by Ctrl-C, presses it once more within a second, to go on with the
/// best so far. `ask` says that this is possible. True takes the request to stop back.
bool takes_best_so_far(const std::function<void()>& ask);

/// Throws Interrupted where the user asked to stop: between stages that cannot be stopped themselves.
void throw_if_stopped();

}  // namespace hwgcn::cli
