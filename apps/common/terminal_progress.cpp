#include "terminal_progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "program_name.hpp"
#include "tables.hpp"

namespace hwgcn::cli {
namespace {

// Short tasks stay silent; long ones are looked at a few times a second at most.
constexpr std::int64_t first_bar_ms = 300;
constexpr std::int64_t first_line_ms = 3000;
constexpr std::int64_t between_bars_ms = 100;
constexpr std::int64_t between_lines_ms = 1000;
constexpr int bar_width = 24;

int terminal_columns() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// A lost message is no reason to stop the work.
void write_error_stream(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

double remaining_seconds(std::int64_t done, std::int64_t total, double seconds) {
    return seconds * static_cast<double>(total - done) / static_cast<double>(done);
}

std::string clock_text(double seconds) {
    const auto whole = std::int64_t{std::lround(seconds)};
    if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

TerminalProgress::TerminalProgress(bool on_terminal) : on_terminal_(on_terminal) {}

TerminalProgress::~TerminalProgress() {
    clear_bar();
}

void TerminalProgress::start(std::string_view task, std::int64_t total_units) {
    clear_bar();
    task_ = task;
    detail_.clear();
    started_ = Clock::now();
    done_ = 0;
    tenths_reported_ = 0;
    next_look_ms_ = on_terminal_ ? first_bar_ms : first_line_ms;
    total_ = std::max<std::int64_t>(0, total_units);
}

void TerminalProgress::advance(std::int64_t units) {
    if (total_ == 0) return;
    const std::int64_t done = std::min(total_, done_.fetch_add(units, std::memory_order_relaxed) + units);
    const auto elapsed = Clock::now() - started_;
    const std::int64_t now = std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count();
    if (now < next_look_ms_.load(std::memory_order_relaxed)) return;
    // Whoever comes while another one draws goes on working.
    const std::unique_lock<std::mutex> lock(drawing_, std::try_to_lock);
    if (!lock || now < next_look_ms_) return;
    next_look_ms_ = now + (on_terminal_ ? between_bars_ms : between_lines_ms);
    const double seconds = std::chrono::duration<double>(elapsed).count();
    if (on_terminal_) {
        draw_bar(done, seconds);
    } else {
        print_line(done, seconds);
    }
}

void TerminalProgress::describe(std::string detail) {
    const std::lock_guard<std::mutex> lock(drawing_);
    detail_ = std::move(detail);
}

void TerminalProgress::finish() {
    clear_bar();
    total_ = 0;
}

void TerminalProgress::draw_bar(std::int64_t done, double seconds) {
    const double share = static_cast<double>(done) / static_cast<double>(total_);
    const auto filled = static_cast<int>(share * bar_width);
    const std::string bar =
        fmt::format("[{}{}] ", std::string(filled, '='), std::string(bar_width - filled, ' '));
    const std::string numbers =
        fmt::format("{:3.0f}%  {}/s  {} left", 100 * share,
                    grouped(static_cast<std::int64_t>(static_cast<double>(done) / seconds)),
                    clock_text(remaining_seconds(done, total_, seconds)));
    const std::string detail = detail_.empty() ? "" : "  " + detail_;
    const auto columns = static_cast<std::size_t>(terminal_columns());
    std::string line = fmt::format("{}  {}{}{}", task_, bar, numbers, detail);
    if (line.size() >= columns) line = fmt::format("{}  {}{}", task_, numbers, detail);
    if (line.size() >= columns) line = fmt::format("{}  {}", task_, numbers).substr(0, columns - 1);
    write_error_stream("\r" + line + "\033[K");
    bar_shown_ = true;
}

void TerminalProgress::print_line(std::int64_t done, double seconds) {
    const std::int64_t tenths = 10 * done / total_;
    if (tenths <= tenths_reported_ || tenths >= 10) return;
    tenths_reported_ = tenths;
    write_error_stream(fmt::format("{}: {}: {}% done, about {} left{}\n", program_name(), task_, 10 * tenths,
                                   duration_text(remaining_seconds(done, total_, seconds)),
                                   detail_.empty() ? "" : ", " + detail_));
}

void TerminalProgress::clear_bar() {
    if (!bar_shown_) return;
    write_error_stream("\r\033[K");
    bar_shown_ = false;
}

}  // namespace hwgcn::cli
