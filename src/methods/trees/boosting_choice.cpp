#include "methods/trees/boosting_choice.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/parallel_for.hpp"
#include "base/stopping.hpp"
#include "methods/linear/strength_choice.hpp"

namespace hwgcn {
namespace {

using Rows = std::vector<std::uint32_t>;

constexpr std::uint32_t enough_judges = 100;
constexpr std::uint32_t most_for_all_folds = 5000;
constexpr std::uint32_t folds = 5;

// Where nothing can be held out: cautious trees.
constexpr int rounds_without_judges = 20;
constexpr int leaves_without_judges = 4;

struct Part {
    Rows learned, judged;
};

struct Plan {
    std::vector<Part> parts;
    std::uint32_t folds = 0;  // the first of them
    bool has_validation = false;
};

Rows rows_between(std::uint32_t begin, std::uint32_t end) {
    Rows rows(end - begin);
    std::iota(rows.begin(), rows.end(), begin);
    return rows;
}

// Without rows of classes that are not learned.
void add_part(const LabelledTable& data, Rows learned, Rows judged, std::vector<Part>& parts) {
    std::vector<char> is_learned(static_cast<std::size_t>(data.classes), 0);
    for (const std::uint32_t row : learned)
        is_learned[data.labels[row]] = 1;
    std::erase_if(judged, [&](std::uint32_t row) { return is_learned[data.labels[row]] == 0; });
    if (!judged.empty() && !learned.empty()) parts.push_back({std::move(learned), std::move(judged)});
}

// The rows of each class go round the folds.
void add_folds(const LabelledTable& data, std::uint32_t learned, std::vector<Part>& parts) {
    if (learned < 4) return;
    Rows order = rows_between(0, learned);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t row) { return data.labels[row]; });
    const std::uint32_t rounds = std::min(folds, learned / 2);
    for (std::uint32_t fold = 0; fold < (learned > most_for_all_folds ? 1 : rounds); ++fold) {
        Part part;
        for (std::uint32_t k = 0; k < learned; ++k)
            (k % rounds == fold ? part.judged : part.learned).push_back(order[k]);
        std::ranges::sort(part.learned);
        std::ranges::sort(part.judged);
        add_part(data, std::move(part.learned), std::move(part.judged), parts);
    }
}

Plan plan_of(const LabelledTable& data, std::uint32_t learned) {
    Plan plan;
    const auto rows = static_cast<std::uint32_t>(data.table.rows());
    if (rows - learned < enough_judges) add_folds(data, learned, plan.parts);
    plan.folds = static_cast<std::uint32_t>(plan.parts.size());
    add_part(data, rows_between(0, learned), rows_between(learned, rows), plan.parts);
    plan.has_validation = plan.parts.size() > plan.folds;
    return plan;
}

std::string judges_of(const Plan& plan) {
    std::string text = plan.folds == 0   ? ""
                       : plan.folds == 1 ? "a fifth of the labels"
                                         : fmt::format("{} folds", plan.folds);
    if (!plan.has_validation) return text;
    return text + (text.empty() ? "" : " and ") +
           fmt::format("{} validation nodes", plan.parts.back().judged.size());
}

// What all parts together say of so many rounds.
struct Judged {
    int rounds = 0;
    double loss = std::numeric_limits<double>::infinity();
    std::vector<double> losses = {};
};

std::vector<double> losses_of(const std::vector<Boosting>& trials) {
    std::vector<double> losses;
    for (const Boosting& trial : trials) {
        const std::vector<double> more = trial.losses();
        losses.insert(losses.end(), more.begin(), more.end());
    }
    return losses;
}

std::vector<Boosting> trials_of(const LabelledTable& data, const Plan& plan, const BoostingOptions& options) {
    std::vector<Boosting> trials;
    for (const Part& part : plan.parts)
        trials.emplace_back(data, part.learned, part.judged, options);
    return trials;
}

// Several trials go side by side, one alone takes all threads.
void advance_all(std::vector<Boosting>& trials, const ExecutionControl& control) {
    if (trials.size() == 1) return trials.front().advance(control);
    parallel_for(static_cast<std::int64_t>(trials.size()), 1, {control.threads, nullptr, control.stop},
                 [&](int, std::int64_t k) {
                     trials[static_cast<std::size_t>(k)].advance({1, nullptr, control.stop});
                 });
}

// At least one round: the classes' shares alone tell no node from another.
Judged best_rounds(std::vector<Boosting>& trials, const BoostingChoiceOptions& choice,
                   const ExecutionControl& control) {
    const ProgressTask task(control, "trees", choice.rounds);
    Judged best;
    for (int round = 1; round <= choice.rounds && round - best.rounds <= choice.patience; ++round) {
        advance_all(trials, control);
        if (control.progress != nullptr) control.progress->advance(1);
        std::vector<double> losses = losses_of(trials);
        const double loss = std::accumulate(losses.begin(), losses.end(), 0.0);
        if (loss < best.loss) best = {round, loss, std::move(losses)};
    }
    return best;
}

Forest trained(const LabelledTable& data, std::uint32_t learned, int rounds, const BoostingOptions& options,
               const ExecutionControl& control) {
    const ProgressTask task(control, "trees", rounds);
    Boosting boosting(data, rows_between(0, learned), {}, options);
    for (int round = 0; round < rounds; ++round) {
        throw_if_stopped(control);
        boosting.advance(control);
        if (control.progress != nullptr) control.progress->advance(1);
    }
    return boosting.forest(rounds);
}

}  // namespace

ChosenForest choose_forest(const LabelledTable& data, std::uint32_t learned, const BoostingOptions& options,
                           const BoostingChoiceOptions& choice, const ExecutionControl& control) {
    const Plan plan = plan_of(data, learned);
    BoostingOptions sized = options;
    if (plan.parts.empty()) {
        sized.tree.leaves = std::min(leaves_without_judges, choice.leaves.front());
        const int rounds = std::min(rounds_without_judges, choice.rounds);
        return {trained(data, learned, rounds, sized, control), sized.tree.leaves};
    }
    ChosenForest chosen{{}, 0, judges_of(plan)};
    Judged best;
    for (const int leaves : choice.leaves) {
        sized.tree.leaves = leaves;
        std::vector<Boosting> trials = trials_of(data, plan, sized);
        const std::vector<double> alone = losses_of(trials);
        Judged judged = best_rounds(trials, choice, control);
        if (!(judged.loss < best.loss)) continue;
        chosen.leaves = leaves;
        chosen.is_better = clearly_lower(judged.losses, alone);
        chosen.forest = plan.has_validation ? trials.back().forest(judged.rounds) : Forest{};
        best = std::move(judged);
    }
    if (plan.has_validation) return chosen;
    sized.tree.leaves = chosen.leaves;
    chosen.forest = trained(data, learned, best.rounds, sized, control);
    return chosen;
}

double choice_work(double learned, double judges, double columns, double classes,
                   const BoostingOptions& options, const BoostingChoiceOptions& choice) {
    double work = 0;
    BoostingOptions sized = options;
    for (const int leaves : choice.leaves) {
        sized.tree.leaves = leaves;
        const double whole = boosting_work(learned, columns, choice.rounds, classes, sized);
        // Every fold learns from the others; where no validation node is there, all of them come once more.
        const double of_folds = learned > most_for_all_folds ? 1 - 1.0 / folds : folds - 1.0;
        work += whole * (judges >= enough_judges ? 1 : 1 + of_folds);
    }
    return work;
}

}  // namespace hwgcn
