#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "hwgcn/base/error.hpp"

namespace hwgcn::gpu {

/// The device has not so much memory: with fewer runs side by side it may be enough.
class OutOfMemory : public ExecutionError {
    using ExecutionError::ExecutionError;
};

inline double gigabytes(std::size_t bytes) {
    return static_cast<double>(bytes) / 1e9;
}

/// How much of its memory a device uses, in bytes.
class MemoryUse {
  public:
    std::size_t used() const { return used_; }
    std::size_t limit() const { return limit_; }

    /// The most since `start_watch`.
    std::size_t most() const { return most_; }
    void start_watch() { most_ = used_.load(); }

    /// No more than so many from now on.
    void set_limit(std::size_t bytes) { limit_ = bytes; }

    void add(std::size_t bytes) {
        const std::size_t used = used_ += bytes;
        std::size_t most = most_;
        while (used > most && !most_.compare_exchange_weak(most, used)) {
        }
    }
    void subtract(std::size_t bytes) { used_ -= bytes; }

  private:
    std::atomic<std::size_t> used_ = 0;
    std::atomic<std::size_t> most_ = 0;
    std::atomic<std::size_t> limit_ = 0;
};

/// What was asked of a device so far, by all threads.
struct Traffic {
    std::atomic<std::int64_t> kernels = 0;
    std::atomic<std::int64_t> reads = 0;   ///< each waits for all that was started before
    std::atomic<std::int64_t> writes = 0;  ///< to its memory
};

}  // namespace hwgcn::gpu
