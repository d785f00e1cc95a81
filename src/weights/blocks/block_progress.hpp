#pragma once

#include <atomic>

#include "base/stopping.hpp"
#include "weights/blocks/learn_blocks.hpp"

namespace hwgcn {

/// Counts the nodes that are learned, and knows of others who learn blocks at the same time: here are none.
/// Where there are some, all make the same calls.
class BlockProgress : public ProgressSink {
  public:
    explicit BlockProgress(const ExecutionControl& control) : control_(control) {}

    void start(std::string_view, std::int64_t) override {}
    void advance(std::int64_t nodes) override {
        nodes_.fetch_add(nodes, std::memory_order_relaxed);
        if (control_.progress != nullptr && !has_others()) control_.progress->advance(nodes);
    }
    void finish() override {}
    void add_seconds(double seconds) { seconds_ += seconds; }

    LearnedNodes own() const { return {nodes_.load(std::memory_order_relaxed), seconds_}; }

    virtual bool has_others() const { return false; }

    /// Whether anybody says so.
    virtual bool any(bool own) { return own; }

    /// How many are stopped, and how many are busy.
    struct Agreement {
        std::int64_t stopped = 0;
        std::int64_t busy = 0;
    };
    virtual Agreement agree(bool busy) { return own_agreement(busy); }

  protected:
    Agreement own_agreement(bool busy) const { return {is_stopped(control_) ? 1 : 0, busy ? 1 : 0}; }

    const ExecutionControl& control_;

  private:
    std::atomic<std::int64_t> nodes_{0};
    double seconds_ = 0;
};

}  // namespace hwgcn
