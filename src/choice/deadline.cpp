#include "choice/deadline.hpp"

#include <chrono>
#include <system_error>

#include "hwgcn/base/error.hpp"

namespace hwgcn {

Deadline::Deadline(double seconds, const std::atomic<bool>* stop) : others_(stop) {
    if (seconds <= 0) return;
    try {
        watcher_ = std::thread([this, seconds] { watch(seconds); });
    } catch (const std::system_error&) {
        throw ExecutionError("`stop_after`: there is no thread left to watch the clock");
    }
}

Deadline::~Deadline() {
    end();
}

// Looks fifty times a second whether others want a stop.
void Deadline::watch(double seconds) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point last =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    std::unique_lock lock(mutex_);
    while (!ended_) {
        if (others_ != nullptr && others_->load(std::memory_order_relaxed)) stopped_ = true;
        if (!passed_ && Clock::now() >= last) {
            passed_ = true;
            stopped_ = true;
        }
        wake_.wait_for(lock, std::chrono::milliseconds(20));
    }
}

void Deadline::end() {
    if (!watcher_.joinable()) return;
    {
        const std::scoped_lock lock(mutex_);
        ended_ = true;
    }
    wake_.notify_all();
    watcher_.join();
}

bool Deadline::lift() {
    end();
    return passed_;
}

}  // namespace hwgcn
