#include "distributed/weights/learn_blocks.hpp"

#include <algorithm>

#include "hwgcn/weights/learn_weights.hpp"

#include "distributed/weights/peer_rows.hpp"
#include "distributed/weights/shared_progress.hpp"
#include "weights/blocks/block_run.hpp"

namespace hwgcn {
namespace {

// At the first process.
void gather_notes(Peers& peers, std::vector<std::string>& notes) {
    std::string own;
    for (const std::string& note : notes)
        own += note + '\n';
    const std::vector<Bytes> all = gather(peers, 0, bytes_of(std::span<const char>(own)));
    for (std::size_t peer = 1; peer < all.size(); ++peer) {
        const std::vector<char> text = values_of<char>(all[peer]);
        for (auto begin = text.begin(); begin != text.end();) {
            const auto end = std::find(begin, text.end(), '\n');
            notes.emplace_back(begin, end);
            begin = end + 1;
        }
    }
}

// What all processes did.
void join(Peers& peers, std::vector<OrderTally>& tallies, BlockWeights& result) {
    const std::vector<std::int64_t> counts = totals(peers, {result.learned, result.found});
    result.learned = counts[0];
    result.found = counts[1];
    const std::vector<Bytes> all = gather(peers, 0, bytes_of(tallies));
    for (std::size_t peer = 1; peer < all.size(); ++peer) {
        const std::vector<OrderTally> other = values_of<OrderTally>(all[peer]);
        for (std::size_t k = 0; k < tallies.size(); ++k)
            tallies[k].merge(other[k]);
    }
    broadcast(peers, 0, std::as_writable_bytes(std::span(tallies)));
    gather_notes(peers, result.notes);
    result.bytes_received = peers.bytes_received();
}

}  // namespace

BlockWeights learn_blocks(const ShardReader& reader, const Partition& partition, const WeightOptions& options,
                          const BlockOptions& files, const ExecutionControl& control,
                          const HearLearned& hear) {
    Peers& peers = partition.peers();
    BlockRun run(reader, options, files);
    expect_same(peers, "list of shards", reader.list_hash());
    expect_same(peers, "key of the weights", run.store().key(options.order));
    run.look_for(blocks_from(partition.first_block, partition.end_block));
    if (const std::int64_t nodes = total(peers, run.nodes_to_learn()); nodes > 0) {
        PeerRows rows(reader, partition);
        const ProgressTask task(control, "weights", nodes);
        SharedProgress progress(peers, hear, control);
        run.learn(rows, progress, control);
    }
    join(peers, run.tallies(), run.result());
    BlockWeights result = run.finish();
    if (peers.rank() == 0) run.store().write_list(result.orders);
    return result;
}

}  // namespace hwgcn
