#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tensor/opencl/context.hpp"

namespace hwgcn::opencl {

/// What a thread has of a device for itself.
struct Queue {
    cl_command_queue handle = nullptr;
    std::map<std::string, cl_kernel> kernels = {};  ///< their arguments are part of them
    float* scratch = nullptr;
    std::size_t scratch_floats = 0;
    std::size_t runs = 1;                   ///< side by side
    std::vector<std::uint64_t> seeds = {};  ///< one per run where there are several
};

/// The queues of a device. When a thread ends, its queue goes to another one.
class Queues {
  public:
    explicit Queues(const Context& context) : context_(context) {}

    /// Of the thread that asks.
    Queue& own();

  private:
    class Lease;

    Queue* take();
    void give_back(Queue* queue) noexcept;

    const Context& context_;
    std::vector<std::unique_ptr<Queue>> queues_;
    std::vector<Queue*> free_;
    std::mutex access_;
};

}  // namespace hwgcn::opencl
