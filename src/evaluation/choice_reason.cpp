#include "evaluation/choice_reason.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

namespace hwgcn {
namespace {

std::string percent(double share) {
    return fmt::format("{:.1f} %", 100.0 * share);
}

// How the chosen candidate stands to the best one.
std::string against_best(const Choice& choice) {
    const TriedMethod& chosen = choice.tried[choice.chosen];
    const TriedMethod& best = choice.tried[choice.best];
    if (chosen.behind > 0) {
        return fmt::format(
            "The best, {}, had {}: the difference is within its standard error of {:.1f} "
            "points, and {} is preferred among equals, because it did better on other graphs.",
            best.label, percent(best.held_out.accuracy), 100.0 * chosen.behind_error, chosen.label);
    }
    if (choice.chosen == 0) return "None of the others had more.";
    return fmt::format(
        "{}, which is preferred among equals, had {}, too few by {:.1f} points (standard error {:.1f}).",
        choice.tried.front().label, percent(choice.tried.front().held_out.accuracy),
        100.0 * choice.tried.front().behind, 100.0 * choice.tried.front().behind_error);
}

const TriedMethod* find(std::span<const TriedMethod> tried, const std::string& method, int order) {
    const auto found = std::ranges::find_if(tried, [&](const TriedMethod& candidate) {
        return candidate.method == method && candidate.order == order;
    });
    return found == tried.end() ? nullptr : &*found;
}

// What the graph, the features and the far neighbours are worth here.
std::string sources(const Choice& choice) {
    const TriedMethod& chosen = choice.tried[choice.chosen];
    const TriedMethod* graph_alone = find(choice.tried, "lp", 1);
    const TriedMethod* features_alone = find(choice.tried, "mlp", 1);
    std::string text;
    if (graph_alone != nullptr && features_alone != nullptr) {
        text =
            fmt::format(" The graph alone (LP) had {}, the features alone (MLP) {}.",
                        percent(graph_alone->held_out.accuracy), percent(features_alone->held_out.accuracy));
    }
    const TriedMethod* plain = find(choice.tried, chosen.method == "hwgcn" ? "gcn" : chosen.method, 1);
    if (chosen.order > 1 && plain != nullptr) {
        text += fmt::format(" {} had {}.", plain->label, percent(plain->held_out.accuracy));
    }
    return text;
}

}  // namespace

std::string choice_reason(const Choice& choice) {
    const TriedMethod& chosen = choice.tried[choice.chosen];
    if (choice.tried.size() == 1) {
        return fmt::format("{} is the only method that these data allow; it had {} right of {}.",
                           chosen.label, percent(chosen.held_out.accuracy), choice.judged_on);
    }
    return fmt::format(
        "Of {} candidates, {} was chosen: it had {} right of {}. {}{} As the best of several, it looks a "
        "little better than it is.",
        choice.tried.size(), chosen.label, percent(chosen.held_out.accuracy), choice.judged_on,
        against_best(choice), sources(choice));
}

}  // namespace hwgcn
