#pragma once

#include "distributed/weights/learn_blocks.hpp"
#include "weights/blocks/block_progress.hpp"

namespace hwgcn {

/// What all processes have learned travels with the stops that they agree on.
class SharedProgress final : public BlockProgress {
  public:
    SharedProgress(Peers& peers, const HearLearned& hear, const ExecutionControl& control)
        : BlockProgress(control), peers_(peers), hear_(hear) {}

    bool has_others() const override { return peers_.size() > 1; }
    bool any(bool own) override { return hwgcn::any(peers_, own); }
    Agreement agree(bool busy) override;

  private:
    void tell(std::int64_t nodes_of_all, std::span<const LearnedNodes> processes);

    Peers& peers_;
    const HearLearned& hear_;
    std::int64_t told_ = 0;  // nodes
};

}  // namespace hwgcn
