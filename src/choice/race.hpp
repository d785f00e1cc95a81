#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hwgcn/choice/choose_method.hpp"

#include "choice/choice_store.hpp"
#include "choice/comparison.hpp"
#include "choice/training_cost.hpp"
#include "choice/trials.hpp"

namespace hwgcn {

/// A candidate at the end of a race.
struct Contender {
    enum class Fate {
        finished,  ///< trained to the end
        dropped,   ///< clearly behind, or the budget was for better ones
        diverged,
        too_large,      ///< not tried: more memory than allowed
        too_long,       ///< not tried: more work than allowed
        beyond_effort,  ///< not tried: only the cheap ones were asked for
        not_reached,    ///< not tried: the choice was stopped before
    };

    MethodSettings settings;
    TrainingCost cost = {};
    Fate fate = Fate::finished;
    int epochs = 0;            ///< that it was given
    std::string failure = {};  ///< why it diverged
    double needed = 0;         ///< GB where it is too large, minutes on two cores where it is too long
    std::vector<std::string> notes = {};     ///< on what was kept of it and is damaged
    int wanted_epochs = 0;                   ///< where the budget made them fewer
    bool lacked_budget = false;              ///< with more work allowed, it would have got further
    DenseMatrix probabilities;               ///< of the held-out nodes of all trials, by the best epoch
    std::optional<TrainedModel> model = {};  ///< of the last trial, where it finished
    std::shared_ptr<const Groundwork> groundwork = {};
};

/// What a race is about.
struct RaceCourse {
    const PreparedGraph& graph;
    OperatorPool& operators;
    const std::vector<Trial>& trials;
    const std::vector<Index>& labels;  ///< of the held-out nodes of all trials
    std::uint64_t seed = 0;
    Judge judge = {};
    ChoiceLimits limits = {};
    bool many_labels = false;  ///< they are worth more work
    const ChoiceStore& store;
    std::function<void(const std::string& line)> tell = {};  ///< how it goes, a line per candidate
    /// Asked when it was stopped, see ChoiceRecord.
    std::function<bool()> takes_best_so_far = {};
};

/// Trains candidates side by side: first those that are cheap, to their end, then the others within a budget
/// that depends on how much the best cheap one leaves to be gained, in three rounds of growing shares of
/// their epochs. After a round, those that are clearly behind the best one are dropped, and the others go on
/// as far as the budget of work goes, best ones first; a candidate that would take too much of it has fewer
/// epochs. Consistency training is not judged before its weight has grown. What does not fit into the memory,
/// or the first round into half of the budget (cheapest first), is left out. All of it is counted, not timed,
/// and the same data have the same outcome on every machine and at any number of threads, unless it is
/// stopped and ends with the best so far.
std::vector<Contender> race(const RaceCourse& course, std::vector<MethodSettings> candidates,
                            const ExecutionControl& control);

/// Row numbers: where the held-out nodes of each trial begin.
std::vector<Index> first_rows(const std::vector<Trial>& trials);

}  // namespace hwgcn
