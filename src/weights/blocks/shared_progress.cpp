#include "weights/blocks/shared_progress.hpp"

#include "base/stopping.hpp"

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

void SharedProgress::advance(std::int64_t nodes) {
    nodes_.fetch_add(nodes, std::memory_order_relaxed);
    if (peers_.size() == 1 && control_.progress != nullptr) control_.progress->advance(nodes);
}

SharedProgress::Agreement SharedProgress::agree(bool busy) {
    const std::vector<Standing> standing{{{is_stopped(control_) ? 1 : 0, busy ? 1 : 0}, own()}};
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
    if (files_.hear && peers_.rank() == 0) files_.hear(processes);
    if (control_.progress != nullptr) control_.progress->advance(nodes_of_all - told_);
    told_ = nodes_of_all;
}

}  // namespace hwgcn
