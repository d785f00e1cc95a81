#pragma once

#include <functional>

#include "distributed/peers/peers.hpp"

namespace hwgcn {

/// Processes as threads of this one: calls work(peers) in `count` threads and returns when all are done. What
/// one throws makes the others' transfers fail, and is thrown again.
void run_as_threads(int count, const std::function<void(Peers& peers)>& work);

}  // namespace hwgcn
