#include "hwgcn/choice/choose_method.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hwgcn/base/error.hpp"

#include "choice/choice_reason.hpp"
#include "choice/fold_calibration.hpp"
#include "choice/preference.hpp"
#include "choice/race.hpp"
#include "choice/trials.hpp"
#include "metrics/calibration.hpp"
#include "models/class_weights.hpp"
#include "models/selection.hpp"
#include "training/selection.hpp"

namespace hwgcn {
namespace {

bool is_out(const Contender& one) {
    using Fate = Contender::Fate;
    return one.fate == Fate::diverged || one.fate == Fate::too_large || one.fate == Fate::too_long;
}

// What the limits did to the candidates, a sentence each.
void add_notes_on_limits(const std::vector<Contender>& contenders, const ChoiceLimits& limits,
                         std::vector<std::string>& notes) {
    std::vector<std::string> large, lengthy, shortened;
    double most_memory = 0, most_minutes = 0;
    for (const Contender& one : contenders) {
        const std::string label = method_label(one.settings);
        if (one.fate == Contender::Fate::too_large) {
            large.push_back(label);
            most_memory = std::max(most_memory, one.needed);
        } else if (one.fate == Contender::Fate::too_long) {
            lengthy.push_back(label);
            most_minutes = std::max(most_minutes, one.needed);
        } else if (one.wanted_epochs > 0) {
            shortened.push_back(
                fmt::format("{} {} epochs (of {})", label, one.cost.epochs, one.wanted_epochs));
        }
    }
    if (!shortened.empty()) {
        notes.push_back(fmt::format("within its budget of work, auto gives {}; `budget={}` decides",
                                    fmt::join(shortened, ", "), limits.budget));
    }
    if (!large.empty()) {
        notes.push_back(fmt::format("auto leaves out {}: up to {:.2g} GB of memory; `memory={}` decides",
                                    fmt::join(large, ", "), most_memory, limits.memory));
    }
    if (!lengthy.empty()) {
        notes.push_back(fmt::format("auto leaves out {}: up to {:.0f} min on two cores; `budget={}` decides",
                                    fmt::join(lengthy, ", "), std::ceil(most_minutes), limits.budget));
    }
}

// What is to be said about candidates that are not among those tried. Throws where none is left.
std::vector<std::string> leave_out_the_rest(std::vector<Contender>& contenders, const ChoiceLimits& limits) {
    if (std::ranges::all_of(contenders, is_out)) {
        const auto diverged = std::ranges::find(contenders, Contender::Fate::diverged, &Contender::fate);
        throw Diverged(diverged->failure);
    }
    std::vector<std::string> notes;
    add_notes_on_limits(contenders, limits, notes);
    for (const Contender& one : contenders) {
        notes.insert(notes.end(), one.notes.begin(), one.notes.end());
        if (one.fate == Contender::Fate::diverged) notes.push_back(one.failure + "; auto leaves it out");
    }
    std::erase_if(contenders, is_out);
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

// The best of those that finished; of equals the one with the smallest log loss.
std::size_t best_of(const std::vector<TriedMethod>& tried, Selection selection) {
    const auto rank = [&](const TriedMethod& one) {
        return std::tuple(!one.dropped, criterion_value(selection, one.held_out), -one.held_out.nll);
    };
    return static_cast<std::size_t>(std::ranges::max_element(tried, {}, rank) - tried.begin());
}

double calibrated_nll(const DenseMatrix& probabilities, const std::vector<Index>& labels,
                      const std::vector<Index>& rows, const ExecutionControl& control) {
    DenseMatrix calibrated = probabilities;
    apply_calibration(calibrated, fit_calibration(probabilities, labels, rows, control), control);
    return compute_metrics(calibrated, labels, rows, control).nll;
}

void compare_all(const std::vector<Contender>& contenders, const std::vector<Index>& labels,
                 const std::vector<Index>& rows, const Judge& judge, const ExecutionControl& control,
                 Choice& choice) {
    std::vector<TriedMethod>& tried = choice.tried;
    for (const Contender& one : contenders) {
        TriedMethod& added = tried.emplace_back();
        added.label = method_label(one.settings);
        added.method = one.settings.method();
        added.order = order_of(one.settings);
        added.held_out =
            compute_metrics(one.probabilities, labels, rows, control, {.decision = judge.decision});
        added.calibrated_nll = calibrated_nll(one.probabilities, labels, rows, control);
        added.epochs = method_info(added.method).kind == MethodKind::network ? one.epochs : 0;
        added.dropped = one.fate == Contender::Fate::dropped;
    }
    choice.selection = judge.selection;
    choice.best = best_of(tried, judge.selection);
    const DenseMatrix& best = contenders[choice.best].probabilities;
    for (std::size_t c = 0; c < contenders.size(); ++c) {
        const Difference behind = compare(best, contenders[c].probabilities, labels, judge, control);
        tried[c].behind = behind.mean;
        tried[c].behind_error = behind.error;
    }
}

// Many validation nodes say more about candidates of about the same accuracy than other graphs do: the log
// loss looks at every probability, where accuracy only counts. With many labels, which come with other
// candidates, the order of preference has stood the test.
bool loss_decides(const Candidates& candidates, const Choice& choice, std::size_t held_out) {
    constexpr std::size_t many = 300;
    return !candidates.many_labels && !choice.cross_fitted && choice.selection == Selection::accuracy &&
           held_out >= many;
}

// Of those that are not clearly worse than the best.
std::size_t chosen_of(const Choice& choice) {
    std::optional<std::size_t> chosen;
    for (std::size_t c = 0; c < choice.tried.size(); ++c) {
        const TriedMethod& one = choice.tried[c];
        if (one.dropped || one.behind > choice.equal_within * one.behind_error) continue;
        if (!choice.loss_decides) return c;
        if (!chosen || one.calibrated_nll < choice.tried[*chosen].calibrated_nll) chosen = c;
    }
    return chosen.value_or(choice.best);
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
                           const Split& split, std::uint64_t seed, const ExecutionControl& control,
                           const ChoiceRecord& record) {
    Candidates candidates = candidates_for(graph, automatic, split, control);
    for (const MethodSettings& candidate : candidates.methods)
        check_trainable(graph, candidate, split);
    const std::vector<Trial> trials = plan_trials(graph.dataset, split, seed);
    Choice choice;
    choice.cross_fitted = split.validation.empty();
    if (trials.empty()) return without_comparison(candidates.methods, std::move(choice));

    const std::vector<Index> labels = held_out_labels(graph.dataset, trials);
    const Judge judge{
        resolved_selection(automatic, graph.dataset, split),
        {.class_weights = class_weights_for(graph.label_weights.of_classes, graph.dataset, split)}};
    const ChoiceStore store(record.folder);
    std::vector<Contender> contenders = race({graph, operators, trials, labels, seed, judge, automatic.limits,
                                              candidates.many_labels, store, record.tell},
                                             std::move(candidates.methods), control);
    std::vector<std::string> notes = leave_out_the_rest(contenders, automatic.limits);
    std::vector<Index> rows(labels.size());
    std::iota(rows.begin(), rows.end(), Index{0});
    compare_all(contenders, labels, rows, judge, control, choice);
    // Where neighbors differ, other graphs say less about this one.
    choice.equal_within = candidates.neighbors_differ ? 0.5 : 1.0;
    choice.loss_decides = loss_decides(candidates, choice, labels.size());
    choice.chosen = chosen_of(choice);
    Contender& winner = contenders[choice.chosen];
    choice.calibration = fit_calibration(winner.probabilities, labels, rows, control);
    if (choice.cross_fitted) {
        choice.calibrated = calibrated_by_other_folds(winner.probabilities, labels, first_rows(trials),
                                                      control, judge.decision);
    }
    choice.judged_on =
        choice.cross_fitted
            ? fmt::format("{} training nodes, each held out in one of {} folds", rows.size(), trials.size())
            : fmt::format("{} validation node{}", rows.size(), rows.size() == 1 ? "" : "s");
    choice.reason = choice_reason(choice, graph.features.structural ? "structural features" : "features");
    ChosenMethod result{winner.settings, std::move(choice), {}, std::move(notes)};
    result.groundwork = std::move(winner.groundwork);
    result.held_out = {std::move(winner.probabilities), labels};
    if (!result.choice.cross_fitted) result.model = std::move(winner.model);
    return result;
}

}  // namespace hwgcn
