#include "choice/race.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/base/error.hpp"

#include "base/parallel_for.hpp"
#include "choice/race_run.hpp"
#include "choice/weighed_progress.hpp"
#include "training/fit_options.hpp"
#include "training/selection.hpp"

namespace hwgcn {
namespace {

// A training of more bytes than this share of the limit has all threads for itself.
constexpr double large_share = 0.05;

}  // namespace

Race::Race(const RaceCourse& course, std::vector<MethodSettings> candidates, const ExecutionControl& control)
    : course_(course),
      deadline_(course.limits.stop_after, control.stop),
      control_{control.threads, control.progress, deadline_.stop()},
      record_(course),
      first_rows_(first_rows(course.trials)),
      budget_(course.limits.budget * usual_budget),
      whole_budget_(budget_) {
    for (MethodSettings& settings : candidates) {
        Runner runner{.contender = {.settings = std::move(settings), .probabilities = {}}};
        Contender& contender = runner.contender;
        contender.cost = training_cost(course.graph, contender.settings, course.trials.front().split);
        contender.probabilities = DenseMatrix(first_rows_.back(), course.graph.dataset.classes());
        runner.goes_first = goes_first(contender);
        runners_.push_back(std::move(runner));
    }
}

std::vector<Runner*> Race::running() {
    std::vector<Runner*> result;
    for (Runner& runner : runners_) {
        if (runner.running) result.push_back(&runner);
    }
    return result;
}

void Race::fail(Runner& runner, std::string why) {
    runner.running = false;
    runner.trainings.clear();
    runner.contender.fate = Contender::Fate::diverged;
    runner.contender.failure = std::move(why);
}

// Before the trials, with all threads: what none of them need do again.
void Race::prepare(Runner& runner) {
    Contender& contender = runner.contender;
    record_.find_known(runner);
    runner.propagation = &course_.operators.get(contender.settings, control_);
    if (is_classic(contender.settings)) {
        if (runner.known.front()) return;  // only if it is chosen, it is laid again
        try {
            contender.groundwork = lay_groundwork(course_.graph, *runner.propagation, contender.settings,
                                                  course_.seed, control_);
        } catch (const Diverged& failure) {
            fail(runner, failure.what());
        }
        return;
    }
    for (std::size_t t = 0; t < course_.trials.size(); ++t)
        runner.trainings.push_back(record_.training(runner, t));
}

// One trial of a candidate, up to the end of a round, and its predictions for the held-out nodes.
void Race::train(Runner& runner, std::size_t trial, std::size_t round, const ExecutionControl& control) {
    Contender& contender = runner.contender;
    const Trial& one = course_.trials[trial];
    TrainedModel model;
    if (runner.trainings.empty()) {
        model = hwgcn::train(course_.graph, *runner.propagation, contender.settings, one.split, course_.seed,
                             control, {}, contender.groundwork.get());
    } else {
        NetworkTraining& training = *runner.trainings[trial];
        try {
            training.advance_to(epochs_after(runner, rounds[round]), control);
        } catch (const Diverged& failure) {
            throw Diverged(fmt::format("{}: {}", method_label(contender.settings), failure.what()));
        }
        model = training.model();
    }
    const ExecutionControl silent{control.threads, nullptr, control.stop};
    const DenseMatrix all =
        predict_nodes(course_.graph, *runner.propagation, contender.settings, model, silent);
    for (std::size_t i = 0; i < one.held_out.size(); ++i) {
        std::copy_n(all.row(one.held_out[i]), all.columns(),
                    runner.predicted.row(first_rows_[trial] + static_cast<Index>(i)));
    }
    if (trial + 1 == course_.trials.size()) runner.model = std::move(model);
}

// Small trainings share the threads, one each; a large one has them all.
void Race::run_round(std::size_t number) {
    struct Task {
        Runner* runner;
        std::size_t trial;
    };
    std::vector<Task> small, large;
    std::int64_t units = 0;
    for (Runner* runner : running()) {
        if (adds_nothing(*runner, number)) continue;
        Contender& contender = runner->contender;
        const std::optional<RoundResult>& known = runner->known[number];
        // A network that has run to the end is looked at once more, for its model.
        if (known && (is_classic(contender.settings) || !known->finished)) {
            continue;
        }
        runner->predicted = contender.probabilities;
        const bool is_large = contender.cost.bytes > large_share * course_.limits.memory * 1e9;
        for (std::size_t t = 0; t < course_.trials.size(); ++t)
            (is_large ? large : small).push_back({runner, t});
        const int before = number == 0 ? 0 : epochs_after(*runner, rounds[number - 1]);
        units += progress_weight(*runner) * static_cast<std::int64_t>(course_.trials.size()) *
                 (epochs_after(*runner, rounds[number]) - before);
    }
    const ProgressTask progress(
        control_, fmt::format("choosing a method, round {} of {}", number + 1, rounds.size()), units);
    std::vector<std::string> failures(small.size() + large.size());
    const auto train_task = [&](const Task& task, int threads, std::string& failure) {
        WeighedProgress sink(control_.progress, progress_weight(*task.runner));
        try {
            train(*task.runner, task.trial, number, {threads, &sink, control_.stop});
        } catch (const Diverged& diverged) {
            failure = diverged.what();
        }
    };
    const ExecutionControl silent{control_.threads, nullptr, control_.stop};
    const int threads = small.size() > 1 ? 1 : control_.threads;
    parallel_for(static_cast<std::int64_t>(small.size()), 1, silent, [&](int, std::int64_t k) {
        train_task(small[static_cast<std::size_t>(k)], threads, failures[static_cast<std::size_t>(k)]);
    });
    for (std::size_t k = 0; k < large.size(); ++k)
        train_task(large[k], control_.threads, failures[small.size() + k]);
    for (std::size_t k = 0; k < failures.size(); ++k) {  // of several trials, the first one is told
        Runner& runner = *(k < small.size() ? small[k] : large[k - small.size()]).runner;
        if (!failures[k].empty() && runner.running) fail(runner, failures[k]);
    }
    for (Runner* runner : running())
        finish_round(*runner, number);
}

RoundResult Race::result_of(const Runner& runner) const {
    RoundResult result{runner.predicted, static_cast<int>(course_.trials.size()), true};
    if (runner.trainings.empty()) return result;  // once per trial
    result.epochs = 0;
    for (const auto& training : runner.trainings) {
        result.epochs += training->epochs();
        result.finished = result.finished && training->finished();
    }
    return result;
}

void Race::finish_round(Runner& runner, std::size_t number) {
    if (adds_nothing(runner, number)) return;
    Contender& contender = runner.contender;
    const RoundResult result = runner.known[number] ? *runner.known[number] : result_of(runner);
    contender.probabilities = result.predictions;
    if (runner.model) contender.model = std::exchange(runner.model, std::nullopt);
    if (course_.store.keeps() && !runner.known[number]) runner.unkept[number] = result;
    if (runner.epochs == 0) spent_ += contender.cost.preparation;
    spent_ += contender.cost.work_per_epoch * (result.epochs - runner.epochs);
    runner.epochs = result.epochs;
    runner.finished = result.finished;
    const auto trials = static_cast<int>(course_.trials.size());
    contender.epochs = (runner.epochs + trials - 1) / trials;
    std::vector<Index> rows(course_.labels.size());
    std::iota(rows.begin(), rows.end(), Index{0});
    runner.value = judged_value(contender.probabilities, course_.labels, rows, course_.judge, control_);
}

void Race::run_rounds() {
    for (std::size_t number = 0; number < rounds.size(); ++number) {
        run_round(number);
        record_.keep_if_due(runners_);
        if (number + 1 == rounds.size()) break;
        drop_those_behind(number);
        limit_rest_by_gain();
        spend();
    }
}

// The answer within seconds: those that go first, all of them to their end.
void Race::run_first_ones() {
    std::vector<Runner*> others;
    for (Runner* runner : running()) {
        if (runner->goes_first) {
            enter(*runner);
            prepare(*runner);
        } else {
            runner->running = false;
            others.push_back(runner);
        }
    }
    run_round(0);
    const std::vector<Runner*> first = running();
    for (const Runner* runner : first)
        tell(words_of(*runner));
    if (!others.empty()) tell_best_so_far();
    for (Runner* runner : others) {
        runner->running = course_.limits.effort != Effort::quick || first.empty();
        if (!runner->running) runner->contender.fate = Contender::Fate::beyond_effort;
    }
}

std::vector<Contender> Race::run() {
    leave_out_what_is_too_large();
    tell_plan();
    try {
        run_first_ones();
        enter_others();
        run_rounds();
    } catch (const Interrupted&) {
        record_.keep(runners_);
        const bool is_late = deadline_.lift();
        control_.stop = deadline_.stop();
        if (!is_late && !(course_.takes_best_so_far && course_.takes_best_so_far())) throw;
        end_with_best_so_far();
    }
    for (const Runner* runner : running()) {
        if (!runner->goes_first) tell(words_of(*runner));
    }
    std::vector<Contender> result;
    for (Runner& runner : runners_) {
        if (!runner.running) runner.contender.model.reset();
        result.push_back(std::move(runner.contender));
    }
    return result;
}

std::vector<Index> first_rows(const std::vector<Trial>& trials) {
    std::vector<Index> first = {0};
    for (const Trial& trial : trials)
        first.push_back(first.back() + static_cast<Index>(trial.held_out.size()));
    return first;
}

std::vector<Contender> race(const RaceCourse& course, std::vector<MethodSettings> candidates,
                            const ExecutionControl& control) {
    return Race(course, std::move(candidates), control).run();
}

}  // namespace hwgcn
