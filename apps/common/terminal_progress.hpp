#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "hwgcn/base/run_control.hpp"

namespace hwgcn::cli {

/// Shows progress on standard error: a bar with rate and remaining time on a terminal, otherwise a line for
/// every tenth of a task that takes more than a few seconds.
class TerminalProgress final : public ProgressSink {
  public:
    explicit TerminalProgress(bool on_terminal);
    ~TerminalProgress() override;
    TerminalProgress(const TerminalProgress&) = delete;
    TerminalProgress& operator=(const TerminalProgress&) = delete;

    void start(std::string_view task, std::int64_t total_units) override;
    void advance(std::int64_t units) override;
    void finish() override;

    /// Says something after the numbers until the task ends; where a line is too short, it is left out.
    void describe(std::string detail);

  private:
    using Clock = std::chrono::steady_clock;

    void draw_bar(std::int64_t done, double seconds);
    void print_line(std::int64_t done, double seconds);
    void clear_bar();

    const bool on_terminal_;
    std::string task_;
    std::string detail_;
    std::int64_t total_ = 0;  // 0: no task
    Clock::time_point started_;
    std::atomic<std::int64_t> done_{0};
    std::atomic<std::int64_t> next_look_ms_{0};  // since started_
    std::mutex drawing_;
    bool bar_shown_ = false;
    std::int64_t tenths_reported_ = 0;
};

}  // namespace hwgcn::cli
