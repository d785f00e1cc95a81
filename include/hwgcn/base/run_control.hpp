#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace hwgcn {

/// Receives progress of long work. The library never prints; a program passes a sink that does.
/// `advance` is called from worker threads and must be thread-safe; the other two are not concurrent.
class ProgressSink {
  public:
    ProgressSink() = default;
    ProgressSink(const ProgressSink&) = delete;
    ProgressSink& operator=(const ProgressSink&) = delete;
    virtual ~ProgressSink() = default;

    virtual void start(std::string_view task, std::int64_t total_units) = 0;
    virtual void advance(std::int64_t units) = 0;
    virtual void finish() = 0;
};

/// How a long stage runs, as opposed to what it computes: never changes a result.
struct ExecutionControl {
    int threads = 0;                          ///< 0: all cores
    ProgressSink* progress = nullptr;         ///< null: silent
    const std::atomic<bool>* stop = nullptr;  ///< set to true to make the stage throw Interrupted
};

/// Announces a task to the sink for as long as it lives; does nothing where there is no sink.
class ProgressTask {
  public:
    ProgressTask(const ExecutionControl& control, std::string_view task, std::int64_t total_units)
        : sink_(control.progress) {
        if (sink_ != nullptr) sink_->start(task, total_units);
    }
    ~ProgressTask() {
        if (sink_ != nullptr) sink_->finish();
    }
    ProgressTask(const ProgressTask&) = delete;
    ProgressTask& operator=(const ProgressTask&) = delete;

  private:
    ProgressSink* sink_;
};

/// The number of worker threads that `control` stands for: at least 1.
int thread_count(const ExecutionControl& control);

/// How many of the threads asked for could not be created so far, at most at once. Work was done without
/// them: a front end says so.
int refused_threads();

}  // namespace hwgcn
