#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hwgcn/weights/learn_weights.hpp"

#include "weights/blocks/block_progress.hpp"
#include "weights/blocks/block_store.hpp"
#include "weights/blocks/halo.hpp"
#include "weights/blocks/learn_blocks.hpp"

namespace hwgcn {

/// One order of a block that is not there.
struct MissingRows {
    Index block;
    int order;
};

/// Learns some blocks. Those who learn others at the same time decide with it, in the same order, however
/// much each has to do.
class BlockRun {
  public:
    /// Throws InputError where the weights cannot be learned from these shards. All must outlive it.
    BlockRun(const ShardReader& reader, const WeightOptions& options, const BlockOptions& files);

    const BlockStore& store() const { return store_; }
    std::size_t missing_blocks() const { return missing_.size(); }
    Index first_missing() const { return missing_.front().front().block; }

    void look_for(std::span<const Index> blocks);
    std::int64_t nodes_to_learn() const;

    /// In rounds: of all blocks that are left, or of half as many where their rows do not fit. A single block
    /// is learned in any case.
    void learn(RowSource& source, BlockProgress& progress, const ExecutionControl& control);

    /// What was done and counted so far; who works with others puts theirs in.
    BlockWeights& result() { return result_; }
    std::vector<OrderTally>& tallies() { return tallies_; }  ///< of the orders 2..K

    BlockWeights finish();

  private:
    class Task;
    using Round = std::span<const std::vector<MissingRows>>;

    Index first_of(const std::vector<MissingRows>& missing) const {
        return reader_.blocks().bounds[missing.front().block];
    }
    Index end_of(const std::vector<MissingRows>& missing) const {
        return reader_.blocks().bounds[missing.front().block + std::size_t{1}];
    }
    std::optional<Halo> fetch(RowSource& source, Round round, const ExecutionControl& control);
    void learn_round(const Halo* halo, Round round, BlockProgress& progress, const ExecutionControl& control);
    void keep(Task& task);

    const ShardReader& reader_;
    const WeightOptions& options_;
    const BlockOptions& files_;
    BlockStore store_;
    std::vector<OrderTally> tallies_;
    std::vector<std::vector<MissingRows>> missing_;  // by block
    BlockWeights result_;
};

/// The blocks first .. end - 1.
std::vector<Index> blocks_from(Index first, Index end);

}  // namespace hwgcn
