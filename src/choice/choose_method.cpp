#include "hwgcn/choice/choose_method.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hwgcn/base/error.hpp"

#include "choice/average.hpp"
#include "choice/choice_reason.hpp"
#include "choice/expected_accuracy.hpp"
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
    return one.fate == Fate::diverged || one.fate == Fate::too_large || one.fate == Fate::too_long ||
           one.fate == Fate::beyond_effort || one.fate == Fate::not_reached;
}

// What the limits did to the candidates, a sentence each.
void add_notes_on_limits(const std::vector<Contender>& contenders, const ChoiceLimits& limits,
                         std::vector<std::string>& notes) {
    std::vector<std::string> large, lengthy, shortened, beyond, late;
    double most_memory = 0, most_minutes = 0;
    for (const Contender& one : contenders) {
        const std::string label = method_label(one.settings);
        if (one.fate == Contender::Fate::too_large) {
            large.push_back(label);
            most_memory = std::max(most_memory, one.needed);
        } else if (one.fate == Contender::Fate::too_long) {
            lengthy.push_back(label);
            most_minutes = std::max(most_minutes, one.needed);
        } else if (one.fate == Contender::Fate::beyond_effort) {
            beyond.push_back(label);
        } else if (one.fate == Contender::Fate::not_reached) {
            late.push_back(label);
        } else if (one.wanted_epochs > 0) {
            shortened.push_back(
                fmt::format("{} {} epochs (of {})", label, one.cost.epochs, one.wanted_epochs));
        }
    }
    if (!shortened.empty()) {
        notes.push_back(
            late.empty()
                ? fmt::format("within its budget of work, auto gives {}; `budget={}` decides",
                              fmt::join(shortened, ", "), limits.budget)
                : fmt::format("when the choice was stopped, there were {}", fmt::join(shortened, ", ")));
    }
    if (!late.empty()) {
        notes.push_back(
            fmt::format("the choice was stopped before {} had been trained", fmt::join(late, ", ")));
    }
    if (!beyond.empty()) {
        notes.push_back(fmt::format("auto tries the cheap candidates alone; `effort=normal` tries {}, too",
                                    fmt::join(beyond, ", ")));
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

// Whether it is not clearly worse than the best.
bool is_equal(const Choice& choice, const TriedMethod& one) {
    return !one.dropped && one.behind <= choice.equal_within * one.behind_error;
}

DenseMatrix calibrated(const DenseMatrix& probabilities, const std::vector<Index>& labels,
                       const std::vector<Index>& rows, const ExecutionControl& control) {
    DenseMatrix result = probabilities;
    apply_calibration(result, fit_calibration(probabilities, labels, rows, control), control);
    return result;
}

// By how much each calibrated candidate's log loss is above the smallest of those that are about as good as
// the best.
void compare_losses(const std::vector<DenseMatrix>& probabilities, const std::vector<Index>& labels,
                    const ExecutionControl& control, Choice& choice) {
    std::vector<TriedMethod>& tried = choice.tried;
    const auto loss = [&](const TriedMethod& one) {
        return is_equal(choice, one) ? one.calibrated_nll : std::numeric_limits<double>::infinity();
    };
    const auto smallest = static_cast<std::size_t>(std::ranges::min_element(tried, {}, loss) - tried.begin());
    for (std::size_t c = 0; c < tried.size(); ++c) {
        const Difference more =
            compare(probabilities[smallest], probabilities[c], labels, {Selection::loss}, control);
        tried[c].loss_behind = more.mean;
        tried[c].loss_behind_error = more.error;
    }
}

// What a candidate says of each node, of the calibrated one the log loss.
HeldOutAnswers answers_of(const DenseMatrix& probabilities, const DenseMatrix& calibrated_ones,
                          const std::vector<Index>& labels, const Judge& judge) {
    HeldOutAnswers answers;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto row = static_cast<Index>(i);
        answers.right.push_back(decide(probabilities, row, judge.decision) == labels[i] ? 1.0F : 0.0F);
        const double sure = std::max(static_cast<double>(calibrated_ones.at(row, labels[i])), 1e-12);
        answers.loss.push_back(static_cast<float>(-std::log(sure)));
    }
    return answers;
}

// Compares the candidates; returns what those that may be chosen say, in their order.
std::vector<HeldOutAnswers> compare_all(const std::vector<Contender>& contenders,
                                        const std::vector<Index>& labels, const std::vector<Index>& rows,
                                        const Judge& judge, const ExecutionControl& control, Choice& choice) {
    std::vector<TriedMethod>& tried = choice.tried;
    std::vector<DenseMatrix> calibrated_ones;
    for (const Contender& one : contenders) {
        TriedMethod& added = tried.emplace_back();
        added.label = method_label(one.settings);
        added.method = one.settings.method();
        added.order = order_of(one.settings);
        added.held_out =
            compute_metrics(one.probabilities, labels, rows, control, {.decision = judge.decision});
        calibrated_ones.push_back(calibrated(one.probabilities, labels, rows, control));
        added.calibrated_nll = compute_metrics(calibrated_ones.back(), labels, rows, control).nll;
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
    compare_losses(calibrated_ones, labels, control, choice);
    std::vector<HeldOutAnswers> answers;
    for (std::size_t c = 0; c < contenders.size(); ++c)
        answers.push_back(answers_of(contenders[c].probabilities, calibrated_ones[c], labels, judge));
    return answers;
}

// Dropped candidates had no chance.
ShareInterval expected_of_chosen(const Choice& choice, const std::vector<HeldOutAnswers>& answers,
                                 std::uint64_t seed) {
    std::vector<HeldOutAnswers> finished;
    std::size_t chosen = 0;
    for (std::size_t c = 0; c < answers.size(); ++c) {
        if (choice.tried[c].dropped) continue;
        if (c == choice.chosen) chosen = finished.size();
        finished.push_back(answers[c]);
    }
    return expected_accuracy(finished, chosen,
                             {choice.equal_within, choice.loss_decides, choice.cross_fitted}, seed);
}

// Many validation nodes say more about candidates of about the same accuracy than other graphs do: the log
// loss looks at every probability, where accuracy only counts. With many labels, which come with other
// candidates, the order of preference has stood the test.
bool loss_decides(const Candidates& candidates, const Choice& choice, std::size_t held_out) {
    constexpr std::size_t many = 300;
    return !candidates.many_labels && !choice.cross_fitted && choice.selection == Selection::accuracy &&
           held_out >= many;
}

// Of those that are not clearly worse than the best. With few labels, which accuracy can hardly tell apart, a
// log loss that is clearly larger counts against a candidate, too: of a handful of held-out nodes, all of
// which may be right, it tells who is boldest.
std::size_t chosen_of(const Choice& choice, bool many_labels, std::size_t held_out) {
    constexpr std::size_t enough = 30;
    const bool any_loss = many_labels || held_out < enough;
    std::optional<std::size_t> chosen;
    for (std::size_t c = 0; c < choice.tried.size(); ++c) {
        const TriedMethod& one = choice.tried[c];
        if (!is_equal(choice, one)) continue;
        if (!choice.loss_decides && (any_loss || one.loss_behind <= one.loss_behind_error)) return c;
        if (!choice.loss_decides) continue;
        if (!chosen || one.calibrated_nll < choice.tried[*chosen].calibrated_nll) chosen = c;
    }
    return chosen.value_or(choice.best);
}

// With few labels averages were worse than what they are made of, and with few held-out ones nobody can tell.
bool may_average(const RaceCourse& course, const Choice& choice) {
    return course.limits.average == Averaging::automatic && course.many_labels && !choice.cross_fitted &&
           course.labels.size() >= enough_for_average;
}

const Contender& best_contender(const RaceCourse& course, const std::vector<Contender>& contenders,
                                const std::vector<Index>& rows, const ExecutionControl& control) {
    const auto value = [&](const Contender& one) {
        if (one.fate != Contender::Fate::finished) return -std::numeric_limits<double>::infinity();
        return judged_value(one.probabilities, course.labels, rows, course.judge, control);
    };
    return *std::ranges::max_element(contenders, {}, value);
}

// One race within the budget. With high effort another one with twice the budget, and so on, as long as that
// makes the best candidate better by more than the standard error of the difference. A race that is stopped
// is the last one; one in which nothing was trained counts for nothing.
std::vector<Contender> race_to_the_end(RaceCourse course, const std::vector<MethodSettings>& candidates,
                                       const ExecutionControl& control) {
    const auto started = std::chrono::steady_clock::now();
    const double most_seconds = course.limits.stop_after;
    bool stopped = false;
    course.takes_best_so_far = [&stopped, asked = course.takes_best_so_far] {
        return stopped = asked && asked();
    };
    std::vector<Index> rows(course.labels.size());
    std::iota(rows.begin(), rows.end(), Index{0});
    std::vector<Contender> contenders = race(course, candidates, control);
    while (course.limits.effort == Effort::high && !stopped &&
           std::ranges::any_of(contenders, &Contender::lacked_budget)) {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
        if (most_seconds > 0 && spent.count() >= most_seconds) break;
        course.limits.stop_after = most_seconds > 0 ? most_seconds - spent.count() : 0;
        course.limits.budget *= 2;
        std::vector<Contender> next = race(course, candidates, control);
        const Difference gain = compare(best_contender(course, next, rows, control).probabilities,
                                        best_contender(course, contenders, rows, control).probabilities,
                                        course.labels, course.judge, control);
        if (gain.mean > 0) contenders = std::move(next);
        if (gain.mean <= gain.error) break;
    }
    return contenders;
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
    const RaceCourse course{graph,
                            operators,
                            trials,
                            labels,
                            seed,
                            judge,
                            automatic.limits,
                            candidates.many_labels,
                            store,
                            record.tell,
                            record.takes_best_so_far};
    std::vector<Contender> contenders = race_to_the_end(course, candidates.methods, control);
    std::vector<std::string> notes = leave_out_the_rest(contenders, automatic.limits);
    std::vector<Index> rows(labels.size());
    std::iota(rows.begin(), rows.end(), Index{0});
    // Where neighbors differ, other graphs say less about this one.
    choice.equal_within = candidates.neighbors_differ ? 0.5 : 1.0;
    std::vector<HeldOutAnswers> answers = compare_all(contenders, labels, rows, judge, control, choice);
    choice.loss_decides = loss_decides(candidates, choice, labels.size());
    choice.chosen = chosen_of(choice, candidates.many_labels, labels.size());
    DenseMatrix average;
    if (may_average(course, choice)) average = take_average(course, contenders, control, choice);
    if (choice.average) answers[choice.chosen] = answers_of(average, average, labels, judge);
    choice.expected_accuracy = expected_of_chosen(choice, answers, seed);
    Contender& winner = contenders[choice.chosen];
    if (choice.average) winner.probabilities = std::move(average);
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
    if (result.choice.average) {
        result.share = result.choice.tried[result.choice.chosen].share;
        result.others = other_members(course, contenders, result.choice, control);
    }
    return result;
}

}  // namespace hwgcn
