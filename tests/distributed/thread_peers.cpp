#include "distributed/thread_peers.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "hwgcn/base/error.hpp"

namespace hwgcn {
namespace {

/// What threads that play processes send each other: a queue for each pair of them.
class Mailboxes {
  public:
    void put(int from, int to, std::span<const std::byte> bytes) {
        const std::lock_guard lock(access_);
        waiting_[{from, to}].emplace_back(bytes.begin(), bytes.end());
        arrived_.notify_all();
    }

    void take(int from, int to, std::span<std::byte> bytes) {
        std::unique_lock lock(access_);
        std::deque<Bytes>& queue = waiting_[{from, to}];
        arrived_.wait(lock, [&] { return failure_ || !queue.empty(); });
        if (queue.empty()) throw ExecutionError("another process has failed");
        if (queue.front().size() != bytes.size())
            throw ExecutionError("a message has another size than expected");
        std::ranges::copy(queue.front(), bytes.begin());
        queue.pop_front();
    }

    /// The first failure counts; the others follow from it.
    void fail(std::exception_ptr failure) {
        const std::lock_guard lock(access_);
        if (!failure_) failure_ = std::move(failure);
        arrived_.notify_all();
    }

    void rethrow() const {
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    std::mutex access_;
    std::condition_variable arrived_;
    std::map<std::pair<int, int>, std::deque<Bytes>> waiting_;
    std::exception_ptr failure_;
};

class ThreadPeers final : public Peers {
  public:
    ThreadPeers(Mailboxes& mail, int rank, int size) : mail_(&mail), rank_(rank), size_(size) {}

    int rank() const override { return rank_; }
    int size() const override { return size_; }

    void transfer(int to, std::span<const std::byte> out, int from, std::span<std::byte> in) override {
        if (to != nobody) mail_->put(rank_, to, out);
        if (from == nobody) return;
        mail_->take(from, rank_, in);
        if (from != rank_) count_received(in.size());
    }

  private:
    Mailboxes* mail_;
    int rank_;
    int size_;
};

}  // namespace

void run_as_threads(int count, const std::function<void(Peers& peers)>& work) {
    Mailboxes mail;
    std::vector<std::thread> threads;
    for (int rank = 0; rank < count; ++rank) {
        threads.emplace_back([&mail, &work, rank, count] {
            ThreadPeers peers(mail, rank, count);
            try {
                work(peers);
            } catch (...) {
                mail.fail(std::current_exception());
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    mail.rethrow();
}

}  // namespace hwgcn
