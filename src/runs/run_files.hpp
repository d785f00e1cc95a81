#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hwgcn/runs/run_folder.hpp"

namespace hwgcn {

/// The files of a run.
namespace run_file {
inline constexpr const char* manifest = "run.json";
inline constexpr const char* model = "model.npz";
inline constexpr const char* history = "history.csv";
inline constexpr const char* predictions = "predictions.csv";
inline constexpr const char* split = "split.json";
inline constexpr const char* checkpoint = "checkpoint.npz";  ///< only until training is finished
inline constexpr const char* lock = "run.lock";              ///< only while training is under way
inline constexpr const char* choice = "choice";    ///< a folder, only while auto chooses: its candidates
inline constexpr const char* weights = "weights";  ///< a folder: the learned weights, one file per order
inline constexpr const char* member_beginning = "member-";  ///< member-2.npz, ..: further ones of an average

/// All that a run is made of, but for further members.
inline constexpr std::array<const char*, 6> all = {manifest, model, history, predictions, split, checkpoint};
}  // namespace run_file

/// Throws InputError, naming it, where a run could not be written down because a name that belongs to it is
/// not UTF-8: called before long work, so that it is not done in vain.
void check_run_names(const std::filesystem::path& folder, const std::vector<Setting>& given,
                     const Split& split, const Dataset& dataset);

/// Throws InputError, naming the first thing that differs, unless the two describe the same training.
void check_same_training(const std::filesystem::path& folder, const RunManifest& stored,
                         const RunManifest& wanted);

/// Names all that `check_same_training` compares: what a checkpoint of the training is of.
std::string training_name(const RunManifest& manifest);

/// Keeps other processes from training into the same folder, which is created where it is missing, and
/// removed again if nothing is written into it. Throws InputError, saying who does, where another one trains
/// there.
class RunLock {
  public:
    explicit RunLock(const std::filesystem::path& folder);
    ~RunLock();
    RunLock(const RunLock&) = delete;
    RunLock& operator=(const RunLock&) = delete;

  private:
    struct Held;
    std::unique_ptr<Held> held_;
};

/// Whether a file is a lock, or what a killed training left half-written: nothing that a person would miss.
bool is_remnant_of_run(const std::filesystem::path& file);

/// The content of a file of a run, which is as the run left it (InputError otherwise).
std::string verified_content(const std::filesystem::path& folder, const RunManifest& manifest,
                             const std::string& name);

/// Hands the probabilities of all nodes over, part by part, first node first.
using PartTaker = std::function<void(ConstMatrixView probabilities, Index first)>;
using PredictionSource = std::function<void(const PartTaker& take)>;

/// The same where the probabilities come part by part.
RunManifest finish_run(const std::filesystem::path& folder, RunManifest manifest, const TrainedModel& model,
                       const PredictionSource& predictions, const Split& split, const Dataset& dataset);

/// Adds to a finished run how the baselines did on its split.
void add_baselines(const std::filesystem::path& folder, RunManifest& manifest,
                   std::vector<Baseline> baselines);

/// Original id, predicted class and the probability of each class for every node, and its label and its part
/// of the split where it has them. A prediction that is less sure than `least_confidence` stays blank. The
/// dataset must outlive it.
class PredictionTable {
  public:
    PredictionTable(const Split& split, const Dataset& dataset, const Decision& decision,
                    double least_confidence = 0);

    std::string heading() const;

    /// The lines of nodes whose probabilities these are: row 0 is that of node `first`. Rows before `from`
    /// are left out.
    std::string rows(ConstMatrixView probabilities, Index first, Index from = 0,
                     const ExecutionControl& control = {}) const;

  private:
    const Dataset& dataset_;
    Decision decision_;
    double least_confidence_;
    std::vector<const char*> parts_;    // of the split, per node
    std::vector<std::string> classes_;  // as fields
};

/// One line per epoch; accuracies in percent, and so the values of another criterion where one selects the
/// epoch.
std::string history_csv(const std::vector<EpochRecord>& history);

}  // namespace hwgcn
