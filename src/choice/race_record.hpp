#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "choice/race_rounds.hpp"

namespace hwgcn {

/// What a race keeps of its runners, so that an interrupted choice goes on. Predictions are held in memory
/// until the next time that everything is put down: once every few seconds, and when interrupted. What is
/// kept never changes a result.
class RaceRecord {
  public:
    explicit RaceRecord(const RaceCourse& course);

    /// The name of everything that the predictions of a candidate depend on; `budget` is the work that
    /// decides its epochs in a round. Empty where nothing is kept.
    std::string key_of(const MethodSettings& settings, double budget) const;

    /// Finds the predictions that were kept of a runner. Damaged ones count as missing, with a note.
    void find_known(Runner& runner) const;

    /// The training of a runner in a trial, as far as it had come. It starts anew, with a note, where its
    /// checkpoint is damaged, or is ahead of a round whose predictions are missing: they could not be made
    /// again.
    std::unique_ptr<NetworkTraining> training(Runner& runner, std::size_t trial) const;

    /// Puts down all predictions and trainings that are new.
    void keep(std::vector<Runner>& runners);

    /// The same, unless it has just been done.
    void keep_if_due(std::vector<Runner>& runners);

  private:
    using Clock = std::chrono::steady_clock;

    const RaceCourse& course_;
    std::string data_;  // a hash of the dataset
    Clock::time_point last_ = Clock::now();
};

}  // namespace hwgcn
