#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hwgcn/pipeline/train_run.hpp"

namespace hwgcn {

/// What run.json says: all that the run came from, and how it did, in numbers; of the held-out nodes of an
/// automatic choice it has the charts, too.
struct RunManifest {
    std::string version;         ///< of the program
    std::string dataset;         ///< its name
    std::string source;          ///< where it was read from
    std::vector<Setting> given;  ///< how it was asked for, for whoever loads it again; paths are absolute
    std::string content_hash;    ///< of graph and features
    std::string dataset_hash;    ///< of these, labels and names
    std::string split;           ///< its name
    std::string split_hash;
    std::uint64_t seed = 0;
    MethodSettings settings{"gcn", ""};        ///< of what is trained
    int results = results_version;             ///< the version of results that it belongs to
    std::optional<Choice> choice;              ///< where they were chosen automatically
    double temperature = 1;                    ///< for the probabilities, by validation or held-out nodes
    Decision decision = {};                    ///< how they become classes
    ThresholdRule threshold = {};              ///< as it was asked for
    std::optional<RunResult> result;           ///< nothing before training is finished
    std::map<std::string, std::string> files;  ///< SHA-256 by name
    MemberShare share = {};                    ///< of the method above, where it is averaged with others
    std::vector<Member> others = {};  ///< these; their parameters are in files once the run is finished
};

/// The methods that a run predicts with, the one of its settings first, without parameters.
std::vector<Member> members_of(const RunManifest& manifest);

/// "SAGE", or "average of Deep GCN and SAGE".
std::string run_label(const RunManifest& manifest);

/// How many labels the temperature of a finished run was fitted on; with fewer than enough_to_calibrate the
/// probabilities are a ranking.
Index calibration_labels(const RunManifest& manifest);
inline constexpr Index enough_to_calibrate = 30;

/// Of a training whose method is not decided yet.
RunManifest make_manifest(const PreparedGraph& graph, std::vector<Setting> given, const Split& split,
                          std::uint64_t seed);

/// Adds what was trained, and how it did.
void add_result(RunManifest& manifest, const TrainedRun& run);

/// Whether the folder holds a run.
bool has_run(const std::filesystem::path& folder);

/// Reads run.json, of this or an earlier version of the program. Throws InputError where there is none, where
/// it was changed, or where its settings are not known.
RunManifest read_run(const std::filesystem::path& folder);

/// The split of a run.
Split read_run_split(const std::filesystem::path& folder, const RunManifest& manifest,
                     const Dataset& dataset);

/// The parameters of a run on its graph, with its statistics (empty_statistics) where the run has them: those
/// of earlier versions have none.
std::vector<TrainableMatrix> read_model(const std::filesystem::path& folder, const RunManifest& manifest,
                                        const PreparedGraph& graph);

/// The methods that a finished run predicts with, and the parameters of each.
std::vector<Member> read_members(const std::filesystem::path& folder, const RunManifest& manifest,
                                 const PreparedGraph& graph);

/// Begins a run: removes what an earlier one has left, writes split.json, and run.json without a result.
void start_run(const std::filesystem::path& folder, RunManifest manifest, const Split& split,
               const Dataset& dataset);

/// Adds model (and those of further members), history and predictions, writes run.json with the result and
/// removes the checkpoint. Returns what run.json says now.
RunManifest finish_run(const std::filesystem::path& folder, RunManifest manifest, const TrainedModel& model,
                       ConstMatrixView probabilities, const Split& split, const Dataset& dataset);

/// Original id, predicted class and the probability of each class for every node, and its label and its part
/// of the split where it has them. A prediction that is less sure than `least_confidence` stays blank. Nodes
/// before `first_node` are left out.
std::string predictions_csv(ConstMatrixView probabilities, const Split& split, const Dataset& dataset,
                            double least_confidence = 0, const ExecutionControl& control = {},
                            Index first_node = 0, const Decision& decision = {});

/// The epochs of a finished run, from its file.
std::vector<EpochRecord> read_history(const std::filesystem::path& folder, const RunManifest& manifest);

}  // namespace hwgcn
