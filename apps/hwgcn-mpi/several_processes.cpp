#include "several_processes.hpp"

#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"
#include "hwgcn/dataset/feature_scaling.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "base/parameter.hpp"
#include "base/peak_memory.hpp"
#include "distributed/graph/shared_order.hpp"
#include "distributed/io/text_shards.hpp"
#include "distributed/shared_run.hpp"
#include "distributed/weights/learn_blocks.hpp"
#include "models/selection.hpp"
#include "operators/propagation.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "pipeline/feasible.hpp"
#include "process_table.hpp"
#include "runs/run_files.hpp"
#include "shared_folder.hpp"
#include "tables.hpp"

namespace hwgcn::cluster {
namespace {

namespace fs = std::filesystem;

// Where learned weights go, and what learning them may take: a folder that all processes see.
BlockOptions block_options(Peers& peers, const cli::CacheOptions& options) {
    const fs::path folder = cli::cache_directory(options);
    if (folder.empty()) throw InputError("--cache-dir DIR is missing: a folder for the weights");
    expect_shared_folder(peers, folder);
    return {folder, static_cast<std::int64_t>(1e9 * options.memory_gb)};
}

const std::vector<Parameter<cli::CacheOptions>>& memory_parameters() {
    static const std::vector<Parameter<cli::CacheOptions>> table = {
        number_parameter("weights_memory", &cli::CacheOptions::memory_gb, Range<double>{0, 1e6}, "GB",
                         "per process, for rows that it fetches while weights are learned: more is done in "
                         "several rounds; 0: no limit"),
    };
    return table;
}

GraphPart part_of(const ShardReader& reader, bool higher_order, Peers& peers) {
    expect_same(peers, "list of shards", reader.list_hash());
    return read_part(reader, training_partition(reader, higher_order, peers));
}

// The part of a sharded dataset that this process has. Weights that an operator lacks are learned first.
class ShardedDataset final : public cli::WorkingData {
  public:
    // A training puts into `received_before` how many bytes this process had received when it began.
    ShardedDataset(Peers& peers, const fs::path& shards, bool higher_order, const cli::CacheOptions& cache,
                   std::int64_t& received_before)
        : peers_(peers),
          cache_(cache),
          reader_(shards),
          part_(part_of(reader_, higher_order, peers)),
          received_before_(received_before) {}

    const Partition& partition() const { return *part_.partition; }

    PreparedGraph& graph() override { return part_.graph; }

    const Propagation& operator_of(const MethodSettings& settings, const ExecutionControl& control,
                                   std::vector<std::string>& notes) override {
        check_shared_training(part_.graph, settings);
        propagation_ = made_operator(settings, control, notes);
        return *propagation_;
    }

    TrainedRun train(cli::AskedTraining training, const ExecutionControl& control) override {
        const auto tell = [&](const std::vector<std::string>& notes) {
            for (const std::string& note : notes)
                training.record.notice(note);
        };
        std::vector<std::string> notes;
        AskedMethod method =
            with_resolved_selection(std::move(training.method), part_.graph.dataset, training.split, notes);
        method = feasible(part_.graph, std::move(method), control, notes);
        const MethodSettings& settings = std::get<MethodSettings>(method);
        check_trainable(part_.graph, settings, training.split);
        const Propagation& propagation = operator_of(settings, control, notes);
        tell(notes);
        const Checkpoints checkpoints = training.record.begin(settings, std::nullopt);
        received_before_ = peers_.bytes_received();
        TrainedRun trained = train_shared(
            {part_, propagation, settings, training.split, training.seed, training.threshold, checkpoints},
            control);
        tell(trained.result.notes);
        return trained;
    }

    std::vector<MethodResult> evaluate(const std::vector<AskedMethod>& methods,
                                       const EvaluationOptions& protocol, RunJournal* /*journal*/,
                                       const ExecutionControl& control,
                                       std::vector<std::string>& notes) override {
        std::vector<MethodSettings> settings;
        for (const AskedMethod& method : methods) {
            settings.push_back(std::get<MethodSettings>(method));
            check_shared_training(part_.graph, settings.back());
        }
        const auto make = [&](const MethodSettings& one) { return made_operator(one, control, notes); };
        return evaluate_shared(part_, settings, protocol, make, control);
    }

    void gather(ConstMatrixView own, const PartTaker& take) override { gather_parts(partition(), own, take); }

    RunManifest finish_run(const fs::path& folder, const RunManifest& manifest, const TrainedRun& trained,
                           const Split& split, std::vector<std::string>& /*notes*/) override {
        TrainedModel model = trained.model;
        model.parameters = whole_parameters(partition(), trained.settings, std::move(model.parameters));
        const PredictionSource parts = [&](const PartTaker& take) { gather(trained.probabilities, take); };
        if (peers_.rank() == 0)
            return hwgcn::finish_run(folder, manifest, model, parts, split, part_.graph.dataset);
        parts({});
        return manifest;
    }

