#include "weights/blocks/block_run.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/feature_scaling.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "io/merged_edges.hpp"
#include "weights/learn_order.hpp"

namespace hwgcn {
namespace {

using Clock = std::chrono::steady_clock;
constexpr Clock::duration between_agreements = std::chrono::seconds(10);

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

const ShardReader& checked(const ShardReader& reader, const WeightOptions& options) {
    validate_options(options);
    if (options.order < 2) throw InputError("`order`: weights are learned from order 2 on");
    if (reader.feature_count() == 0)
        throw InputError(
            "the shards have no features: higher-order weights are learned from them, and structural "
            "ones need the whole graph");
    if (options.min_weight > 0) check_min_weight(reader, options.min_weight);
    return reader;
}

}  // namespace

/// An order of a block while it is learned.
class BlockRun::Task {
  public:
    Task(const Halo& halo, std::vector<RingLearner>& learners, const Graph& rings, const NodeBlocks& blocks,
         MissingRows missing)
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

BlockRun::BlockRun(const ShardReader& reader, const WeightOptions& options, const BlockOptions& files)
    : reader_(checked(reader, options)),
      options_(options),
      files_(files),
      store_(reader, options, files.folder),
      tallies_(static_cast<std::size_t>(options.order) - 1) {}

void BlockRun::look_for(std::span<const Index> blocks) {
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

std::int64_t BlockRun::nodes_to_learn() const {
    std::int64_t nodes = 0;
    for (const std::vector<MissingRows>& missing : missing_)
        nodes += static_cast<std::int64_t>(missing.size()) * (end_of(missing) - first_of(missing));
    return nodes;
}

void BlockRun::learn(RowSource& source, BlockProgress& progress, const ExecutionControl& control) {
    // Who works alone can stop at any time; others are told between the rounds.
    const ExecutionControl searching{control.threads, nullptr,
                                     progress.has_others() ? nullptr : control.stop};
    std::size_t next = 0;
    std::size_t size = missing_.size();
    while (progress.any(next < missing_.size())) {
        const std::size_t count = std::min(size, missing_.size() - next);
        const auto round = std::span(missing_).subspan(next, count);
        const std::optional<Halo> halo = fetch(source, round, searching);
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

BlockWeights BlockRun::finish() {
    for (std::size_t k = 0; k < tallies_.size(); ++k)
        result_.orders.push_back(tallies_[k].finished(static_cast<int>(k) + 2));
    return std::move(result_);
}

std::optional<Halo> BlockRun::fetch(RowSource& source, Round round, const ExecutionControl& control) {
    std::vector<Index> own;
    for (const std::vector<MissingRows>& missing : round) {
        for (Index node = first_of(missing); node < end_of(missing); ++node)
            own.push_back(node);
    }
    const std::int64_t limit = round.size() == 1 ? 0 : files_.memory;
    std::optional<Halo> halo = fetch_halo(source, reader_, own, options_, limit, control);
    if (halo) result_.halo_rows += halo->rows - std::ssize(own);
    if (halo && files_.memory > 0 && halo->bytes > files_.memory) {
        result_.notes.push_back(
            fmt::format("the rows around the nodes {}..{} take {} bytes, more than the memory of {}: smaller "
                        "blocks take less",
                        own.front(), own.back(), halo->bytes, files_.memory));
    }
    return halo;
}

// Stops are agreed on from time to time: one who ended alone would be waited for. Between two
// agreements each learns what it can: none waits for another's harder rows.
void BlockRun::learn_round(const Halo* halo, Round round, BlockProgress& progress,
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
        learners = make_learners(halo->graph, heavy ? *heavy : halo->graph, halo->features, options_, counted,
                                 &facts, halo->nodes);
    }
    std::size_t next = 0;
    std::optional<Task> task;
    for (;;) {
        const bool busy = next < tasks.size();
        const BlockProgress::Agreement agreed = progress.agree(busy);
        if (agreed.stopped > 0) throw Interrupted();
        if (agreed.busy == 0) return;
        const auto until = Clock::now() + between_agreements;
        while (next < tasks.size() && !is_stopped(control) && Clock::now() < until) {
            if (!task)
                task.emplace(*halo, learners, heavy ? *heavy : halo->graph, reader_.blocks(), tasks[next]);
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

void BlockRun::keep(Task& task) {
    RowFile rows = task.take_rows();
    store_.write(task.missing().block, task.missing().order, rows);
    tallies_[task.missing().order - 2].merge(rows.tally);
}

std::vector<Index> blocks_from(Index first, Index end) {
    std::vector<Index> blocks(static_cast<std::size_t>(end - first));
    std::iota(blocks.begin(), blocks.end(), first);
    return blocks;
}

}  // namespace hwgcn
