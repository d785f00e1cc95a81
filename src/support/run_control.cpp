#include "hwgcn/support/run_control.hpp"

#include <algorithm>
#include <thread>

namespace hwgcn {

int thread_count(const ExecutionControl& control) {
    if (control.threads > 0) return control.threads;
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace hwgcn