  private:
    Propagation made_operator(const MethodSettings& settings, const ExecutionControl& control,
                              std::vector<std::string>& notes) const {
        if (order_of(settings) == 1) return make_shared_operator(part_, settings, {});
        const BlockOptions files = block_options(peers_, cache_);
        const WeightOptions& wanted = settings.weights();
        const BlockWeights learned =
            learn_blocks(reader_, *balanced_partition(reader_, peers_), wanted, files, control);
        notes.insert(notes.end(), learned.notes.begin(), learned.notes.end());
        for (const OrderSummary& order : learned.orders)
            check_solved(order, wanted);
        return make_shared_operator(part_, settings,
                                    read_block_weights(reader_, partition().first_block,
                                                       partition().end_block, wanted, files.folder));
    }

    Peers& peers_;
    cli::CacheOptions cache_;
    ShardReader reader_;
    GraphPart part_;
    std::optional<Propagation> propagation_;
    std::int64_t& received_before_;
};

// Takes `old` for the option `name`, which it was called before, and says so.
void accept_old_name(CLI::App& command, const std::string& old, const std::string& name,
                     cli::CommonOptions& common) {
    CLI::Option* const option = command.get_option(name);
    const auto pass_on = [option, old, name, &common](const std::string& text) {
        if (option->count() > 0)
            throw InputError(fmt::format("{} is the old name of {}: give one of them", old, name));
        option->add_result(text);
        option->run_callback();
        common.renamed.push_back(fmt::format("{} is called {} now", old, name));
    };
    command.add_option_function<std::string>(old, pass_on)->group("");
}

const std::string& shards_of(const cli::DatasetOptions& selection) {
    if (selection.dataset.empty())
        throw InputError("no dataset was given: expected a folder that hwgcn shard or hwgcn-mpi shard wrote");
    return selection.dataset;
}

void tell_notes(const Dataset& dataset, const cli::CommonOptions& common) {
    for (const std::string& told : dataset.notes)
        cli::note(common, fmt::format("{}: {}", dataset.name, told));
}

cli::NodeName node_name(const std::shared_ptr<const ShardReader>& reader) {
    return [reader](Index node) {
        const std::vector<std::string> ids = reader->ids(node, node + 1);
        return ids.empty() ? fmt::to_string(node) : ids.front();
    };
}

class SeveralProcesses final : public cli::ExecutionContext {
  public:
    SeveralProcesses(Peers& peers, std::string node) : peers_(peers), node_(std::move(node)) {}

    bool is_shared() const override { return true; }
    int processes() const override { return peers_.size(); }
    bool is_first() const override { return peers_.rank() == 0; }
    void on_first(const std::function<void()>& work) const override { hwgcn::on_first(peers_, work); }
    Split split_of_first(const std::function<Split()>& make) const override {
        return shared_split(peers_, make);
    }
    void expect_shared_folder(const fs::path& folder) const override {
        cluster::expect_shared_folder(peers_, folder);
    }
    double maximum(double own) const override { return hwgcn::maximum(peers_, own); }
    std::int64_t exchanged_bytes() const override {
        return total(peers_, peers_.bytes_received() - received_before_);
    }

    void share(Checkpoints& checkpoints) const override {
        constexpr std::size_t letters = 64;  // of a SHA-256
        checkpoints.of.resize(letters);      // only the first process has a manifest
        broadcast(peers_, 0, std::as_writable_bytes(std::span(checkpoints.of)));
        checkpoints.resume = any(peers_, checkpoints.resume);
        checkpoints.written = is_first();
    }

    void add_data_options(CLI::App& command, cli::DatasetOptions& options) const override {
        command.add_option("DATASET", options.dataset,
                           "folder that hwgcn shard or hwgcn-mpi shard wrote, seen by all machines");
    }

    void add_weight_options(CLI::App& command, cli::DataOptions& options) const override {
        cli::add_cache_options(command, options.cache);
        command.get_option("--cache-dir")
            ->description(
                "folder of learned weights, seen by all machines (default: in the user's cache folder)")
            ->group("Options");
        cli::only_alone(command, *this, {"--no-cache"});
        cli::add_parameter_options(command, memory_parameters(), options.cache);
        const bool learns = command.get_name() == "weights";  // elsewhere --out and --memory mean others
        accept_old_name(command, learns ? "--out" : "--weights", "--cache-dir", options.common);
        if (learns) accept_old_name(command, "--memory", "--weights-memory", options.common);
        if (command.get_name() == "predict") accept_old_name(command, "--shards", "DATASET", options.common);
    }

    void add_common_options(CLI::App& command, cli::CommonOptions& options) const override {
        cli::add_run_options(command, options);
    }

    std::unique_ptr<cli::WorkingData> open(const cli::DataOptions& options, const TargetLimits& limits,
                                           bool higher_order,
                                           const ExecutionControl& /*control*/) const override {
        auto data = std::make_unique<ShardedDataset>(peers_, shards_of(options.dataset), higher_order,
                                                     options.cache, received_before_);
        tell_notes(data->graph().dataset, options.common);
        check_target(data->graph().dataset, limits);
        return data;
    }

