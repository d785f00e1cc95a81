#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "choice/race.hpp"
#include "models/method_table.hpp"
#include "models/network_training.hpp"
#include "operators/propagation.hpp"
#include "training/fit_options.hpp"

namespace hwgcn {

// The rules of a race: rounds, shares of the budget, and the candidates on their way.

// What `budget=1` stands for, in the multiplications of training_cost: at most four minutes on two cores.
inline constexpr double usual_budget = 1.9e12;
// Where the best of the cheap candidates is wrong about this share of the held-out nodes or more, the others
// get the whole budget; where it is wrong about less, so much less: there is less to be gained.
inline constexpr double error_worth_the_budget = 0.05;
// With few labels a choice takes at most so many times as long as the slowest candidate alone, or this share
// of the budget, where that is more.
inline constexpr double times_of_slowest = 1.2;
inline constexpr double share_in_any_case = 0.1;
// No candidate gets more than this share: it is trained for fewer epochs, but not for fewer than these.
inline constexpr double largest_share = 0.4;
inline constexpr int least_epochs = 30;
inline constexpr double share_of_first_round = 0.7;

// A round takes every candidate to a share of its epochs. One is clearly behind, and dropped, where it lacks
// more than the margin and two standard errors of the difference: early on, slow starters get more.
struct Round {
    double share;
    double margin;
};
inline constexpr std::array rounds = {Round{0.2, 0.15}, Round{0.5, 0.02}, Round{1.0, 0.0}};
inline constexpr double errors_behind = 2;

// A candidate of less than this share of the budget is trained at once: there is nothing to be saved.
inline constexpr double cheap_share = 0.03;

/// A candidate on its way.
struct Runner {
    Contender contender;
    std::string key = {};  // of what its results depend on
    const Propagation* propagation = nullptr;
    std::vector<std::unique_ptr<NetworkTraining>> trainings = {};  // one per trial; none of classic methods
    bool goes_first = false;  // a classic method or GCN: an answer within seconds
    bool is_cheap = false;
    bool running = true;
    // Of the round under way: what it has predicted, and the model of the last trial.
    DenseMatrix predicted = {};
    std::optional<TrainedModel> model = {};
    double value = 0;       // what the judge says
    int epochs = 0;         // done, of all trials together
    bool finished = false;  // all of them, or out of patience
    // How it stood after each round: what an earlier race kept, and what is still to be kept.
    std::array<std::optional<RoundResult>, rounds.size()> known = {};
    std::array<std::optional<RoundResult>, rounds.size()> unkept = {};
};

/// Fewer would say nothing about a candidate: consistency is judged when its weight has grown.
inline int fewest_epochs(const FitOptions& fit) {
    return fit.scheme == Scheme::consistency ? fit.consistency_ramp * 3 / 2 : least_epochs;
}

/// What a candidate still gains when its rate falls: it is judged at a high one before.
inline double promise_of(const Runner& runner) {
    constexpr double usual = 0.03;
    if (runner.finished || is_classic(runner.contender.settings)) return 0;
    return runner.contender.settings.fit().rate_decay == RateDecay::none ? 0 : usual;
}

/// Epochs that a candidate has after a round.
inline int epochs_after(const Runner& runner, const Round& round) {
    const MethodSettings& settings = runner.contender.settings;
    const int all = runner.contender.cost.epochs;
    if (is_classic(settings) || runner.is_cheap) return all;
    const FitOptions& fit = settings.fit();
    const int epochs =
        std::min(all, std::max(fewest_epochs(fit), static_cast<int>(std::ceil(round.share * all))));
    // Teachers are compared before any of their students begins.
    return fit.self_training > 0 && round.share < 1 ? std::min(epochs, fit.epochs) : epochs;
}

/// Whether a round takes a candidate no further than the one before.
inline bool adds_nothing(const Runner& runner, std::size_t number) {
    if (runner.finished) return true;
    return number > 0 && epochs_after(runner, rounds[number]) == epochs_after(runner, rounds[number - 1]);
}

inline std::int64_t progress_weight(const Runner& runner) {
    return 1 + static_cast<std::int64_t>(runner.contender.cost.work_per_epoch / 1e6);
}

}  // namespace hwgcn
