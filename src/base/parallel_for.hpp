#pragma once

#include <cstdint>
#include <functional>

#include "hwgcn/base/run_control.hpp"

namespace hwgcn {

/// Calls `body(worker, index)` once for every index in [0, count). Workers take chunks of `chunk` indices in
/// ascending order, so put expensive ones first. `worker` is in [0, thread_count(control)) and no two
/// concurrent calls share it: use it to pick scratch memory. Reports one unit of progress per index, throws
/// what a body throws, and throws Interrupted soon after control.stop is set.
void parallel_for(std::int64_t count, std::int64_t chunk, const ExecutionControl& control,
                  const std::function<void(int worker, std::int64_t index)>& body);

}  // namespace hwgcn
