#include "base/worker_threads.hpp"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <unistd.h>

#include "hwgcn/base/run_control.hpp"

// Written here because oneTBB ends the whole process where it cannot create a thread.

namespace hwgcn {
namespace {

std::atomic<int> refused{0};  // the most threads that a single call had to go without

/// Tells the processor that this thread waits for another one.
void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/// Waits until `state` is no longer `old`. A training asks for its workers every few dozen microseconds: a
/// thread that has gone to sleep needs as long to wake up: it looks around for a while before.
void wait_while(const std::atomic<int>& state, int old) {
    using Clock = std::chrono::steady_clock;
    constexpr auto patience = std::chrono::microseconds(200);
    constexpr int looks = 64;  // at the state, between two looks at the clock
    const auto end = Clock::now() + patience;
    do {
        for (int k = 0; k < looks; ++k) {
            if (state.load(std::memory_order_acquire) != old) return;
            relax();
        }
    } while (Clock::now() < end);
    state.wait(old, std::memory_order_acquire);
}

/// A thread that waits for something to do. It is never joined: it lives as long as the process.
class Worker {
  public:
    Worker() { std::thread(&Worker::serve, this).detach(); }  // throws std::system_error
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker() = default;

    void start(const std::function<void(int)>& work, int number) {
        work_ = &work;
        number_ = number;
        state_.store(asked, std::memory_order_release);
        state_.notify_one();
    }

    /// Until it is done. What it has not begun by now, on a busy machine, it need not do any more.
    void finish() {
        int expected = asked;
        if (!state_.compare_exchange_strong(expected, idle)) wait_while(state_, working);
    }

  private:
    enum State : int { idle, asked, working };

    void serve() {
        for (;;) {
            wait_while(state_, idle);
            int expected = asked;
            if (!state_.compare_exchange_strong(expected, working)) continue;
            (*work_)(number_);
            state_.store(idle, std::memory_order_release);
            state_.notify_one();
        }
    }

    std::atomic<int> state_{idle};
    const std::function<void(int)>* work_ = nullptr;
    int number_ = 0;
};

/// The workers that are not used at the moment.
class IdleWorkers {
  public:
    /// Up to `count` of them; creates those that are missing.
    std::vector<Worker*> take(int count) {
        std::vector<Worker*> taken;
        taken.reserve(static_cast<std::size_t>(count));
        const std::lock_guard lock(access_);
        while (static_cast<int>(taken.size()) < count && !idle_.empty()) {
            taken.push_back(idle_.back());
            idle_.pop_back();
        }
        create(count - static_cast<int>(taken.size()), taken);
        return taken;
    }

    void give_back(const std::vector<Worker*>& workers) {
        const std::lock_guard lock(access_);
        idle_.insert(idle_.end(), workers.begin(), workers.end());  // into room that create() made
    }

  private:
    void create(int missing, std::vector<Worker*>& taken) {
        try {
            for (; missing > 0; --missing) {
                idle_.reserve(++created_);
                taken.push_back(std::make_unique<Worker>().release());
            }
        } catch (const std::exception&) {  // no thread to be had, or no memory for one
            --created_;
            int most = refused.load();
            while (most < missing && !refused.compare_exchange_weak(most, missing)) {
            }
        }
    }

    std::mutex access_;
    std::vector<Worker*> idle_;
    std::size_t created_ = 0;
};

// A process that was forked has none of its parent's threads, and starts with workers of its own.
IdleWorkers& idle_workers() {
    struct Owner {
        pid_t process;
        IdleWorkers* workers;
    };
    static std::mutex access;
    static Owner owner{0, nullptr};
    const std::lock_guard lock(access);
    if (owner.process != ::getpid()) owner = {::getpid(), std::make_unique<IdleWorkers>().release()};
    return *owner.workers;
}

}  // namespace

void run_on_threads(int count, const std::function<void(int)>& work) {
    if (count <= 1) return work(0);
    IdleWorkers& workers = idle_workers();
    const std::vector<Worker*> helpers = workers.take(count - 1);
    for (std::size_t k = 0; k < helpers.size(); ++k)
        helpers[k]->start(work, static_cast<int>(k) + 1);
    work(0);
    for (Worker* const helper : helpers)
        helper->finish();
    workers.give_back(helpers);
}

int refused_threads() {
    return refused.load();
}

}  // namespace hwgcn
