#include "methods/choice_reason.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

namespace hwgcn {
namespace {

std::string percent(double share) {
    return fmt::format("{:.1f} %", 100.0 * share);
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

// Of the preferred candidate where it is not among equals.
std::string too_few_by(const TriedMethod& preferred) {
    const std::string points = fmt::format("{:.1f}", 100.0 * preferred.behind);
    const std::string error = fmt::format("{:.1f}", 100.0 * preferred.behind_error);
    if (preferred.behind_error == 0) return fmt::format("{} points", points);  // at every node alike
    if (points != error) return fmt::format("{} points (standard error {})", points, error);
    return fmt::format("{}, just more than the standard error of the difference", nodes_behind(preferred));
}

// How the chosen candidate stands to the best one.
std::string against_best(const Choice& choice) {
    const TriedMethod& chosen = choice.tried[choice.chosen];
    const TriedMethod& best = choice.tried[choice.best];
    if (chosen.behind > 0) {
        const std::string difference =
            is_below_a_tenth(chosen.behind_error)
                ? fmt::format("the difference of {} is within its standard error", nodes_behind(chosen))
                : fmt::format("the difference is within its standard error of {:.1f} points",
                              100.0 * chosen.behind_error);
        return fmt::format(
            "The best, {}, had {}: {}, and {} is preferred among equals, because it did better on other "
            "graphs.",
            best.label, percent(best.held_out.accuracy), difference, chosen.label);
    }
    if (choice.chosen == 0) return "None of the others had more.";
    const TriedMethod& preferred = choice.tried.front();
    return fmt::format("{}, which is preferred among equals, had {}, too few by {}.", preferred.label,
                       percent(preferred.held_out.accuracy), too_few_by(preferred));
}

const TriedMethod* find(std::span<const TriedMethod> tried, const std::string& method, int order) {
    const auto found = std::ranges::find_if(tried, [&](const TriedMethod& candidate) {
        return candidate.method == method && candidate.order == order;
    });
    return found == tried.end() ? nullptr : &*found;
}

// What the graph, the features and the far neighbours are worth here.
std::string sources(const Choice& choice, std::string_view features) {
    const TriedMethod& chosen = choice.tried[choice.chosen];
    const TriedMethod* graph_alone = find(choice.tried, "lp", 1);
    const TriedMethod* features_alone = find(choice.tried, "mlp", 1);
    std::string text;
    if (graph_alone != nullptr && features_alone != nullptr) {
        text = fmt::format(" The graph alone (LP) had {}, the {} alone (MLP) {}.",
                           percent(graph_alone->held_out.accuracy), features,
                           percent(features_alone->held_out.accuracy));
    }
    const TriedMethod* plain = find(choice.tried, chosen.method == "hwgcn" ? "gcn" : chosen.method, 1);
    if (chosen.order > 1 && plain != nullptr) {
        text += fmt::format(" {} had {}.", plain->label, percent(plain->held_out.accuracy));
    }
    return text;
}

}  // namespace

std::string choice_reason(const Choice& choice, std::string_view features) {
    const TriedMethod& chosen = choice.tried[choice.chosen];
    if (choice.tried.size() == 1) {
        return fmt::format("{} is the only method that these data and settings allow; it had {} right of {}.",
                           chosen.label, percent(chosen.held_out.accuracy), choice.judged_on);
    }
    return fmt::format(
        "Of {} candidates, {} was chosen: it had {} right of {}. {}{} The best of several "
        "held-out accuracies is slightly optimistic.",
        choice.tried.size(), chosen.label, percent(chosen.held_out.accuracy), choice.judged_on,
        against_best(choice), sources(choice, features));
}

}  // namespace hwgcn
