#include <algorithm>

#include <fmt/format.h>

#include "hwgcn/metrics/statistics.hpp"
#include "hwgcn/pipeline/train_run.hpp"

#include "base/parameter.hpp"
#include "base/safe_text.hpp"
#include "pipeline/warnings.hpp"
#include "training/fit_options.hpp"

namespace hwgcn {
namespace {

constexpr Index enough_nodes = 20;  // to say something by their shares

// What the classes' shares should be. Training nodes may be as many of each class by design; validation nodes
// are drawn from what is left.
std::vector<double> expected_shares(const Dataset& dataset, const Split& split) {
    const bool by_validation = static_cast<Index>(split.validation.size()) >= enough_nodes;
    const std::vector<Index>& nodes = by_validation ? split.validation : split.train;
    std::vector<double> shares(dataset.class_names.size(), 0.0);
    for (const Index node : nodes)
        shares[static_cast<std::size_t>(dataset.labels[node])] += 1.0 / static_cast<double>(nodes.size());
    return shares;
}

std::vector<double> shares_of(const std::vector<std::int64_t>& counts, Index nodes) {
    std::vector<double> shares(counts.begin(), counts.end());
    for (double& share : shares)
        share /= nodes;
    return shares;
}

std::string rounded_percent(double share) {
    return share > 0 && share < 0.095 ? fmt::format("{:.2g} %", 100 * share)
                                      : fmt::format("{:.0f} %", 100 * share);
}

// Classes that are hardly ever predicted, though a good part of the labels is theirs.
std::string neglected_class(const Dataset& dataset, const std::vector<double>& expected,
                            const std::vector<double>& predicted) {
    constexpr double worth_having = 0.05, neglected = 0.1, expected_nodes = 10;
    std::size_t worst = 0, others = 0;
    double most_expected = 0;
    for (std::size_t c = 0; c < expected.size(); ++c) {
        if (expected[c] < worth_having || expected[c] * dataset.nodes < expected_nodes) continue;
        if (predicted[c] >= neglected * expected[c]) continue;
        ++others;
        if (expected[c] > most_expected) worst = c;
        most_expected = std::max(most_expected, expected[c]);
    }
    if (others == 0) return "";
    return fmt::format("'{}' has {} of the known labels and {} of the predictions{}",
                       safe_text(dataset.class_names[worst]), rounded_percent(expected[worst]),
                       rounded_percent(predicted[worst]),
                       others == 1   ? ""
                       : others == 2 ? ", and another class fares likewise"
                                     : fmt::format(", and {} other classes fare likewise", others - 1));
}

// `auc`: how well the probabilities rank the nodes all the same; NaN where it is not known.
std::string nearly_constant(const Dataset& dataset, const std::vector<double>& expected,
                            const std::vector<double>& predicted, double auc) {
    constexpr double nearly_all = 0.98, rather_common = 0.9, ranks_well = 0.6;
    const auto most = static_cast<std::size_t>(std::ranges::max_element(predicted) - predicted.begin());
    const std::string name = safe_text(dataset.class_names[most]);
    if (std::ranges::count(predicted, 0.0) + 1 == std::ssize(predicted)) {
        return auc > ranks_well
                   ? fmt::format(
                         "every node is predicted as '{}', though probabilities rank them (ROC AUC {:.1f} %)",
                         name, 100 * auc)
                   : fmt::format("every node is predicted as '{}': nothing else was learned", name);
    }
    if (std::string text = neglected_class(dataset, expected, predicted); !text.empty()) return text;
    if (predicted[most] <= nearly_all || expected[most] >= rather_common || dataset.nodes < enough_nodes)
        return "";
    return fmt::format("'{}' has {} of the known labels and {} of the predictions", name,
                       rounded_percent(expected[most]), rounded_percent(predicted[most]));
}

// A result that the commonest training class alone would have or exceed, as far as so many nodes can tell.
std::string no_better_than_commonest(const Dataset& dataset, const TrainedRun& run) {
    Judged judged = judged_by(run.result, run.choice);
    if (judged.metrics == nullptr) judged = {&run.result.train, "training nodes"};  // which say the least
    const Metrics* const metrics = judged.metrics;
    if (metrics->count < enough_nodes || run.decision.is_weighed()) return "";
    const CommonestClass commonest =
        commonest_class(class_support(run.result.train), class_support(*metrics));
    if (commonest.label < 0) return "";
    const double share = static_cast<double>(commonest.nodes) / metrics->count;
    const auto [low, high] = share_interval(metrics->accuracy, metrics->count);
    if (share < low) return "";
    const bool is_worse = share > high && !run.choice;
    return fmt::format("{:.1f} % of the {} {} are right, and always answering '{}' gives {:.1f} %{}",
                       100 * metrics->accuracy, metrics->count, judged.nodes,
                       safe_text(dataset.class_names[commonest.label]), 100 * share,
                       is_worse ? "; `method=auto` compares methods" : "");
}

// A ranking that is the wrong way round, beyond what chance does to so many nodes.
std::string reversed_ranking(const TrainedRun& run) {
    for (const auto& [metrics, nodes] :
         {Judged{&run.result.test, "test"}, Judged{&run.result.validation, "validation"}}) {
        const std::vector<Index> support = class_support(*metrics);
        const std::vector<std::int64_t> counts(support.begin(), support.end());
        const double upper = roc_auc_upper(metrics->roc_auc, counts);
        if (!(upper < 0.5)) continue;  // nor where it is not known
        return fmt::format(
            "the ranking is reversed: ROC AUC is {:.1f} % at the {} nodes (with 95 % confidence below "
            "{:.1f} %), where chance gives 50 %; do not use these probabilities; `method=auto` and "
            "`method=sage` may do better",
            100 * metrics->roc_auc, nodes, 100 * upper);
    }
    return "";
}

// Which options were not used yet and may help.
std::string unused_options(const Dataset& dataset, const TrainedRun& run) {
    std::vector<std::string> options;
    if (run.decision.class_weights.empty() && method_info(run.settings.method()).weighs_labels)
        options.emplace_back("`class_weights=balanced`");
    if (dataset.classes() == 2 && !run.decision.threshold) options.emplace_back("`threshold=f1`");
    if (run.settings.reads("selection")) {
        const Selection used = run.settings.fit().selection;
        if (used == Selection::accuracy || used == Selection::loss)
            options.emplace_back(dataset.classes() == 2 ? "`selection=auc`" : "`selection=balanced`");
    }
    return options.empty() ? "" : fmt::format("; {} may help", join_alternatives(options));
}

// Of shards, whose trainings several processes may share, no labels are held out in turn.
std::string warning_without_judged_nodes(const Dataset& dataset, const Split& split, const TrainedRun& run) {
    if (dataset.blocks.count() == 0 || !is_own_data(dataset) || run.choice) return "";
    if (!split.validation.empty() || !split.test.empty()) return "";
    return "nothing says how good this is: all known labels of the shards train; `split=shares:60:20` keeps "
           "some to judge by";
}

}  // namespace

std::vector<std::int64_t> predicted_counts(const TrainedRun& run) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(run.probabilities.columns()), 0);
    for (Index node = 0; node < run.probabilities.rows(); ++node)
        ++counts[static_cast<std::size_t>(decide(run.probabilities, node, run.decision))];
    return counts;
}

std::vector<std::string> warnings_about_result(const Dataset& dataset, const Split& split,
                                               const TrainedRun& run,
                                               const std::vector<std::int64_t>& predicted) {
    if (dataset.classes() < 2 || split.train.empty()) return {};
    const Metrics* const judged = judged_by(run.result, run.choice).metrics;
    const double auc = judged == nullptr ? Metrics::not_known : judged->roc_auc;
    std::vector<std::string> warnings = {
        nearly_constant(dataset, expected_shares(dataset, split), shares_of(predicted, dataset.nodes), auc),
        no_better_than_commonest(dataset, run)};
    std::erase(warnings, "");
    if (!warnings.empty()) warnings.back() += unused_options(dataset, run);
    if (std::string reversed = reversed_ranking(run); !reversed.empty())
        warnings.insert(warnings.begin(), std::move(reversed));
    if (std::string unknown = warning_without_judged_nodes(dataset, split, run); !unknown.empty())
        warnings.push_back(std::move(unknown));
    return warnings;
}

}  // namespace hwgcn
