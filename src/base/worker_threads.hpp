#pragma once

#include <functional>

namespace hwgcn {

/// Calls `work(0)` on this thread and `work(1)`, .. `work(count - 1)` on others, which are kept for the next
/// call, and returns when all that began are done. Where threads cannot be created, or do not get a core in
/// time, fewer calls are made: the work has to be such that any of them does all that the others leave.
/// `work` must not throw. For several callers at once.
void run_on_threads(int count, const std::function<void(int)>& work);

}  // namespace hwgcn
