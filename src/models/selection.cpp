#include "models/selection.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/safe_text.hpp"
#include "models/known_labels.hpp"

namespace hwgcn {
namespace {

double share_of(const std::vector<Index>& counts, std::size_t c) {
    double sum = 0;
    for (const Index count : counts)
        sum += count;
    return counts[c] / sum;
}

// The settings that select epochs.
std::vector<MethodSettings*> with_epochs(AskedMethod& method) {
    std::vector<MethodSettings*> found;
    const auto add = [&](MethodSettings& settings) {
        if (settings.reads("selection")) found.push_back(&settings);
    };
    if (auto* one = std::get_if<MethodSettings>(&method)) add(*one);
    if (auto* automatic = std::get_if<Automatic>(&method)) {
        for (std::vector<MethodSettings>* list : automatic->lists())
            std::ranges::for_each(*list, add);
    }
    return found;
}

// Those that the selection is judged by.
std::vector<Index> judging_labels(const Dataset& dataset, const Split& split) {
    std::vector<Index> labels;
    for (const Index node : split.validation.empty() ? split.train : split.validation)
        labels.push_back(dataset.labels[node]);
    return labels;
}

Selection resolved(Selection asked, const Dataset& dataset, const Split& split) {
    const Selection wanted = asked == Selection::automatic ? default_selection(dataset, split) : asked;
    return usable_selection(wanted, judging_labels(dataset, split));
}

// What the user should know of a criterion that was not asked for.
std::string sentence(Selection asked, Selection used, const Dataset& dataset, const Split& split) {
    const Selection wanted = asked == Selection::automatic ? default_selection(dataset, split) : asked;
    if (used != wanted) {
        const Index only = judging_labels(dataset, split).front();
        return fmt::format(
            "the validation nodes are all '{}', which `selection={}` says nothing about: loss "
            "takes its place",
            safe_text(dataset.class_names[only]), selection_name(wanted));
    }
    if (asked != Selection::automatic || used != Selection::auc) return "";
    const std::vector<Index> counts = known_labels_by_class(dataset, split);
    const std::size_t rare = counts[1] <= counts[0] ? 1 : 0;
    return fmt::format(
        "selection by ROC AUC, because only {:.2g} % of the known labels are '{}'; "
        "`selection=accuracy` decides otherwise",
        100 * share_of(counts, rare), safe_text(dataset.class_names[rare]));
}

}  // namespace

Selection default_selection(const Dataset& dataset, const Split& split) {
    const std::vector<Index> counts = known_labels_by_class(dataset, split);
    if (counts.size() != 2 || counts[0] == 0 || counts[1] == 0) return Selection::accuracy;
    const double rarer = std::min(share_of(counts, 0), share_of(counts, 1));
    return rarer < rare_share ? Selection::auc : Selection::accuracy;
}

Selection resolved_selection(const AskedMethod& method, const Dataset& dataset, const Split& split) {
    AskedMethod copy = method;
    const std::vector<MethodSettings*> settings = with_epochs(copy);
    const Selection asked = settings.empty() ? Selection::automatic : settings.front()->fit().selection;
    return resolved(asked, dataset, split);
}

AskedMethod with_resolved_selection(AskedMethod method, const Dataset& dataset, const Split& split,
                                    std::vector<std::string>& notes) {
    std::string said;
    for (MethodSettings* settings : with_epochs(method)) {
        const Selection asked = settings->fit().selection;
        const Selection used = resolved(asked, dataset, split);
        settings->apply({{"selection", selection_name(used)}});
        if (said.empty()) said = sentence(asked, used, dataset, split);
    }
    const bool selects = !split.validation.empty() || std::holds_alternative<Automatic>(method);
    if (selects && !said.empty()) notes.push_back(said);
    return method;
}

AskedMethod with_resolved_selection(AskedMethod method, const Dataset& dataset, const Split& split) {
    std::vector<std::string> unsaid;
    return with_resolved_selection(std::move(method), dataset, split, unsaid);
}

}  // namespace hwgcn
