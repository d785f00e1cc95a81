#include "one_process.hpp"

#include <utility>

#include "hwgcn/base/error.hpp"
#include "hwgcn/io/writers.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "graph/node_order.hpp"
#include "io/shards/shards.hpp"
#include "operators/propagation.hpp"
#include "output.hpp"
#include "pipeline/baselines.hpp"
#include "pipeline/warnings.hpp"
#include "runs/run_files.hpp"

namespace hwgcn::cli {
namespace {

class WholeDataset final : public WorkingData {
  public:
    WholeDataset(PreparedGraph graph, std::unique_ptr<const WeightCache> cache)
        : graph_(std::move(graph)), cache_(std::move(cache)), operators_(graph_, cache_.get()) {}

    PreparedGraph& graph() override { return graph_; }

    std::vector<std::string> warnings(std::span<const AskedMethod> methods,
                                      const ExecutionControl& control) override {
        std::vector<std::string> all;
        const auto add = [&](const std::vector<std::string>& some) {
            all.insert(all.end(), some.begin(), some.end());
        };
        if (!graph_.features.structural) add(warnings_about_features(*graph_.features.scaled));
        add(columns_that_tell(graph_, all_training_split(graph_.dataset), control));
        add(unused_of_edges(graph_, methods));
        return all;
    }

    const Propagation& operator_of(const MethodSettings& settings, const ExecutionControl& control,
                                   std::vector<std::string>& notes) override {
        const Propagation& propagation = operators_.get(settings, control);
        notes = operators_.notes();
        return propagation;
    }

    TrainedRun train(AskedTraining training, const ExecutionControl& control) override {
        return train_run({graph_, operators_, std::move(training.method), training.split, training.seed,
                          training.threshold, std::move(training.earlier), std::move(training.record)},
                         control);
    }

    std::vector<MethodResult> evaluate(const std::vector<AskedMethod>& methods,
                                       const EvaluationOptions& protocol, RunJournal* journal,
                                       const ExecutionControl& control,
                                       std::vector<std::string>& notes) override {
        std::vector<MethodResult> results =
            hwgcn::evaluate(graph_, operators_, methods, protocol, control, journal);
        notes = operators_.notes();
        return results;
    }

    std::vector<Baseline> baselines(const std::string& beside, const Split& split, std::uint64_t seed,
                                    const ExecutionControl& control) override {
        return evaluate_baselines(graph_, operators_, beside, split, seed, control);
    }

    void gather(ConstMatrixView own, const PartTaker& take) override { take(own, 0); }

    RunManifest finish_run(const std::filesystem::path& folder, const RunManifest& manifest,
                           const TrainedRun& trained, const Split& split,
                           std::vector<std::string>& notes) override {
        RunManifest finished =
            hwgcn::finish_run(folder, manifest, trained.model, trained.probabilities, split, graph_.dataset);
        for (const Member& member : members_of(manifest))
            save_weights(folder, graph_, member.settings, cache_.get(), notes);
        return finished;
    }

