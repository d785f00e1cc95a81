#include "interrupt.hpp"

#include <csignal>
#include <cstdint>
#include <ctime>

#include "hwgcn/base/error.hpp"

namespace hwgcn::cli {

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free values");

namespace {

std::int64_t milliseconds_now() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);  // allowed in signal handlers
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

std::atomic<std::int64_t> stopped_at{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

// The first signal asks for an end; another one, a second later, is the end. In between they are the same
// wish told twice: `timeout` signals a program and then its group.
void on_signal(int signal) {
    if (!stop_requested.exchange(true)) {
        stopped_at = milliseconds_now();
    } else if (milliseconds_now() - stopped_at > 1000) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
    }
}

}  // namespace

void install_signal_handlers() {
    struct sigaction on_stop {};
    on_stop.sa_handler = on_signal;
    sigemptyset(&on_stop.sa_mask);
    sigaction(SIGINT, &on_stop, nullptr);
    sigaction(SIGTERM, &on_stop, nullptr);

    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, nullptr);
    sigaction(SIGXFSZ, &ignore, nullptr);  // a file larger than is allowed
}

void throw_if_stopped() {
    if (stop_requested) throw Interrupted();
}

}  // namespace hwgcn::cli
