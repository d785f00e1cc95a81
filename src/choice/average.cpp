#include "choice/average.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "hwgcn/models/members.hpp"

#include "metrics/calibration.hpp"
#include "training/selection.hpp"

namespace hwgcn {
namespace {

// Of many candidates some look good together on these very nodes by chance: only the best few may vote, and
// none that is behind clearly and by much: of thousands of nodes, half a point is clear, too.
constexpr std::size_t most_members = 5;
constexpr double errors_too_far = 3;
constexpr double much = 0.02;
constexpr int most_votes = 10;

std::vector<Index> all_rows(std::size_t count) {
    std::vector<Index> rows(count);
    std::iota(rows.begin(), rows.end(), Index{0});
    return rows;
}

// More is better, in this order. Where nodes are counted, a vote more or less changes few or none of them,
// and what it changes is chance: the log loss looks at every probability. A ranking is fine enough.
std::tuple<double, double> rank_of(const DenseMatrix& probabilities, const std::vector<Index>& labels,
                                   const Judge& judge, const ExecutionControl& control) {
    const Metrics metrics = compute_metrics(probabilities, labels, all_rows(labels.size()), control,
                                            {.decision = judge.decision});
    const double value = criterion_value(judge.selection, metrics);
    return judge.selection == Selection::auc ? std::tuple(value, -metrics.nll)
                                             : std::tuple(-metrics.nll, value);
}

// Those that may vote, best first. What says nothing about new nodes may not: a run is to predict these, too.
std::vector<std::size_t> voters(std::span<const Contender> contenders, const Choice& choice) {
    std::vector<std::size_t> result;
    for (std::size_t c = 0; c < choice.tried.size(); ++c) {
        const TriedMethod& one = choice.tried[c];
        const bool is_far = one.behind > std::max(much, errors_too_far * one.behind_error);
        const bool has_finished = contenders[c].fate == Contender::Fate::finished;
        if (has_finished && !is_far && !method_info(one.method).knows_nodes) result.push_back(c);
    }
    std::ranges::stable_sort(result, std::greater(), [&](std::size_t c) {
        const TriedMethod& one = choice.tried[c];
        return std::tuple(c == choice.best, criterion_value(choice.selection, one.held_out),
                          -one.held_out.nll);
    });
    if (result.size() > most_members) result.resize(most_members);
    return result;
}

double calibrated_loss(const DenseMatrix& probabilities, const std::vector<Index>& labels,
                       const ExecutionControl& control) {
    const std::vector<Index> rows = all_rows(labels.size());
    DenseMatrix result = probabilities;
    apply_calibration(result, fit_calibration(probabilities, labels, rows, control), control);
    return compute_metrics(result, labels, rows, control).nll;
}

}  // namespace

DenseMatrix average_of(std::span<const DenseMatrix> candidates, const Votes& votes) {
    const int all = std::accumulate(votes.begin(), votes.end(), 0);
    MemberMean mean;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
        if (votes[c] > 0) mean.add(candidates[c], {static_cast<double>(votes[c]) / all, 1});
    }
    return mean.probabilities();
}

Votes select_average(std::span<const DenseMatrix> candidates, std::size_t first,
                     const std::vector<Index>& labels, const Judge& judge, const ExecutionControl& control) {
    Votes votes(candidates.size(), 0);
    votes[first] = 1;
    auto reached = rank_of(candidates[first], labels, judge, control);
    for (int cast = 1; cast < most_votes; ++cast) {
        const Votes before = votes;
        for (std::size_t c = 0; c < candidates.size(); ++c) {
            Votes with = before;
            ++with[c];
            const auto rank = rank_of(average_of(candidates, with), labels, judge, control);
            if (rank <= reached) continue;
            reached = rank;
            votes = std::move(with);
        }
        if (votes == before) break;
    }
    return votes;
}

bool is_worth_keeping(const Difference& gain, double loss, double single_loss) {
    if (gain.mean > gain.error) return true;
    return gain.mean >= -gain.error && loss < single_loss;
}

std::vector<std::size_t> members_of(const Choice& choice) {
    std::vector<std::size_t> members;
    for (std::size_t c = 0; c < choice.tried.size(); ++c) {
        if (choice.tried[c].share.weight > 0) members.push_back(c);
    }
    std::ranges::stable_sort(members, std::greater(), [&](std::size_t c) {
        return std::tuple(c == choice.chosen, choice.tried[c].share.weight);
    });
    return members;
}

DenseMatrix take_average(const RaceCourse& course, std::span<const Contender> contenders,
                         const ExecutionControl& control, Choice& choice) {
    const auto& [labels, judge] = std::tie(course.labels, course.judge);
    const std::vector<std::size_t> order = voters(contenders, choice);
    if (order.size() < 2 || order.front() != choice.best) return {};
    const std::vector<Index> rows = all_rows(labels.size());
    std::vector<DenseMatrix> candidates;
    std::vector<double> temperatures;
    for (const std::size_t c : order) {
        candidates.push_back(contenders[c].probabilities);
        temperatures.push_back(fit_calibration(candidates.back(), labels, rows, control).temperature);
        apply_temperature(candidates.back(), temperatures.back(), control);
    }
    const Votes votes = select_average(candidates, 0, labels, judge, control);
    if (std::ranges::count(votes, 0) + 1 == std::ssize(votes)) return {};  // none improves on the best one
    DenseMatrix mean = average_of(candidates, votes);
    const Difference gain = compare(mean, candidates.front(), labels, judge, control);
    const double loss = calibrated_loss(mean, labels, control);
    if (!is_worth_keeping(gain, loss, choice.tried[choice.best].calibrated_nll)) return {};
    choice.average = {compute_metrics(mean, labels, rows, control, {.decision = judge.decision}), gain.mean,
                      gain.error, loss};
    choice.chosen = choice.best;
    const int all = std::accumulate(votes.begin(), votes.end(), 0);
    for (std::size_t k = 0; k < order.size(); ++k)
        choice.tried[order[k]].share = {static_cast<double>(votes[k]) / all, temperatures[k]};
    return mean;
}

std::vector<Member> other_members(const RaceCourse& course, std::span<Contender> contenders,
                                  const Choice& choice, const ExecutionControl& control) {
    std::vector<Member> others;
    for (const std::size_t c : members_of(choice)) {
        if (c == choice.chosen) continue;
        Contender& one = contenders[c];
        const Propagation& propagation = course.operators.get(one.settings, control);
        if (!one.model) {
            one.model = train(course.graph, propagation, one.settings, course.trials.front().split,
                              course.seed, control, {}, one.groundwork.get());
        }
        add_statistics(course.graph, propagation, one.settings, one.model->parameters, control);
        others.push_back({one.settings, choice.tried[c].share, std::move(one.model->parameters)});
    }
    return others;
}

}  // namespace hwgcn