  private:
    PreparedGraph graph_;
    std::unique_ptr<const WeightCache> cache_;
    OperatorPool operators_;
};

// The dataset in the order that was asked for, and its blocks.
struct Arranged {
    Dataset dataset;
    NodeBlocks blocks;
    std::int64_t edges = 0;
    double within = 0;         // share of the edges within a block
    double within_before = 0;  // with as many blocks, in the order of the data
};

Arranged arrange(const ShardRequest& request, Dataset dataset, const ExecutionControl& control) {
    const Graph graph(dataset.nodes, dataset.edges);
    const std::int64_t edges = graph.edges() + graph.self_loops();
    const Index size = request.block_size > 0 ? request.block_size : usual_block_size(dataset.nodes);
    NodeBlocks even = even_blocks(dataset.nodes, size);
    const double before = share_within_blocks(graph, even);
    if (request.order == ShardOrder::keep)
        return {std::move(dataset), std::move(even), edges, before, before};
    NodeOrder found = request.order == ShardOrder::metis ? metis_order(graph, size, control)
                                                         : greedy_order(graph, size, control);
    Dataset result = reordered(dataset, found.order);
    const double within = share_within_blocks(Graph(result.nodes, result.edges), found.blocks);
    return {std::move(result), std::move(found.blocks), edges, within, before};
}

// What `weights` reads, and says of it.
std::shared_ptr<const PreparedGraph> graph_to_learn_on(const DataOptions& options,
                                                       const ExecutionControl& control) {
    const auto graph = std::make_shared<PreparedGraph>(prepare_graph(
        load(options.dataset, options.common, control), feature_options(options.dataset), control));
    Dataset& dataset = graph->dataset;
    if (dataset.directed) {
        dataset.notes.push_back("the directions of the edges are not used: rings go both ways");
        note(options.common, dataset.notes.back());
    }
    tell_scaling(graph->features.scaling, dataset, options.common, dataset.notes);
    warn(
        graph->features.structural ? graph->features.notes : warnings_about_features(*graph->features.scaled),
        dataset.notes);
    return graph;
}

class OneProcess final : public ExecutionContext {
  public:
    std::unique_ptr<WorkingData> open(const DataOptions& options, const TargetLimits& limits,
                                      bool /*higher_order*/, const ExecutionControl& control) const override {
        return std::make_unique<WholeDataset>(
            prepare_graph(load_target(options.dataset, limits, options.common, control),
                          feature_options(options.dataset), control),
            open_cache(options.cache));
    }

    RunAtHand open_run(const std::filesystem::path& folder, const DataOptions& moved,
                       const AdditionOptions& additions, const ExecutionControl& control) const override {
        auto cache = std::make_unique<const WeightCache>(cache_of_run(folder, moved.cache));
        OpenedRun run = cli::open_run(folder, moved.dataset, moved.common, *cache, control, additions);
        return {std::move(run.manifest),
                std::make_unique<WholeDataset>(std::move(run.graph), std::move(cache)), std::move(run.split),
                std::move(run.members)};
    }

    WrittenShards write_shards(const ShardRequest& request, const ExecutionControl& control) const override {
        if (request.order == ShardOrder::metis) require_metis();
        if (request.memory > 0) {
            throw InputError(
                "--memory: hwgcn shard holds the whole dataset in memory; hwgcn-mpi shard, also as one "
                "process, sorts what is larger on the disk");
        }
        ShardFolder out(request.out, request.force ? OldShards::replaced : OldShards::stay);
        const Arranged arranged =
            arrange(request, load(request.data.dataset, request.data.common, control), control);
        hwgcn::write_shards(out, arranged.dataset, {arranged.blocks, request.order_name});
        return {arranged.dataset.name, arranged.dataset.nodes, static_cast<Index>(arranged.blocks.count()),
                arranged.edges,        arranged.within,        arranged.within_before};
    }

    LearnedOrders learn_weights(const WeightsRequest& request, const CommandExecution& run) const override {
        const ExecutionControl& control = run.control();
        const std::shared_ptr<const PreparedGraph> graph = graph_to_learn_on(request.data, control);
        const std::unique_ptr<const WeightCache> cache = open_cache(request.data.cache);
        const LearnedWeights learned =
            hwgcn::learn_weights(graph->graph, *graph->features.scaled, request.weights, control, cache.get(),
                                 weight_content(*graph));
        const Dataset& dataset = graph->dataset;
        const auto name = [graph](Index node) { return node_id(graph->dataset, node); };
        LearnedOrders result{dataset.name, dataset.nodes, name, {}, dataset.notes, learned.notes};
        if (!request.out.empty()) write_scipy_npz(request.out, combined_weights(learned));
        for (const OrderWeights& order : learned.orders) {
            result.orders.push_back({order.summary, order.cached});
            if (!request.out_orders.empty())
                write_scipy_npz(order_file(request.out_orders, order.summary.order), order.matrix);
        }
        return result;
    }
};

}  // namespace

std::unique_ptr<const ExecutionContext> one_process() {
    return std::make_unique<const OneProcess>();
}

}  // namespace hwgcn::cli
