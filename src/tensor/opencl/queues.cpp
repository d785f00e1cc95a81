#include "tensor/opencl/queues.hpp"

namespace hwgcn::opencl {

// The queues of a thread, one per device that it used.
class Queues::Lease {
  public:
    Lease() = default;
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
        for (const auto& [queues, queue] : taken_)
            if (queue != nullptr) queues->give_back(queue);
    }
    Queue& of(Queues& queues) {
        Queue*& queue = taken_[&queues];
        if (queue == nullptr) queue = queues.take();
        return *queue;
    }

  private:
    std::map<Queues*, Queue*> taken_;
};

Queue& Queues::own() {
    thread_local Lease lease;
    return lease.of(*this);
}

Queue* Queues::take() {
    const std::scoped_lock lock(access_);
    if (!free_.empty()) {
        Queue* const queue = free_.back();
        free_.pop_back();
        return queue;
    }
    auto queue = std::make_unique<Queue>();
    queue->handle = context_.new_queue();
    free_.reserve(queues_.size() + 1);  // then giving back cannot fail
    queues_.push_back(std::move(queue));
    return queues_.back().get();
}

void Queues::give_back(Queue* queue) noexcept {
    const std::scoped_lock lock(access_);
    free_.push_back(queue);
}

}  // namespace hwgcn::opencl
