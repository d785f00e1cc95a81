#pragma once

#include <atomic>

#include "hwgcn/base/peers.hpp"
#include "hwgcn/base/run_control.hpp"
#include "hwgcn/weights/learn_blocks.hpp"

namespace hwgcn {

/// Counts the nodes that this process learns. What all have learned travels with the stops that they agree
/// on; a process that works alone reports at once.
class SharedProgress final : public ProgressSink {
  public:
    SharedProgress(Peers& peers, const BlockOptions& files, const ExecutionControl& control)
        : peers_(peers), files_(files), control_(control) {}

    void start(std::string_view, std::int64_t) override {}
    void advance(std::int64_t nodes) override;
    void finish() override {}
    void add_seconds(double seconds) { seconds_ += seconds; }

    /// So many processes.
    struct Agreement {
        std::int64_t stopped = 0;
        std::int64_t busy = 0;
    };
    /// All call it.
    Agreement agree(bool busy);

    LearnedNodes own() const { return {nodes_.load(std::memory_order_relaxed), seconds_}; }

  private:
    void tell(std::int64_t nodes_of_all, std::span<const LearnedNodes> processes);

    Peers& peers_;
    const BlockOptions& files_;
    const ExecutionControl& control_;
    std::atomic<std::int64_t> nodes_{0};
    double seconds_ = 0;
    std::int64_t told_ = 0;  // nodes
};

}  // namespace hwgcn
