#include "hwgcn/evaluation/choose_method.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "hwgcn/evaluation/calibration.hpp"

#include "evaluation/choice_reason.hpp"
#include "support/parallel_for.hpp"
#include "support/random_stream.hpp"

namespace hwgcn {
namespace {

constexpr int most_folds = 5;
constexpr int few_per_class = 10;

// Training for consistency needs some labels, or validation nodes that stop it in time: with fewer than ten
// per class and nothing to stop by, all nodes may come to agree on the same few classes. Then it comes last,
// and HWGCN first, which did best with one to five labels per class.
std::vector<MethodSettings> by_preference(std::vector<MethodSettings> candidates, const Dataset& dataset,
                                          const Split& split) {
    const bool few = static_cast<Index>(split.train.size()) < few_per_class * dataset.classes();
    if (!few || !split.validation.empty()) return candidates;
    std::ranges::stable_partition(candidates, [](const MethodSettings& candidate) {
        return candidate.fit.scheme != Scheme::consistency;
    });
    return candidates;
}

// One training of every candidate, and the nodes that it is judged by.
struct Trial {
    Split split;  // without test nodes: nothing here can look at them
    std::vector<Index> held_out;
};

std::vector<std::vector<Index>> by_class(const Dataset& dataset, const std::vector<Index>& nodes) {
    std::vector<std::vector<Index>> members(static_cast<std::size_t>(dataset.classes()));
    for (const Index node : nodes)
        members[dataset.labels[node]].push_back(node);
    return members;
}

// Deals the training nodes into folds, the classes evenly. The only node of a class is never held out: what
// nobody has learned nobody can predict. Empty where no class has two.
std::vector<Trial> deal_folds(const Dataset& dataset, const Split& split, std::uint64_t seed) {
    std::vector<std::vector<Index>> members = by_class(dataset, split.train);
    std::erase_if(members, [](const auto& nodes) { return nodes.size() < 2; });
    if (members.empty()) return {};
    std::size_t largest = 0;
    for (const auto& nodes : members)
        largest = std::max(largest, nodes.size());
    std::vector<Trial> trials(std::min<std::size_t>(most_folds, largest));
    std::size_t next = 0;
    for (std::size_t c = 0; c < members.size(); ++c) {
        RandomStream(seed, 0xF01D00000000ULL + c).shuffle(std::span(members[c]));
        for (const Index node : members[c])
            trials[next++ % trials.size()].held_out.push_back(node);
    }
    for (Trial& trial : trials) {
        std::ranges::sort(trial.held_out);
        trial.split.name = split.name;
        std::ranges::set_difference(split.train, trial.held_out, std::back_inserter(trial.split.train));
    }
    std::erase_if(trials, [](const Trial& trial) { return trial.held_out.empty(); });
    return trials;
}

std::vector<Trial> plan(const Dataset& dataset, Split split, std::uint64_t seed) {
    std::ranges::sort(split.train);
    if (split.validation.empty()) return deal_folds(dataset, split, seed);
    return {{{split.name, split.train, split.validation, {}}, split.validation}};
}

// What a candidate says of the held-out nodes of all trials, one row each.
struct Outcome {
    DenseMatrix probabilities;
    std::optional<TrainedModel> model;  // of the last trial
};

// Row numbers: where the held-out nodes of each trial begin.
std::vector<Index> first_rows(const std::vector<Trial>& trials) {
    std::vector<Index> first = {0};
    for (const Trial& trial : trials)
        first.push_back(first.back() + static_cast<Index>(trial.held_out.size()));
    return first;
}

std::vector<Outcome> try_all(const PreparedGraph& graph, OperatorPool& operators,
                             const std::vector<MethodSettings>& candidates, const std::vector<Trial>& trials,
                             std::uint64_t seed, const RunControl& control) {
    const std::vector<Index> first = first_rows(trials);
    std::vector<const Propagation*> propagation;
    std::vector<Outcome> outcomes(candidates.size());
    for (std::size_t c = 0; c < candidates.size(); ++c) {
        propagation.push_back(&operators.get(candidates[c], control));
        outcomes[c].probabilities = DenseMatrix(first.back(), graph.dataset.classes());
    }
    const auto tasks = static_cast<std::int64_t>(candidates.size() * trials.size());
    const ProgressTask progress(control, "choosing a method", tasks);
    // Several trainings at a time, one thread each; a single one gets them all.
    const RunControl inner{tasks > 1 ? 1 : control.threads, nullptr, control.stop};
    parallel_for(tasks, 1, control, [&](int, std::int64_t task) {
        const std::size_t c = static_cast<std::size_t>(task) / trials.size();
        const std::size_t t = static_cast<std::size_t>(task) % trials.size();
        TrainedModel model = train(graph, *propagation[c], candidates[c], trials[t].split, seed, inner);
        const DenseMatrix all = predict_nodes(graph, *propagation[c], candidates[c], model.parameters, inner);
        for (std::size_t i = 0; i < trials[t].held_out.size(); ++i) {
            const float* from = all.row(trials[t].held_out[i]);
            std::copy_n(from, all.columns(), outcomes[c].probabilities.row(first[t] + static_cast<Index>(i)));
        }
        if (t + 1 == trials.size()) outcomes[c].model = std::move(model);
    });
    return outcomes;
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
                                     const std::vector<Index>& labels) {
    double sum = 0, squares = 0;
    for (Index i = 0; i < a.rows(); ++i) {
        const int own = largest_column(a, i) == labels[i] ? 1 : 0;
        const int other = largest_column(b, i) == labels[i] ? 1 : 0;
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

std::vector<TriedMethod> judge_all(const std::vector<MethodSettings>& candidates,
                                   const std::vector<Outcome>& outcomes, const std::vector<Index>& labels,
                                   const std::vector<Index>& rows) {
    std::vector<TriedMethod> tried;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
        tried.push_back({method_label(candidates[c]), candidates[c].method, order_of(candidates[c]),
                         judge(outcomes[c].probabilities, labels, rows)});
    }
    const DenseMatrix& best = outcomes[best_of(tried)].probabilities;
    for (std::size_t c = 0; c < candidates.size(); ++c)
        std::tie(tried[c].behind, tried[c].behind_error) =
            difference(best, outcomes[c].probabilities, labels);
    return tried;
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

ChosenMethod choose_method(const PreparedGraph& graph, OperatorPool& operators,
                           const MethodSettings& automatic, const Split& split, std::uint64_t seed,
                           const RunControl& control) {
    const std::vector<MethodSettings> candidates = by_preference(automatic.candidates, graph.dataset, split);
    for (const MethodSettings& candidate : candidates)
        check_trainable(graph, candidate, split);
    const std::vector<Trial> trials = plan(graph.dataset, split, seed);
    Choice choice;
    choice.cross_fitted = split.validation.empty();
    if (trials.empty()) return without_comparison(candidates, std::move(choice));

    std::vector<Outcome> outcomes = try_all(graph, operators, candidates, trials, seed, control);
    const std::vector<Index> labels = held_out_labels(graph.dataset, trials);
    std::vector<Index> rows(labels.size());
    std::iota(rows.begin(), rows.end(), Index{0});
    choice.tried = judge_all(candidates, outcomes, labels, rows);
    const auto chosen = std::ranges::find_if(
        choice.tried, [](const TriedMethod& tried) { return tried.behind <= tried.behind_error; });
    choice.chosen = static_cast<std::size_t>(chosen - choice.tried.begin());
    choice.temperature = fit_temperature(outcomes[choice.chosen].probabilities, labels, rows);
    choice.judged_on = choice.cross_fitted
                           ? fmt::format("{} training nodes, each held out in one of {} folds",
                                         first_rows(trials).back(), trials.size())
                           : fmt::format("{} validation nodes", first_rows(trials).back());
    choice.reason = choice_reason(choice);
    ChosenMethod result{candidates[choice.chosen], std::move(choice)};
    if (!result.choice.cross_fitted) result.model = std::move(outcomes[result.choice.chosen].model);
    return result;
}

}  // namespace hwgcn
