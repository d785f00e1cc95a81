#include "hwgcn/weights/learn_blocks.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/stopping.hpp"
#include "io/merged_edges.hpp"
#include "weights/blocks/block_store.hpp"
#include "weights/blocks/halo.hpp"
#include "weights/blocks/shared_progress.hpp"
#include "weights/learn_order.hpp"

namespace hwgcn {
namespace {

using Clock = std::chrono::steady_clock;
constexpr Clock::duration between_agreements = std::chrono::seconds(10);
constexpr double walks_of_a_node = 300;  // that take as long as what every node takes, measured

/// One order of a block that is not there.
struct MissingRows {
    Index block;
    int order;
};

/// An order of a block while it is learned.
class BlockTask {
  public:
    BlockTask(const Halo& halo, std::vector<RingLearner>& learners, const Graph& rings,
              const NodeBlocks& blocks, MissingRows missing)
        : halo_(halo),
          missing_(missing),
          learner_(rings, learners, missing.order),
          next_(halo.place_of(blocks.bounds[missing.block])),
          end_(next_ + blocks.bounds[missing.block + std::size_t{1}] - blocks.bounds[missing.block]) {
        file_.rows = {end_ - next_, blocks.bounds.back(), {0}, {}, {}};
    }

    bool is_finished() const { return next_ == end_; }

    /// Returns the seconds that it took.
    double learn_some(const ExecutionControl& control) {
        const auto started = Clock::now();
        const Index end = next_ + std::min(end_ - next_, rows_at_once);
        learner_.learn(next_, end, file_.rows, file_.ring_sizes, control);
        next_ = end;
        const double seconds = std::chrono::duration<double>(Clock::now() - started).count();
        seconds_ += seconds;
        return seconds;
    }

    /// With the numbers of the whole graph.
    RowFile take_rows() {
        for (Index& column : file_.rows.indices)
            column = halo_.nodes[column];
        file_.tally = learner_.take_tally();
        OrderSummary& summary = file_.tally.summary;
        if (summary.worst_node >= 0) summary.worst_node = halo_.nodes[summary.worst_node];
        summary.order = missing_.order;
        summary.seconds = seconds_;
        return std::move(file_);
    }

    const MissingRows& missing() const { return missing_; }

  private:
    const Halo& halo_;
    MissingRows missing_;
    RowLearner learner_;
    Index next_;
    Index end_;
    RowFile file_;
    double seconds_ = 0;
};

/// Learns the blocks of one process. What the processes decide together they decide in the same order,
/// however much each has to do.
class BlockRun {
  public:
    BlockRun(const ShardReader& reader, const WeightOptions& options, const BlockOptions& files, Peers& peers)
        : reader_(reader),
          options_(options),
          files_(files),
          peers_(peers),
          store_(reader, options, files.folder),
          tallies_(static_cast<std::size_t>(options.order) - 1) {}

    const BlockStore& store() const { return store_; }
    std::size_t missing_blocks() const { return missing_.size(); }
    Index first_missing() const { return missing_.front().front().block; }

    void look_for(std::span<const Index> blocks) {
        for (const Index block : blocks) {
            std::vector<MissingRows> missing;
            for (int order = 2; order <= options_.order; ++order) {
                const std::optional<OrderTally> found = store_.find(block, order, result_.notes);
                if (found) tallies_[order - 2].merge(*found);
                if (!found) missing.push_back({block, order});
            }
            ++(missing.empty() ? result_.found : result_.learned);
            if (!missing.empty()) missing_.push_back(std::move(missing));
        }
    }

    std::int64_t nodes_to_learn() const {
        std::int64_t nodes = 0;
        for (const std::vector<MissingRows>& missing : missing_)
            nodes += static_cast<std::int64_t>(missing.size()) * (end_of(missing) - first_of(missing));
        return nodes;
    }

    // A round of all blocks that are left, or of half as many where their rows do not fit. A single block is
    // learned in any case.
    void learn(RowSource& source, std::int64_t nodes_of_all, const ExecutionControl& control) {
        const ProgressTask task(control, "weights", nodes_of_all);
        SharedProgress progress(peers_, files_, control);
        std::size_t next = 0;
        std::size_t size = missing_.size();
        while (any(peers_, next < missing_.size())) {
            const std::size_t count = std::min(size, missing_.size() - next);
            const auto round = std::span(missing_).subspan(next, count);
            const std::optional<Halo> halo = fetch(source, round, control);
            ++result_.rounds;
            if (halo) {
                next += count;
            } else {
                size = (count + 1) / 2;
            }
            learn_round(halo ? &*halo : nullptr, round, progress, control);
        }
        result_.own = progress.own();
    }

