#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "choice/deadline.hpp"
#include "choice/race_record.hpp"
#include "choice/race_rounds.hpp"

namespace hwgcn {

/// A race under way: race.cpp trains, race_limits.cpp says who goes on.
class Race {
  public:
    Race(const RaceCourse& course, std::vector<MethodSettings> candidates, const ExecutionControl& control);
    std::vector<Contender> run();

  private:
    void run_first_ones();
    void enter_others();
    void run_rounds();
    void end_with_best_so_far();
    bool stands_by_itself(const Runner& runner) const;
    double trials() const { return static_cast<double>(course_.trials.size()); }
    double work_of(const Runner& runner) const {
        const TrainingCost& cost = runner.contender.cost;
        return cost.preparation + trials() * cost.epochs * cost.work_per_epoch;
    }
    double work_to(const Runner& runner, int epochs) const {
        return runner.contender.cost.work_per_epoch * std::max(0.0, trials() * epochs - runner.epochs);
    }
    bool goes_first(const Contender& contender) const;
    void limit_epochs(Contender& contender) const;
    void enter(Runner& runner);
    std::vector<Runner*> by_cost();
    void leave_out(Runner& runner, Contender::Fate fate, double needed);
    void leave_out_what_is_too_large();
    void leave_out_what_is_too_long();
    double share_to_gain();
    void limit_budget_by_gain();
    void limit_rest_by_gain();
    void limit_budget_by_slowest();
    void tell_best_so_far() const;
    void tell_plan() const;
    void prepare(Runner& runner);
    void run_round(std::size_t number);
    void train(Runner& runner, std::size_t trial, std::size_t round, const ExecutionControl& control);
    RoundResult result_of(const Runner& runner) const;
    void finish_round(Runner& runner, std::size_t number);
    void drop_those_behind(std::size_t number);
    void spend();
    void drop(Runner& runner, std::string why);
    void fail(Runner& runner, std::string why);
    std::string words_of(const Runner& runner) const;
    void tell(const std::string& line) const {
        if (course_.tell) course_.tell(line);
    }
    std::vector<Runner*> running();

    using Clock = std::chrono::steady_clock;

    const RaceCourse& course_;
    Deadline deadline_;
    ExecutionControl control_;
    Clock::time_point started_ = Clock::now();  // for messages alone
    std::vector<Runner> runners_;
    RaceRecord record_;
    std::vector<Index> first_rows_;
    double budget_;
    double whole_budget_;  // before it is known what there is to be gained
    double spent_ = 0;
};

}  // namespace hwgcn