    cli::RunAtHand open_run(const fs::path& folder, const cli::DataOptions& moved,
                            const cli::AdditionOptions& /*additions*/,
                            const ExecutionControl& /*control*/) const override {
        RunManifest manifest = read_run(folder);
        if (!manifest.others.empty()) {
            throw InputError(fmt::format("{}: is an {}, which hwgcn predict applies, in one process",
                                         folder.string(), run_label(manifest)));
        }
        const std::string shards = moved.dataset.dataset.empty() ? manifest.source : moved.dataset.dataset;
        auto data = std::make_unique<ShardedDataset>(peers_, shards, order_of(manifest.settings) > 1,
                                                     moved.cache, received_before_);
        const PreparedGraph& graph = data->graph();
        if (graph.content_hash != manifest.content_hash)
            throw InputError(
                fmt::format("{}: the shards are not those that the run was trained on: their edges or "
                            "features differ; restore them, or train again",
                            graph.dataset.source));
        Split split;
        on_first([&] { split = read_run_split(folder, manifest, graph.dataset); });
        std::vector<Member> members = {
            {manifest.settings,
             {},
             own_parameters(data->partition(), manifest.settings, read_model(folder, manifest, graph))}};
        return {std::move(manifest), std::move(data), std::move(split), std::move(members)};
    }

    cli::WrittenShards write_shards(const cli::ShardRequest& request,
                                    const ExecutionControl& control) const override {
        const cli::DatasetOptions& selection = request.data.dataset;
        if (!selection.dataset.empty())
            throw InputError(fmt::format(
                "{}: several processes read tables (--edges); hwgcn shard writes other datasets, on one "
                "machine",
                selection.dataset));
        if (request.order == cli::ShardOrder::metis)
            throw InputError(
                "--order metis: several processes cannot find this order; hwgcn shard does, on one machine");
        const CsvFiles files = cli::text_files(selection);
        TextShardOptions writing;
        writing.out = request.out;
        writing.old = request.force ? OldShards::replaced : OldShards::stay;
        check_shard_folder(writing.out, writing.old);  // before anything is written to it
        expect_shared_folder(writing.out);
        writing.block_size = request.block_size;
        writing.memory = static_cast<std::int64_t>(request.memory * 1e9);
        writing.scale = scale_named(selection.scale);
        writing.order = request.order_name;
        if (request.order == cli::ShardOrder::greedy) {
            writing.find_order = [&](OwnNeighbors own, std::span<const Index> firsts, Index block_size) {
                return shared_greedy_order(std::move(own), firsts, block_size, peers_, control);
            };
        }
        const TextShards written = shard_text(files, writing, peers_, control);
        for (const std::string& told : written.notes)
            cli::note(request.data.common, fmt::format("{}: {}", written.name, cli::in_options(told)));
        return {written.name, written.nodes, written.blocks, written.pairs, written.share_within_blocks,
                std::nullopt, written.bytes};
    }

    cli::LearnedOrders learn_weights(const cli::WeightsRequest& request,
                                     const cli::CommandExecution& run) const override {
        const auto reader = std::make_shared<const ShardReader>(shards_of(request.data.dataset));
        expect_same(peers_, "list of shards", reader->list_hash());
        const BlockOptions files = block_options(peers_, request.data.cache);
        const auto partition = balanced_partition(*reader, peers_);
        const std::vector<std::string> machines = machines_of_all(peers_, node_);
        const auto hear = [&](std::span<const LearnedNodes> processes) {
            run.describe(rates_text(processes, machines));
        };
        const BlockWeights learned =
            learn_blocks(*reader, *partition, request.weights, files, run.control(), hear);
        const std::vector<ProcessLine> processes = lines_of_all(
            peers_, {partition->end_block - partition->first_block, partition->nodes(), learned.rounds,
                     learned.halo_rows, static_cast<double>(peers_.bytes_received()) / 1e6, peak_megabytes(),
                     learned.own.per_second()});
        const Dataset outline = reader->outline();
        tell_notes(outline, request.data.common);
        cli::LearnedOrders result{outline.name, outline.nodes, node_name(reader),
                                  {},           outline.notes, learned.notes};
        for (const OrderSummary& summary : learned.orders)
            result.orders.push_back({summary, learned.learned == 0});
        result.text =
            fmt::format("{}\n{} learned, {} there already, in {}\n", processes_text(processes, machines),
                        cli::counted(learned.learned, "block"), learned.found, files.folder.string());
        result.json = {{"out", files.folder.string()},
                       {"learned_blocks", learned.learned},
                       {"found_blocks", learned.found},
                       {"processes", processes_json(processes, machines)},
                       {"exchanged_bytes", exchanged_bytes()}};
        return result;
    }

  private:
    Peers& peers_;
    std::string node_;
    mutable std::int64_t received_before_ = 0;  // bytes, when the training began
};

}  // namespace

std::unique_ptr<const cli::ExecutionContext> several_processes(Peers& peers, const std::string& node) {
    return std::make_unique<const SeveralProcesses>(peers, node);
}

}  // namespace hwgcn::cluster
