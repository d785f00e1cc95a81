#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace hwgcn {

/// Stops work when time is up, or as soon as somebody else wants it stopped.
class Deadline {
  public:
    /// Time is never up after 0 seconds. `stop` may be null.
    Deadline(double seconds, const std::atomic<bool>* stop);
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;
    ~Deadline();

    /// For ExecutionControl::stop.
    const std::atomic<bool>* stop() const { return watcher_.joinable() ? &stopped_ : others_; }

    /// Whether time was up; the work that is left has as much time as it takes.
    bool lift();

  private:
    void watch(double seconds);
    void end();

    const std::atomic<bool>* others_;
    std::atomic<bool> stopped_{false};
    std::atomic<bool> passed_{false};
    bool ended_ = false;  // under the mutex
    std::mutex mutex_;
    std::condition_variable wake_;
    std::thread watcher_;
};

}  // namespace hwgcn
