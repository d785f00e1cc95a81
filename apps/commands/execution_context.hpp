#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "hwgcn/evaluation/evaluate.hpp"
#include "hwgcn/runs/run_folder.hpp"
#include "hwgcn/weights/learn_weights.hpp"

#include "command.hpp"
#include "common_options.hpp"
#include "method_options.hpp"
#include "operators/propagation.hpp"
#include "run_dataset.hpp"
#include "runs/run_files.hpp"

namespace hwgcn::cli {

/// What every command takes that works on a dataset.
struct DataOptions {
    CommonOptions common;
    DatasetOptions dataset;
    CacheOptions cache;
};

/// A training as a command asks for it: a TrainingTask without the data.
struct AskedTraining {
    AskedMethod method;
    const Split& split;
    std::uint64_t seed = 0;
    ThresholdRule threshold = {};
    EarlierTraining earlier = {};
    TrainingRecord record = {};
};

/// The data of a command as a process has them, all or a part, and the work on them: where several processes
/// share it, all of them make the same calls. `notes` take what was noticed on the way.
class WorkingData {
  public:
    virtual ~WorkingData() = default;

    virtual PreparedGraph& graph() = 0;

    /// What may be wrong with data that methods are compared on, in a sentence each; it takes the whole
    /// graph.
    virtual std::vector<std::string> warnings(std::span<const AskedMethod>, const ExecutionControl&) {
        return {};
    }

    virtual const Propagation& operator_of(const MethodSettings& settings, const ExecutionControl& control,
                                           std::vector<std::string>& notes) = 0;
    virtual TrainedRun train(AskedTraining training, const ExecutionControl& control) = 0;
    virtual std::vector<MethodResult> evaluate(const std::vector<AskedMethod>& methods,
                                               const EvaluationOptions& protocol, RunJournal* journal,
                                               const ExecutionControl& control,
                                               std::vector<std::string>& notes) = 0;

    /// `evaluate_baselines`, but for several processes, which share no logistic regression.
    virtual std::vector<Baseline> baselines(const std::string& /*beside*/, const Split&,
                                            std::uint64_t /*seed*/, const ExecutionControl&) {
        return {};
    }

    /// Hands the probabilities of all nodes over, part by part, at the first process.
    virtual void gather(ConstMatrixView own, const PartTaker& take) = 0;

    /// Writes a trained run; the manifest, with its result, is the first process's.
    virtual RunManifest finish_run(const std::filesystem::path& folder, const RunManifest& manifest,
                                   const TrainedRun& trained, const Split& split,
                                   std::vector<std::string>& notes) = 0;
};

/// A finished run with its data, ready to predict. The split is the first process's.
struct RunAtHand {
    RunManifest manifest;
    std::unique_ptr<WorkingData> data;
    Split split;
    std::vector<Member> members;
};

enum class ShardOrder { greedy, metis, keep };

struct ShardRequest {
    DataOptions data;
    ShardOrder order = ShardOrder::greedy;
    std::string order_name;
    int block_size = 0;
    double memory = 0;  ///< GB
    std::filesystem::path out;
    bool force = false;
};

struct WrittenShards {
    std::string dataset;
    Index nodes = 0;
    Index blocks = 0;
    std::int64_t edges = 0;  ///< loops, too
    double share_within_blocks = 1;
    std::optional<double> share_before = {};  ///< in the order of the data; nothing where it is not known
    std::int64_t text_bytes = 0;              ///< of tables, where processes read them together
};

/// An order in the tables of learned weights.
struct OrderLine {
    OrderSummary summary;
    bool cached = false;  ///< found, not learned now
};

/// The id of a node, as users know it.
using NodeName = std::function<std::string(Index node)>;

/// The file of one order, by --out-orders.
std::filesystem::path order_file(const std::string& prefix, int order);

struct WeightsRequest {
    DataOptions data;
    WeightOptions weights;
    std::filesystem::path out;  ///< the sum over all orders
    std::string out_orders;     ///< PREFIX of one file per order
};

struct LearnedOrders {
    std::string dataset;
    Index nodes = 0;
    NodeName node_name;
    std::vector<OrderLine> orders;
    std::vector<std::string> notes;     ///< that were told before
    std::vector<std::string> warnings;  ///< that were not
    std::string text = {};              ///< what else there is to tell, for people
    Json json = Json::object();         ///< and for programs
};

/// Where the commands of a program are carried out: by this process alone, as the functions here do it, or by
/// several that share the work. Commands are written once, for any of them. All processes make the same
/// calls; the first one alone prints and writes results.
class ExecutionContext {
  public:
    virtual ~ExecutionContext() = default;