    /// What all processes did.
    BlockWeights finish() {
        std::vector<std::int64_t> counts = totals(peers_, {result_.learned, result_.found});
        result_.learned = counts[0];
        result_.found = counts[1];
        const std::vector<Bytes> all = gather(peers_, 0, bytes_of(tallies_));
        for (std::size_t peer = 1; peer < all.size(); ++peer) {
            const std::vector<OrderTally> other = values_of<OrderTally>(all[peer]);
            for (std::size_t k = 0; k < tallies_.size(); ++k)
                tallies_[k].merge(other[k]);
        }
        broadcast(peers_, 0, std::as_writable_bytes(std::span(tallies_)));
        for (std::size_t k = 0; k < tallies_.size(); ++k)
            result_.orders.push_back(tallies_[k].finished(static_cast<int>(k) + 2));
        gather_notes();
        result_.bytes_received = peers_.bytes_received();
        return std::move(result_);
    }

  private:
    using Round = std::span<const std::vector<MissingRows>>;

    Index first_of(const std::vector<MissingRows>& missing) const {
        return reader_.blocks().bounds[missing.front().block];
    }
    Index end_of(const std::vector<MissingRows>& missing) const {
        return reader_.blocks().bounds[missing.front().block + std::size_t{1}];
    }

    // A process that works alone can stop at any time; others are told between the rounds.
    ExecutionControl searching(const ExecutionControl& control) const {
        return {control.threads, nullptr, peers_.size() > 1 ? nullptr : control.stop};
    }

    std::optional<Halo> fetch(RowSource& source, Round round, const ExecutionControl& control) {
        std::vector<Index> own;
        for (const std::vector<MissingRows>& missing : round) {
            for (Index node = first_of(missing); node < end_of(missing); ++node)
                own.push_back(node);
        }
        const std::int64_t limit = round.size() == 1 ? 0 : files_.memory;
        std::optional<Halo> halo = fetch_halo(source, reader_, own, options_, limit, searching(control));
        if (halo) result_.halo_rows += halo->rows - std::ssize(own);
        if (halo && files_.memory > 0 && halo->bytes > files_.memory) {
            result_.notes.push_back(fmt::format(
                "the rows around the nodes {}..{} take {} bytes, more than the memory of {}: smaller "
                "blocks take less",
                own.front(), own.back(), halo->bytes, files_.memory));
        }
        return halo;
    }

    // Stops are agreed on from time to time: a process that ended alone would be waited for. Between two
    // agreements each learns what it can, so that none waits for another's harder rows.
    void learn_round(const Halo* halo, Round round, SharedProgress& progress,
                     const ExecutionControl& control) {
        const ExecutionControl counted{control.threads, &progress, control.stop};
        std::vector<MissingRows> tasks;
        for (std::size_t k = 0; halo != nullptr && k < round.size(); ++k)
            tasks.insert(tasks.end(), round[k].begin(), round[k].end());
        std::optional<Graph> heavy;
        std::vector<RingLearner> learners;
        if (!tasks.empty()) {
            if (options_.min_weight > 0) heavy = heavy_lists(halo->graph, options_.min_weight);
            const FeatureFacts facts = reader_.facts();
            learners = make_learners(halo->graph, heavy ? *heavy : halo->graph, halo->features, options_,
                                     counted, &facts, halo->nodes);
        }
        std::size_t next = 0;
        std::optional<BlockTask> task;
        for (;;) {
            const bool busy = next < tasks.size();
            const SharedProgress::Agreement agreed = progress.agree(busy);
            if (agreed.stopped > 0) throw Interrupted();
            if (agreed.busy == 0) return;
            const auto until = Clock::now() + between_agreements;
            while (next < tasks.size() && !is_stopped(control) && Clock::now() < until) {
                if (!task)
                    task.emplace(*halo, learners, heavy ? *heavy : halo->graph, reader_.blocks(),
                                 tasks[next]);
                try {
                    progress.add_seconds(task->learn_some(counted));
                } catch (const Interrupted&) {
                    break;  // all are told at once
                }
                if (!task->is_finished()) continue;
                keep(*task);
                task.reset();
                ++next;
            }
        }
    }

    void keep(BlockTask& task) {
        RowFile rows = task.take_rows();
        store_.write(task.missing().block, task.missing().order, rows);
        tallies_[task.missing().order - 2].merge(rows.tally);
    }

    void gather_notes() {
        std::string own;
        for (const std::string& note : result_.notes)
            own += note + '\n';
        const std::vector<Bytes> all = gather(peers_, 0, bytes_of(std::span<const char>(own)));
        for (std::size_t peer = 1; peer < all.size(); ++peer) {
            const std::vector<char> text = values_of<char>(all[peer]);
            for (auto begin = text.begin(); begin != text.end();) {
                const auto end = std::find(begin, text.end(), '\n');
                result_.notes.emplace_back(begin, end);
                begin = end + 1;
            }
        }
    }

