#include "hwgcn/methods/choose_method.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/metrics/calibration.hpp"
#include "hwgcn/support/error.hpp"

#include "methods/choice_reason.hpp"
#include "methods/fold_calibration.hpp"
#include "methods/trials.hpp"
#include "support/parallel_for.hpp"

namespace hwgcn {
namespace {

constexpr int few_per_class = 10;

// Training for consistency needs some labels, or validation nodes that stop it in time: with fewer than ten
// per class and nothing to stop by, all nodes may come to agree on the same few classes. Then it comes last,
// and HWGCN first, which did best with one to five labels per class. DeepWalk needs some labels, too, and
// goes after LP.
std::vector<MethodSettings> by_preference(std::vector<MethodSettings> candidates, const Dataset& dataset,
                                          const Split& split) {
    const bool few = static_cast<Index>(split.train.size()) < few_per_class * dataset.classes();
    if (!few || !split.validation.empty()) return candidates;
    std::stable_partition(candidates.begin(), candidates.end(), [](const MethodSettings& candidate) {
        return !candidate.reads("scheme") || candidate.fit().scheme != Scheme::consistency;
    });
    const auto walks = std::ranges::find(candidates, "deepwalk", &MethodSettings::method);
    const auto labels =
        std::find_if(walks, candidates.end(), [](const MethodSettings& one) { return one.method() == "lp"; });
    if (labels != candidates.end()) std::rotate(walks, labels, labels + 1);
    return candidates;
}

// What a candidate says of the held-out nodes of all trials, one row each.
struct Outcome {
    DenseMatrix probabilities;
    std::optional<TrainedModel> model;  // of the last trial
    std::shared_ptr<const Groundwork> groundwork = {};
    std::string failure = {};  // why there is none: it diverged
};

// Row numbers: where the held-out nodes of each trial begin.
std::vector<Index> first_rows(const std::vector<Trial>& trials) {
    std::vector<Index> first = {0};
    for (const Trial& trial : trials)
        first.push_back(first.back() + static_cast<Index>(trial.held_out.size()));
    return first;
}

// Before the trials, with all threads: what none of them need do again.
void lay_groundwork_for(const PreparedGraph& graph, const Propagation& propagation,
                        const MethodSettings& settings, std::uint64_t seed, const ExecutionControl& control,
                        Outcome& outcome) {
    try {
        outcome.groundwork = lay_groundwork(graph, propagation, settings, seed, control);
    } catch (const Diverged& failure) {
        outcome.failure = failure.what();
    }
}

std::vector<Outcome> try_all(const PreparedGraph& graph, OperatorPool& operators,
                             const std::vector<MethodSettings>& candidates, const std::vector<Trial>& trials,
                             std::uint64_t seed, const ExecutionControl& control) {
    const std::vector<Index> first = first_rows(trials);
    std::vector<const Propagation*> propagation;
    std::vector<Outcome> outcomes(candidates.size());
    for (std::size_t c = 0; c < candidates.size(); ++c) {
        propagation.push_back(&operators.get(candidates[c], control));
        outcomes[c].probabilities = DenseMatrix(first.back(), graph.dataset.classes());
        lay_groundwork_for(graph, *propagation[c], candidates[c], seed, control, outcomes[c]);
    }
    std::vector<std::string> failures(candidates.size() * trials.size());  // one per task
    const auto tasks = static_cast<std::int64_t>(failures.size());
    const ProgressTask progress(control, "choosing a method", tasks);
    // Several trainings at a time, one thread each; a single one gets them all.
    const ExecutionControl inner{tasks > 1 ? 1 : control.threads, nullptr, control.stop};
    parallel_for(tasks, 1, control, [&](int, std::int64_t task) {
        const std::size_t c = static_cast<std::size_t>(task) / trials.size();
        const std::size_t t = static_cast<std::size_t>(task) % trials.size();
        if (!outcomes[c].failure.empty()) return;
        try {
            TrainedModel model = train(graph, *propagation[c], candidates[c], trials[t].split, seed, inner,
                                       {}, outcomes[c].groundwork.get());
            const DenseMatrix all = predict_nodes(graph, *propagation[c], candidates[c], model, inner);
            for (std::size_t i = 0; i < trials[t].held_out.size(); ++i) {
                const float* from = all.row(trials[t].held_out[i]);
                std::copy_n(from, all.columns(),
                            outcomes[c].probabilities.row(first[t] + static_cast<Index>(i)));
            }
            if (t + 1 == trials.size()) outcomes[c].model = std::move(model);
        } catch (const Diverged& failure) {
            failures[static_cast<std::size_t>(task)] = failure.what();
        }
    });
    for (std::size_t task = failures.size(); task-- > 0;) {  // of several trials, the first one is told
        if (!failures[task].empty()) outcomes[task / trials.size()].failure = std::move(failures[task]);
    }
    return outcomes;
}

// Returns what is to be said about them. Throws where none is left.
std::vector<std::string> leave_out_diverged(std::vector<MethodSettings>& candidates,
                                            std::vector<Outcome>& outcomes) {
    const auto has_diverged = [](const Outcome& outcome) { return !outcome.failure.empty(); };
    if (std::ranges::all_of(outcomes, has_diverged)) throw Diverged(outcomes.front().failure);
    std::vector<std::string> notes;
    for (std::size_t c = candidates.size(); c-- > 0;) {
        if (!has_diverged(outcomes[c])) continue;
        notes.insert(notes.begin(), fmt::format("{}; auto leaves it out", outcomes[c].failure));
        candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(c));
        outcomes.erase(outcomes.begin() + static_cast<std::ptrdiff_t>(c));
    }
    return notes;
}

std::vector<Index> held_out_labels(const Dataset& dataset, const std::vector<Trial>& trials) {
    std::vector<Index> labels;
    for (const Trial& trial : trials) {
        for (const Index node : trial.held_out)
            labels.push_back(dataset.labels[node]);
    }
    return labels;
}

// Mean and standard error of (a is right) - (b is right) over the nodes.
std::pair<double, double> difference(const DenseMatrix& a, const DenseMatrix& b,
                                     const std::vector<Index>& labels, const Decision& decision) {
    double sum = 0, squares = 0;
    for (Index i = 0; i < a.rows(); ++i) {
        const int own = decide(a, i, decision) == labels[i] ? 1 : 0;
        const int other = decide(b, i, decision) == labels[i] ? 1 : 0;
        sum += own - other;
        squares += (own - other) * (own - other);
    }
    const auto n = static_cast<double>(a.rows());
    const double mean = sum / n;
    return {mean, std::sqrt(std::max(0.0, squares / n - mean * mean) / n)};
}

// The most accurate; of those the one with the smallest log loss.
std::size_t best_of(const std::vector<TriedMethod>& tried) {
    const auto best = std::ranges::max_element(tried, {}, [](const TriedMethod& candidate) {
        return std::pair(candidate.held_out.accuracy, -candidate.held_out.nll);
    });
    return static_cast<std::size_t>(best - tried.begin());
}

void compare_all(const std::vector<MethodSettings>& candidates, const std::vector<Outcome>& outcomes,
                 const std::vector<Index>& labels, const std::vector<Index>& rows, const Decision& decision,
                 const ExecutionControl& control, Choice& choice) {
    std::vector<TriedMethod>& tried = choice.tried;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
        tried.push_back({method_label(candidates[c]), candidates[c].method(), order_of(candidates[c]),
                         compute_metrics(outcomes[c].probabilities, labels, rows, control,
                                         {.decision = decision})});
    }
    choice.best = best_of(tried);
    const DenseMatrix& best = outcomes[choice.best].probabilities;
    for (std::size_t c = 0; c < candidates.size(); ++c)
        std::tie(tried[c].behind, tried[c].behind_error) =
            difference(best, outcomes[c].probabilities, labels, decision);
}

