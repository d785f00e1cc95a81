#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <utility>

#include <pybind11/pybind11.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/base/run_control.hpp"

namespace hwgcn::python {

/// Runs `work(control)` on another thread without the GIL, while this one looks for Ctrl-C ten times a
/// second. Then the work is asked to stop, waited for, and KeyboardInterrupt goes on its way.
template <typename Work>
auto interruptible(int threads, const Work& work) -> decltype(work(std::declval<ExecutionControl>())) {
    std::atomic<bool> stop{false};
    const ExecutionControl control{threads, nullptr, &stop};
    std::future<decltype(work(control))> result =
        std::async(std::launch::async, [&]() -> decltype(auto) { return work(control); });
    bool interrupted = false;
    while (!interrupted) {
        {
            const pybind11::gil_scoped_release release;
            if (result.wait_for(std::chrono::milliseconds(100)) == std::future_status::ready) break;
        }
        interrupted = PyErr_CheckSignals() != 0;
    }
    if (!interrupted) return result.get();
    stop = true;
    {
        const pybind11::gil_scoped_release release;
        result.wait();
    }
    throw pybind11::error_already_set();
}

}  // namespace hwgcn::python