    const ShardReader& reader_;
    const WeightOptions& options_;
    const BlockOptions& files_;
    Peers& peers_;
    BlockStore store_;
    std::vector<OrderTally> tallies_;                // of the orders 2..K
    std::vector<std::vector<MissingRows>> missing_;  // by block
    BlockWeights result_;
};

// As `heavy_edges` does it for a whole graph.
void check_min_weight(const ShardReader& reader, double min_weight) {
    if (!reader.weighted())
        throw InputError("`min_weight`: the edges of the graph have no weights, or all the same");
    const double unit = reader.weight_unit();
    const double heaviest = reader.heaviest_weight();
    if (in_units(static_cast<float>(heaviest), unit) < in_units(static_cast<float>(min_weight), unit))
        throw InputError(fmt::format("`min_weight={}`: no edge weighs as much, the heaviest weighs {:.6g}",
                                     min_weight, heaviest));
}

void check_input(const ShardReader& reader, const WeightOptions& options) {
    validate_options(options);
    if (options.order < 2) throw InputError("`order`: weights are learned from order 2 on");
    if (reader.feature_count() == 0)
        throw InputError(
            "the shards have no features: higher-order weights are learned from them, and structural "
            "ones need the whole graph");
    if (options.min_weight > 0) check_min_weight(reader, options.min_weight);
}

std::vector<Index> blocks_from(Index first, Index end) {
    std::vector<Index> blocks(static_cast<std::size_t>(end - first));
    std::iota(blocks.begin(), blocks.end(), first);
    return blocks;
}

}  // namespace

std::shared_ptr<const Partition> balanced_partition(const ShardReader& reader, Peers* peers) {
    const int size = peers == nullptr ? 1 : peers->size();
    const Index blocks = reader.blocks().count();
    std::vector<double> before{0};  // the work of the blocks before
    for (Index block = 0; block < blocks; ++block) {
        const Index nodes = reader.blocks().bounds[block + std::size_t{1}] - reader.blocks().bounds[block];
        before.push_back(before.back() + static_cast<double>(reader.block_work()[block]) +
                         walks_of_a_node * nodes);
    }
    Partition partition{reader.blocks(), {0}, peers};
    for (int process = 1; process < size; ++process) {
        const double share = before.back() * process / size;
        const auto above = std::ranges::lower_bound(before, share) - before.begin();
        const bool lower = above > 0 && share - before[above - 1] < before[above] - share;
        partition.owners.push_back(
            std::max(partition.owners.back(), static_cast<Index>(lower ? above - 1 : above)));
    }
    partition.owners.push_back(blocks);
    return std::make_shared<const Partition>(std::move(partition));
}

BlockWeights learn_blocks(const ShardReader& reader, const Partition& partition, const WeightOptions& options,
                          const BlockOptions& files, const ExecutionControl& control) {
    NoPeers alone;
    Peers& peers = partition.peers != nullptr ? *partition.peers : alone;
    check_input(reader, options);
    expect_same(peers, "list of shards", reader.list_hash());
    BlockRun run(reader, options, files, peers);
    expect_same(peers, "key of the weights", run.store().key(options.order));
    run.look_for(blocks_from(partition.first_block(), partition.end_block()));
    if (const std::int64_t nodes = total(peers, run.nodes_to_learn()); nodes > 0) {
        PeerRows rows(reader, partition, peers);
        run.learn(rows, nodes, control);
    }
    BlockWeights result = run.finish();
    if (peers.rank() == 0) run.store().write_list(result.orders);
    return result;
}

BlockWeights learn_block_files(const ShardReader& reader, std::span<const Index> blocks,
                               const WeightOptions& options, const BlockOptions& files,
                               const ExecutionControl& control) {
    check_input(reader, options);
    for (const Index block : blocks) {
        if (block < 0 || block >= reader.blocks().count())
            throw InputError(fmt::format("block {} is outside 0..{}", block, reader.blocks().count() - 1));
    }
    NoPeers alone;
    FileRows rows(reader);
    BlockRun run(reader, options, files, alone);
    std::vector<Index> ascending(blocks.begin(), blocks.end());
    std::ranges::sort(ascending);
    ascending.erase(std::unique(ascending.begin(), ascending.end()), ascending.end());
    run.look_for(ascending);
    run.learn(rows, run.nodes_to_learn(), control);
    return run.finish();
}

BlockWeights finish_blocks(const ShardReader& reader, const WeightOptions& options,
                           const BlockOptions& files) {
    check_input(reader, options);
    NoPeers alone;
    BlockRun run(reader, options, files, alone);
    run.look_for(blocks_from(0, reader.blocks().count()));
    if (run.missing_blocks() > 0) {
        throw InputError(fmt::format("{}: {} blocks of weights are missing or damaged, the first is block {}",
                                     files.folder.string(), run.missing_blocks(), run.first_missing()));
    }
    BlockWeights result = run.finish();
    run.store().write_list(result.orders);
    return result;
}

}  // namespace hwgcn
