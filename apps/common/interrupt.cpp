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

std::atomic<int> first_signal{0};
std::atomic<bool> pressed_twice{false};

// Between two signals: less is one wish told twice, as `timeout` signals a program and then its group; more
// is the end.
constexpr std::int64_t same_wish = 100, patience = 1000;

// The first signal asks for an end; Ctrl-C soon after it is a wish of its own (takes_best_so_far); another
// one later is the end.
void on_signal(int signal) {
    if (!stop_requested.exchange(true)) {
        stopped_at = milliseconds_now();
        first_signal = signal;
        return;
    }
    const std::int64_t passed = milliseconds_now() - stopped_at;
    if (passed > same_wish && passed <= patience && signal == SIGINT && first_signal == SIGINT)
        pressed_twice = true;
    if (passed > patience) {
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

bool takes_best_so_far(const std::function<void()>& ask) {
    if (first_signal != SIGINT) return false;
    ask();
    while (!pressed_twice && milliseconds_now() - stopped_at <= patience) {
        const timespec a_moment{0, 10'000'000};
        nanosleep(&a_moment, nullptr);
    }
    if (!pressed_twice) return false;
    pressed_twice = false;
    stop_requested = false;
    return true;
}

void throw_if_stopped() {
    if (stop_requested) throw Interrupted();
}

}  // namespace hwgcn::cli
