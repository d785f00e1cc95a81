#include "choice/race_record.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/hash.hpp"

namespace hwgcn {
namespace {

constexpr std::chrono::seconds pause_between_keeping(5);

std::string name_of(const Runner& runner, std::size_t round) {
    return fmt::format("{}-{}", runner.key, round + 1);
}

// Whether a training is past the end of a round of which nothing is known.
bool is_ahead(const Runner& runner, const NetworkTraining& training) {
    for (std::size_t number = 0; number < rounds.size(); ++number) {
        if (adds_nothing(runner, number) || runner.known[number]) continue;
        if (training.epochs() > epochs_after(runner, rounds[number])) return true;
    }
    return false;
}

}  // namespace

RaceRecord::RaceRecord(const RaceCourse& course)
    : course_(course), data_(course.store.keeps() ? dataset_hash(course.graph) : "") {}

std::string RaceRecord::key_of(const MethodSettings& settings, double budget) const {
    if (!course_.store.keeps()) return "";
    Sha256 hash;
    hash.text(data_).text(settings_hash(settings)).value(course_.seed).value(budget);
    hash.text(course_.graph.label_weights.of_classes.text()).array(course_.graph.label_weights.of_nodes);
    for (const Trial& trial : course_.trials) {
        hash.array(trial.split.train).array(trial.split.validation).array(trial.held_out);
    }
    return hash.hex().substr(0, 20);
}

void RaceRecord::find_known(Runner& runner) const {
    const DenseMatrix& like = runner.contender.probabilities;
    for (std::size_t number = 0; number < rounds.size(); ++number) {
        runner.known[number] =
            course_.store.find(name_of(runner, number), like.rows(), like.columns(), runner.contender.notes);
    }
}

std::unique_ptr<NetworkTraining> RaceRecord::training(Runner& runner, std::size_t trial) const {
    Contender& contender = runner.contender;
    Checkpoints checkpoints;
    checkpoints.of = fmt::format("{}-training-{}", runner.key, trial + 1);
    checkpoints.file = course_.store.checkpoint(checkpoints.of);
    checkpoints.resume = course_.store.keeps();
    const auto start = [&] {
        return std::make_unique<NetworkTraining>(course_.graph, *runner.propagation, contender.settings,
                                                 course_.trials[trial].split, course_.seed, checkpoints,
                                                 contender.notes);
    };
    std::unique_ptr<NetworkTraining> training = start();
    if (!is_ahead(runner, *training)) return training;
    contender.notes.push_back(fmt::format(
        "{}: is ahead of the predictions that were kept; training started anew", checkpoints.file.string()));
    checkpoints.resume = false;
    return start();
}

// Predictions first: a training that is put down may be ahead of them when it goes on.
void RaceRecord::keep(std::vector<Runner>& runners) {
    if (!course_.store.keeps()) return;
    for (Runner& runner : runners) {
        for (std::size_t number = 0; number < rounds.size(); ++number) {
            if (!runner.unkept[number]) continue;
            course_.store.keep(name_of(runner, number), *runner.unkept[number]);
            runner.unkept[number].reset();
        }
    }
    for (const Runner& runner : runners) {
        for (const auto& training : runner.trainings) {
            if (training->epochs() > 0) training->put_down();
        }
    }
    last_ = Clock::now();
}

void RaceRecord::keep_if_due(std::vector<Runner>& runners) {
    if (Clock::now() - last_ >= pause_between_keeping) keep(runners);
}

}  // namespace hwgcn
