#include "distributed/peers/partition.hpp"

#include <algorithm>
#include <utility>

#include "distributed/peers/peer_exchange.hpp"
#include "io/shards/shards.hpp"

namespace hwgcn {
namespace {

constexpr double walks_of_a_node = 300;  // that take as long as what every node takes, measured

int place_in(const std::vector<Index>& starts, Index number) {
    return static_cast<int>(std::ranges::upper_bound(starts, number) - starts.begin()) - 1;
}

}  // namespace

Partition::Partition(NodeBlocks all, std::vector<Index> owners, Peers& peers)
    : RowLayout{std::move(all)}, owners_(std::move(owners)), peers_(&peers) {
    first_block = owners_[rank()];
    end_block = owners_[rank() + std::size_t{1}];
    if (!is_shared()) return;
    exchange_ = std::make_unique<PeerExchange>(*this);
    exchange = exchange_.get();
}

Partition::~Partition() = default;

int Partition::owner_of_block(Index block) const {
    return place_in(owners_, block);
}

int Partition::owner_of(Index node) const {
    return owner_of_block(place_in(blocks.bounds, node));
}

// The learned operator has most entries where two-step walks are many, in its rows and even more so in its
// columns, which are the rows of backward passes. On the plain graph, nodes cost more than edges.
std::shared_ptr<const Partition> training_partition(const ShardReader& reader, bool higher_order,
                                                    Peers& peers) {
    if (higher_order) return balanced_partition(reader, peers);
    const std::vector<Index>& bounds = reader.blocks().bounds;
    std::vector<Index> owners{0};
    for (int process = 1; process <= peers.size(); ++process) {
        const auto share = static_cast<Index>(std::int64_t{reader.nodes()} * process / peers.size());
        owners.push_back(static_cast<Index>(std::ranges::lower_bound(bounds, share) - bounds.begin()));
    }
    return std::make_shared<const Partition>(reader.blocks(), std::move(owners), peers);
}

// Bounds lie between blocks.
std::shared_ptr<const Partition> balanced_partition(const ShardReader& reader, Peers& peers) {
    const Index blocks = reader.blocks().count();
    std::vector<double> before{0};  // the work of the blocks before
    for (Index block = 0; block < blocks; ++block) {
        const Index nodes = reader.blocks().bounds[block + std::size_t{1}] - reader.blocks().bounds[block];
        before.push_back(before.back() + static_cast<double>(reader.block_work()[block]) +
                         walks_of_a_node * nodes);
    }
    std::vector<Index> owners{0};
    for (int process = 1; process < peers.size(); ++process) {
        const double share = before.back() * process / peers.size();
        const auto above = std::ranges::lower_bound(before, share) - before.begin();
        const bool lower = above > 0 && share - before[above - 1] < before[above] - share;
        owners.push_back(std::max(owners.back(), static_cast<Index>(lower ? above - 1 : above)));
    }
    owners.push_back(blocks);
    return std::make_shared<const Partition>(reader.blocks(), std::move(owners), peers);
}

}  // namespace hwgcn
