#include "hwgcn/base/run_control.hpp"

#include <algorithm>
#include <thread>

#include <sched.h>

namespace hwgcn {
namespace {

// Those that this process may use, as taskset, a container or a batch system allots them.
int usable_cores() {
    cpu_set_t cores;
    if (::sched_getaffinity(0, sizeof cores, &cores) == 0) return std::max(1, CPU_COUNT(&cores));
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

int thread_count(const ExecutionControl& control) {
    static const int cores = usable_cores();  // every operation asks
    return control.threads > 0 ? control.threads : cores;
}

}  // namespace hwgcn
