#include "distributed/weights/shared_progress.hpp"

namespace hwgcn {
namespace {

/// What a process says to the first one.
struct Standing {
    SharedProgress::Agreement own;
    LearnedNodes learned;
};

/// What the first one says to all.
struct StandingOfAll {
    SharedProgress::Agreement agreement;
    std::int64_t nodes = 0;
};

}  // namespace

SharedProgress::Agreement SharedProgress::agree(bool busy) {
    const std::vector<Standing> standing{{own_agreement(busy), own()}};
    StandingOfAll all;
    std::vector<LearnedNodes> processes;
    for (const Bytes& bytes : gather(peers_, 0, bytes_of(standing))) {
        const Standing one = values_of<Standing>(bytes).front();
        all.agreement.stopped += one.own.stopped;
        all.agreement.busy += one.own.busy;
        all.nodes += one.learned.nodes;
        processes.push_back(one.learned);
    }
    broadcast(peers_, 0, std::as_writable_bytes(std::span(&all, 1)));
    if (peers_.size() > 1) tell(all.nodes, processes);
    return all.agreement;
}

void SharedProgress::tell(std::int64_t nodes_of_all, std::span<const LearnedNodes> processes) {
    if (nodes_of_all == told_) return;
    if (hear_ && peers_.rank() == 0) hear_(processes);
    if (control_.progress != nullptr) control_.progress->advance(nodes_of_all - told_);
    told_ = nodes_of_all;
}

}  // namespace hwgcn