    /// Whether processes share the work, be it one or several.
    virtual bool is_shared() const { return false; }
    virtual int processes() const { return 1; }
    virtual bool is_first() const { return true; }

    /// Calls `work` at the first process alone. An InputError that it throws there is thrown by all.
    virtual void on_first(const std::function<void()>& work) const { work(); }

    /// The split that the first process makes.
    virtual Split split_of_first(const std::function<Split()>& make) const { return make(); }

    /// The checkpoints that the first process has begun.
    virtual void share(Checkpoints&) const {}

    /// Throws InputError unless all processes see the same folder of this name.
    virtual void expect_shared_folder(const std::filesystem::path&) const {}

    virtual double maximum(double own) const { return own; }

    /// That processes got from each other: in a training, once its operator was there, else so far.
    virtual std::int64_t exchanged_bytes() const { return 0; }

    /// The options that say which data are meant, how weights are kept, and what all commands take.
    virtual void add_data_options(CLI::App& command, DatasetOptions& options) const;
    virtual void add_weight_options(CLI::App& command, DataOptions& options) const;
    virtual void add_common_options(CLI::App& command, CommonOptions& options) const;

    /// Reads data to train on. `higher_order`: a method on learned weights is among those that will be.
    virtual std::unique_ptr<WorkingData> open(const DataOptions& options, const TargetLimits& limits,
                                              bool higher_order, const ExecutionControl& control) const = 0;
    virtual RunAtHand open_run(const std::filesystem::path& folder, const DataOptions& moved,
                               const AdditionOptions& additions, const ExecutionControl& control) const = 0;
    virtual WrittenShards write_shards(const ShardRequest& request,
                                       const ExecutionControl& control) const = 0;
    virtual LearnedOrders learn_weights(const WeightsRequest& request, const CommandExecution& run) const = 0;
};

/// These options of a command are not in its help where processes share the work, and refused by name.
void only_alone(CLI::App& command, const ExecutionContext& context,
                std::initializer_list<const char*> options);

/// Throws InputError where several processes are to choose a method.
void expect_named_methods(const ExecutionContext& context, std::span<const AskedMethod> methods);

/// Whether one of these methods, with these settings, is trained on learned weights.
bool asks_for_weights(const std::optional<std::string>& methods, const std::vector<Setting>& given);

/// "1 process", "4 processes"
std::string process_count(int processes);

/// " on 4 processes" where they share the work, else nothing.
std::string processes_text(const ExecutionContext& context);

/// How many processes shared the work, and what they got from each other; nothing of one alone.
void add_processes(Json& json, const ExecutionContext& context, std::int64_t exchanged_bytes);

// Each adds its syntax to `program` and itself to `commands`. The context has to live as long as these.
void add_shard_command(CLI::App& program, std::vector<Command>& commands, const ExecutionContext& context);
void add_weights_command(CLI::App& program, std::vector<Command>& commands, const ExecutionContext& context);
void add_train_command(CLI::App& program, std::vector<Command>& commands, const ExecutionContext& context);
void add_predict_command(CLI::App& program, std::vector<Command>& commands, const ExecutionContext& context);
void add_evaluate_command(CLI::App& program, std::vector<Command>& commands, const ExecutionContext& context);

}  // namespace hwgcn::cli
