#include "base/parallel_for.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "hwgcn/base/error.hpp"

#include "base/stopping.hpp"
#include "base/worker_threads.hpp"

namespace hwgcn {
namespace {

/// The first thing that a worker throws; the others stop soon after.
class FirstFailure {
  public:
    bool happened() const { return happened_.load(std::memory_order_relaxed); }

    void keep(std::exception_ptr failure) {
        const std::lock_guard lock(access_);
        if (!failure_) failure_ = std::move(failure);
        happened_ = true;
    }

    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    std::mutex access_;
    std::exception_ptr failure_;
    std::atomic<bool> happened_{false};
};

}  // namespace

void parallel_for(std::int64_t count, std::int64_t chunk, const ExecutionControl& control,
                  const std::function<void(int, std::int64_t)>& body) {
    if (count <= 0) return;
    const int workers =
        static_cast<int>(std::min<std::int64_t>(thread_count(control), (count + chunk - 1) / chunk));
    std::atomic<std::int64_t> next{0};
    FirstFailure failure;

    const auto take_chunks = [&](int worker) {
        for (;;) {
            const std::int64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
            if (begin >= count || failure.happened()) return;
            const std::int64_t end = std::min(count, begin + chunk);
            for (std::int64_t index = begin; index < end; ++index) {
                throw_if_stopped(control);
                body(worker, index);
            }
            if (control.progress != nullptr) control.progress->advance(end - begin);
        }
    };
    run_on_threads(workers, [&](int worker) {
        try {
            take_chunks(worker);
        } catch (...) {
            failure.keep(std::current_exception());
        }
    });
    failure.rethrow();
}

}  // namespace hwgcn
