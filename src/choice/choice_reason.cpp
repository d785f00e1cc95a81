#include "choice/choice_reason.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "choice/average.hpp"
#include "training/selection.hpp"

namespace hwgcn {
namespace {

std::string percent(double share) {
    return fmt::format("{:.1f} %", 100.0 * share);
}

// What a candidate reached by the criterion that they are compared by.
std::string reached(const Choice& choice, const TriedMethod& tried) {
    const double value = criterion_value(choice.selection, tried.held_out);
    if (choice.selection == Selection::loss) return fmt::format("a loss of {:.3f}", -value);
    if (choice.selection == Selection::accuracy) return percent(value);
    return fmt::format("{} {}", selection_title(choice.selection), percent(value));
}

// The same in a sentence that says of which nodes.
std::string reached_of(const Choice& choice, const TriedMethod& tried) {
    if (choice.selection == Selection::accuracy)
        return fmt::format("{} right of {}", reached(choice, tried), choice.judged_on);
    return fmt::format("{} on {}", reached(choice, tried), choice.judged_on);
}

// How many nodes the best candidate has right beyond those of another one.
std::string nodes_behind(const TriedMethod& tried) {
    const auto nodes = std::llround(tried.behind * tried.held_out.count);
    return fmt::format("{} node{}", nodes, nodes == 1 ? "" : "s");
}

// Points that would be shown as 0.0, as those of a node or two among thousands.
bool is_below_a_tenth(double share) {
    return 100.0 * share < 0.05;
}

// Where a part of the standard error is what counts, it is named.
std::string_view part_of_error(const Choice& choice) {
    return choice.equal_within == 1 ? "" : "half of ";
}

// Of the preferred candidate where it is not among equals.
std::string too_few_by(const Choice& choice, const TriedMethod& preferred) {
    const std::string_view what_counts = choice.equal_within == 1 ? "" : ", half of which counts";
    if (choice.selection == Selection::loss)
        return fmt::format("{:.3f} (standard error {:.3f}{})", preferred.behind, preferred.behind_error,
                           what_counts);
    const std::string points = fmt::format("{:.1f}", 100.0 * preferred.behind);
    const std::string error = fmt::format("{:.1f}", 100.0 * preferred.behind_error);
    const std::string allowed = fmt::format("{:.1f}", 100.0 * choice.equal_within * preferred.behind_error);
    if (preferred.behind_error == 0) return fmt::format("{} points", points);  // at every node alike
    if (points != allowed) return fmt::format("{} points (standard error {}{})", points, error, what_counts);
    const std::string amount =
        choice.selection == Selection::accuracy ? nodes_behind(preferred) : points + " points";
    return fmt::format("{}, just more than {}the standard error of the difference", amount,
                       part_of_error(choice));
}

// How the chosen candidate stands to the best one.
std::string against_best(const Choice& choice) {
    const TriedMethod& chosen = choice.tried[choice.chosen];
    const TriedMethod& best = choice.tried[choice.best];
    if (chosen.behind > 0) {
        const std::string_view part = part_of_error(choice);
        const std::string difference =
            choice.selection == Selection::loss
                ? fmt::format("the difference is within {}its standard error of {:.3f}", part,
                              chosen.behind_error)
            : is_below_a_tenth(chosen.behind_error) && choice.selection == Selection::accuracy
                ? fmt::format("the difference of {} is within {}its standard error", nodes_behind(chosen),
                              part)
                : fmt::format("the difference is within {}its standard error of {:.1f} points", part,
                              100.0 * chosen.behind_error);
        if (choice.loss_decides) {
            return fmt::format(
                "The best, {}, had {}: {}, and of such equals {} has the smallest log loss "
                "after calibration ({:.3f}, that of the best is {:.3f}).",
                best.label, reached(choice, best), difference, chosen.label, chosen.calibrated_nll,
                best.calibrated_nll);
        }
        return fmt::format(
            "The best, {}, had {}: {}, and {} is preferred among equals, because it did better on other "
            "graphs.",
            best.label, reached(choice, best), difference, chosen.label);
    }
    const std::string_view better = choice.selection == Selection::loss ? "less" : "more";
    if (choice.chosen == 0 || choice.loss_decides) return fmt::format("None of the others had {}.", better);
    const TriedMethod& preferred = choice.tried.front();
    return fmt::format(
        "{}, which is preferred among equals, had {}, {} by {}.", preferred.label, reached(choice, preferred),
        choice.selection == Selection::loss ? "too much" : "too few", too_few_by(choice, preferred));
}

// What was averaged, and how it stands to the best single one.
std::string average_reason(const Choice& choice) {
    const TriedMethod& best = choice.tried[choice.chosen];
    const TakenAverage& average = *choice.average;
    const std::vector<std::size_t> members = members_of(choice);
    std::string names;
    for (std::size_t k = 0; k < members.size(); ++k) {
        const TriedMethod& one = choice.tried[members[k]];
        names += k == 0 ? "" : k + 1 == members.size() ? " and " : ", ";
        names += fmt::format("{} (weight {:.2f})", one.label, one.share.weight);
    }
    const bool is_loss = choice.selection == Selection::loss;
    const auto amount = [&](double difference) {
        return is_loss ? fmt::format("{:.3f}", difference) : fmt::format("{:.1f} points", 100 * difference);
    };
    const std::string gain =
        average.gain > average.gain_error
            ? fmt::format("the average gains {}, more than the standard error of the difference, {}",
                          amount(average.gain), amount(average.gain_error))
            : fmt::format(
                  "the difference of {} is within its standard error of {}, and the average has the "
                  "smaller log loss after calibration ({:.3f}, that of {} is {:.3f})",
                  amount(average.gain), amount(average.gain_error), average.calibrated_nll, best.label,
                  best.calibrated_nll);
    TriedMethod mean = best;
    mean.held_out = average.held_out;
    return fmt::format("the average of {} was chosen: it had {}. The best single one, {}, had {}: {}.", names,
                       reached_of(choice, mean), best.label, reached(choice, best), gain);
}

const TriedMethod* find(std::span<const TriedMethod> tried, const std::string& method, int order) {
    const auto found = std::ranges::find_if(tried, [&](const TriedMethod& candidate) {
        return candidate.method == method && candidate.order == order;
    });
    return found == tried.end() ? nullptr : &*found;
}

// What the graph, the features and the far neighbors are worth here.
std::string sources(const Choice& choice, std::string_view features) {
    const TriedMethod& chosen = choice.tried[choice.chosen];
    const TriedMethod* graph_alone = find(choice.tried, "lp", 1);
    const TriedMethod* features_alone = find(choice.tried, "linear", 1);
    std::string text;
    if (graph_alone != nullptr && features_alone != nullptr) {
        text = fmt::format(" The graph alone (LP) had {}, the {} alone (Linear) {}.",
                           reached(choice, *graph_alone), features, reached(choice, *features_alone));
    }
    const TriedMethod* plain = find(choice.tried, chosen.method == "hwgcn" ? "gcn" : chosen.method, 1);
    if (chosen.order > 1 && plain != nullptr) {
        text += fmt::format(" {} had {}.", plain->label, reached(choice, *plain));
    }
    return text;
}

}  // namespace

std::string choice_reason(const Choice& choice, std::string_view features) {
    const TriedMethod& chosen = choice.tried[choice.chosen];
    if (choice.tried.size() == 1) {
        return fmt::format("{} is the only method that these data and settings allow; it had {}.",
                           chosen.label, reached_of(choice, chosen));
    }
    const auto dropped = std::ranges::count_if(choice.tried, &TriedMethod::dropped);
    const std::string decision = choice.average
                                     ? average_reason(choice)
                                     : fmt::format("{} was chosen: it had {}. {}", chosen.label,
                                                   reached_of(choice, chosen), against_best(choice));
    return fmt::format(
        "Of {} candidates{}, {}{} The best of several "
        "held-out {} is slightly optimistic.",
        choice.tried.size(), dropped > 0 ? fmt::format(", {} of which were dropped early", dropped) : "",
        decision, sources(choice, features),
        choice.selection == Selection::accuracy ? "accuracies" : "values");
}

}  // namespace hwgcn
