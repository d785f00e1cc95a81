#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "choice/race_run.hpp"
#include "training/fit_options.hpp"
#include "training/selection.hpp"

namespace hwgcn {

namespace {

bool grows_trees(const MethodSettings& settings) {
    return settings.method() == "boosted";
}

}  // namespace

// What is solved rather than trained, where it takes seconds, and GCN, on the graph as it is: no weights are
// learned for them.
bool Race::goes_first(const Contender& contender) const {
    const MethodSettings& settings = contender.settings;
    if (settings.operator_kind() == OperatorKind::higher_order) return false;
    if (!is_classic(settings)) return settings.method() == "gcn";
    const auto method = make_classic_method(settings);
    if (method->walk_cost(course_.graph.graph.nodes()).work > 0) return false;
    const double work = contender.cost.work() * trials();
    if (grows_trees(settings)) return work < cheap_share * budget_;
    return work < cheap_share * usual_budget;
}

// The two trainings of self-training need their epochs, and consistency those in which its weight grows.
void Race::limit_epochs(Contender& contender) const {
    if (is_classic(contender.settings)) return;
    const FitOptions& fit = contender.settings.fit();
    if (fit.self_training > 0) return;
    const double affordable = largest_share * budget_ / (trials() * contender.cost.work_per_epoch);
    const int epochs = std::max(fewest_epochs(fit), static_cast<int>(std::min(affordable, 1e6)));
    if (epochs >= fit.epochs) return;
    contender.wanted_epochs = fit.epochs;
    contender.lacked_budget = true;
    contender.cost.epochs = epochs;
    contender.settings.apply({{"epochs", fmt::to_string(epochs)}});
}

// Its epochs are what the budget of this moment allows.
void Race::enter(Runner& runner) {
    limit_epochs(runner.contender);
    runner.is_cheap = runner.goes_first || work_of(runner) < cheap_share * budget_;
    runner.key = record_.key_of(runner.contender.settings, budget_);
}

// Cheapest first; the cheapest one is always tried.
std::vector<Runner*> Race::by_cost() {
    std::vector<Runner*> result = running();
    std::stable_sort(result.begin(), result.end(), [](const Runner* a, const Runner* b) {
        return a->contender.cost.work() < b->contender.cost.work();
    });
    return result;
}

void Race::leave_out(Runner& runner, Contender::Fate fate, double needed) {
    runner.running = false;
    runner.contender.fate = fate;
    runner.contender.needed = needed;
    runner.contender.lacked_budget = fate == Contender::Fate::too_long;
}

void Race::leave_out_what_is_too_large() {
    const double memory = course_.limits.memory * 1e9;
    const std::vector<Runner*> all = by_cost();
    double kept = shared_bytes(course_.graph), propagated = 0;
    for (Runner* runner : all) {
        const TrainingCost& cost = runner->contender.cost;
        const double needed =
            kept + cost.bytes + trials() * cost.kept_bytes + std::max(propagated, cost.shared_bytes);
        if (runner != all.front() && needed > memory) {
            leave_out(*runner, Contender::Fate::too_large, needed / 1e9);
            continue;
        }
        kept += trials() * cost.kept_bytes;
        propagated = std::max(propagated, cost.shared_bytes);
    }
}

void Race::leave_out_what_is_too_long() {
    const std::vector<Runner*> all = by_cost();
    double work = 0, weights = 0;  // of the orders that are learned for those before
    for (Runner* runner : all) {
        if (runner->goes_first) continue;
        const TrainingCost& cost = runner->contender.cost;
        const double more =
            std::max(0.0, weights_work(course_.graph, runner->contender.settings, control_) - weights);
        const double first =
            more + cost.preparation + work_to(*runner, epochs_after(*runner, rounds.front()));
        if (runner != all.front() && work + first > share_of_first_round * budget_) {
            leave_out(*runner, Contender::Fate::too_long, seconds_on_two_cores(more + work_of(*runner)) / 60);
            continue;
        }
        work += first;
        weights += more;
    }
}

// What the best one so far leaves to be gained, as a share of the error that is worth all of the budget. Of
// few nodes, none wrong says little: by Laplace's rule of succession, k wrong ones of n are a share of (k +
// 1) / (n + 2).
double Race::share_to_gain() {
    double best = -std::numeric_limits<double>::infinity();
    for (const Runner* runner : running()) {
        if (runner->epochs > 0) best = std::max(best, runner->value);
    }
    if (!std::isfinite(best) || course_.judge.selection == Selection::loss) return 1;
    const auto count = static_cast<double>(course_.labels.size());
    return std::min(1.0, (count * (1 - best) + 1) / (count + 2) / error_worth_the_budget);
}

void Race::limit_budget_by_gain() {
    budget_ *= share_to_gain();
}

// The same once networks have been looked at, of what they leave to be gained.
void Race::limit_rest_by_gain() {
    budget_ = std::min(budget_, spent_ + whole_budget_ * share_to_gain());
}

// With few labels, the slowest one alone would take a while, too.
void Race::limit_budget_by_slowest() {
    if (course_.many_labels) return;
    double slowest = 0;
    for (const Runner* runner : running())
        slowest = std::max(slowest, work_of(*runner));
    budget_ = std::min(budget_, std::max(times_of_slowest * slowest, share_in_any_case * budget_));
}

void Race::drop_those_behind(std::size_t number) {
    const std::vector<Runner*> left = running();
    if (left.empty()) return;
    const Runner* best = *std::max_element(
        left.begin(), left.end(), [](const Runner* a, const Runner* b) { return a->value < b->value; });
    for (Runner* runner : left) {
        if (runner == best || runner->finished) continue;
        const Difference behind = compare(best->contender.probabilities, runner->contender.probabilities,
                                          course_.labels, course_.judge, control_);
        const double allowed = rounds[number].margin + promise_of(*runner);
        if (behind.mean > allowed + errors_behind * behind.error) drop(*runner, "dropped: clearly behind");
    }
}

// The best ones go on, as far as the budget goes to the end of their training; the best one does in any case.
void Race::spend() {
    std::vector<Runner*> left = running();
    std::ranges::stable_sort(left, std::greater(),
                             [](const Runner* runner) { return runner->value + promise_of(*runner); });
    double planned = spent_;
    for (Runner* runner : left) {
        const double work = runner->finished ? 0 : work_to(*runner, runner->contender.cost.epochs);
        if (work > 0 && runner != left.front() && planned + work > budget_) {
            runner->contender.lacked_budget = true;
            drop(*runner,
                 fmt::format("dropped: the budget is for better ones (`budget={}`)", course_.limits.budget));
            continue;
        }
        planned += work;
    }
}

std::string Race::words_of(const Runner& runner) const {
    const std::string title = selection_title(course_.judge.selection);
    const std::string value = course_.judge.selection == Selection::loss
                                  ? fmt::format("{} {:.3f}", title, -runner.value)
                                  : fmt::format("{} {:.1f} %", title, 100 * runner.value);
    const Contender& contender = runner.contender;
    if (is_classic(contender.settings)) return fmt::format("{}: {}", method_label(contender.settings), value);
    return fmt::format("{}: {} after {} epochs", method_label(contender.settings), value, contender.epochs);
}

void Race::tell_best_so_far() const {
    const Runner* best = nullptr;
    for (const Runner& runner : runners_) {
        if (runner.running && (best == nullptr || runner.value > best->value)) best = &runner;
    }
    if (best == nullptr) return;
    const std::chrono::duration<double> seconds = Clock::now() - started_;
    std::string error;
    if (course_.judge.selection == Selection::accuracy) {
        const double variance = best->value * (1 - best->value) / static_cast<double>(course_.labels.size());
        error = fmt::format(" (standard error {:.1f})", 100 * std::sqrt(variance));
    }
    tell(fmt::format("so far: {}{}, {:.1f} s", words_of(*best), error, seconds.count()));
}

void Race::tell_plan() const {
    std::size_t count = 0;
    double most = 0;
    for (const Runner& runner : runners_) {
        if (!runner.running) continue;
        ++count;
        most += work_of(runner);
    }
    tell(fmt::format("auto tries {} methods{}: at most {:.0f} s on two cores", count,
                     course_.trials.size() > 1 ? fmt::format(" in {} folds", course_.trials.size()) : "",
                     std::ceil(seconds_on_two_cores(std::min(most, budget_)))));
}

void Race::drop(Runner& runner, std::string why) {
    runner.running = false;
    runner.trainings.clear();
    runner.contender.fate = Contender::Fate::dropped;
    tell(fmt::format("{}, {}", words_of(runner), why));
}

void Race::enter_others() {
    limit_budget_by_gain();
    for (Runner* runner : running()) {
        if (!runner->goes_first) enter(*runner);
    }
    limit_budget_by_slowest();
    budget_ += spent_;
    leave_out_what_is_too_long();
    for (Runner* runner : running()) {
        if (!runner->goes_first) prepare(*runner);
    }
}

}  // namespace hwgcn
