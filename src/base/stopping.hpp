#pragma once

#include "hwgcn/base/error.hpp"
#include "hwgcn/base/peers.hpp"
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

/// Processes that work together stop together, whoever was asked to. Null: there is one process.
inline void throw_if_anybody_is_stopped(Peers* peers, const ExecutionControl& control) {
    if (peers == nullptr) return throw_if_stopped(control);
    if (any(*peers, is_stopped(control))) throw Interrupted();
}

/// For what they do between two such agreements: none of them stops by itself there.
inline ExecutionControl until_agreement(const Peers* peers, const ExecutionControl& control) {
    return {control.threads, nullptr, peers == nullptr ? control.stop : nullptr};
}

}  // namespace hwgcn