// Two labels of some class are needed to compare anything.
ChosenMethod without_comparison(const std::vector<MethodSettings>& candidates, Choice choice) {
    const std::string why = candidates.size() == 1 ? "the data allow nothing else"
                                                   : "it did best on other graphs with so few labels";
    choice.judged_on = "nothing";
    choice.reason = fmt::format(
        "{} was taken without comparison: {}. No class has two training labels, so that none can "
        "be held out to judge by; how well it does here is not known.",
        method_label(candidates.front()), why);
    return {candidates.front(), std::move(choice)};
}

}  // namespace

ChosenMethod choose_method(const PreparedGraph& graph, OperatorPool& operators, const Automatic& automatic,
                           const Split& split, std::uint64_t seed, const ExecutionControl& control) {
    std::vector<MethodSettings> candidates = by_preference(automatic.candidates, graph.dataset, split);
    for (const MethodSettings& candidate : candidates)
        check_trainable(graph, candidate, split);
    const std::vector<Trial> trials = plan_trials(graph.dataset, split, seed);
    Choice choice;
    choice.cross_fitted = split.validation.empty();
    if (trials.empty()) return without_comparison(candidates, std::move(choice));

    std::vector<Outcome> outcomes = try_all(graph, operators, candidates, trials, seed, control);
    std::vector<std::string> notes = leave_out_diverged(candidates, outcomes);
    const std::vector<Index> labels = held_out_labels(graph.dataset, trials);
    std::vector<Index> rows(labels.size());
    std::iota(rows.begin(), rows.end(), Index{0});
    const Decision decision{.class_weights = class_weights_for(graph.class_weights, graph.dataset, split)};
    compare_all(candidates, outcomes, labels, rows, decision, control, choice);
    const auto chosen = std::ranges::find_if(
        choice.tried, [](const TriedMethod& tried) { return tried.behind <= tried.behind_error; });
    choice.chosen = static_cast<std::size_t>(chosen - choice.tried.begin());
    choice.temperature = fit_temperature(outcomes[choice.chosen].probabilities, labels, rows, control);
    if (choice.cross_fitted) {
        choice.calibrated = calibrated_by_other_folds(outcomes[choice.chosen].probabilities, labels,
                                                      first_rows(trials), control, decision);
    }
    choice.judged_on =
        choice.cross_fitted
            ? fmt::format("{} training nodes, each held out in one of {} folds", rows.size(), trials.size())
            : fmt::format("{} validation node{}", rows.size(), rows.size() == 1 ? "" : "s");
    choice.reason = choice_reason(choice, graph.structural ? "structural features" : "features");
    ChosenMethod result{candidates[choice.chosen], std::move(choice), {}, std::move(notes)};
    Outcome& outcome = outcomes[result.choice.chosen];
    result.groundwork = std::move(outcome.groundwork);
    result.held_out = {std::move(outcome.probabilities), labels};
    if (!result.choice.cross_fitted) result.model = std::move(outcome.model);
    return result;
}

}  // namespace hwgcn
