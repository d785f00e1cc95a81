#include "interrupt.hpp"

#include <csignal>

#include "hwgcn/support/error.hpp"

namespace hwgcn::cli {

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free values");

void install_signal_handlers() {
    struct sigaction on_stop {};
    on_stop.sa_handler = [](int) { stop_requested = true; };
    on_stop.sa_flags = SA_RESETHAND;  // the second signal meets the default action: the end
    sigemptyset(&on_stop.sa_mask);
    sigaction(SIGINT, &on_stop, nullptr);
    sigaction(SIGTERM, &on_stop, nullptr);

    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, nullptr);
}

void throw_if_stopped() {
    if (stop_requested) throw Interrupted();
}

}  // namespace hwgcn::cli
