#include "weights/weight_outlook.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hwgcn {
namespace {

// Read off the maps of docs/when-it-helps.md: where HWGCN gains a point or more over GCN.
constexpr double least_homophily = 0.6;
constexpr double most_degree = 6;
// Labels per class times words per node: beyond it the training nodes alone tell which words go with a class.
constexpr double most_words_of_a_class = 400;
constexpr double most_words_per_node = 60;  // with 80, five labels per class gain nothing
// Below these nothing was measured.
constexpr double least_degree = 2;
constexpr double least_words_per_node = 5;

constexpr double training_share = 0.6;  // of many labels, as an automatic choice splits them

// The share of an edge or two says nothing.
constexpr std::int64_t least_labelled_edges = 20;

std::int64_t labelled_nodes(const Dataset& dataset) {
    return dataset.nodes - std::ranges::count(dataset.labels, unlabelled);
}

double training_labels(const Dataset& dataset) {
    if (dataset.published_split) return static_cast<double>(dataset.published_split->train.size());
    const auto labelled = static_cast<double>(labelled_nodes(dataset));
    return has_few_labels(dataset) ? labelled : training_share * labelled;
}

std::string number_text(double number) {
    return number < 10 ? fmt::format("{:.2g}", number) : fmt::format("{:.0f}", number);
}

// What stands in the way of the comparison with the measured graphs; empty: nothing.
std::string not_measured(const GraphTraits& traits) {
    using Features = GraphTraits::Features;
    if (traits.classes == 1) return "with a single class there is nothing to predict";
    if (traits.features == Features::none)
        return "there are no features to learn them from; those that training makes were not measured";
    if (traits.features == Features::numbers) return "features that are numbers were not measured";
    if (traits.directed) return "edges with directions were not measured";
    if (traits.weighted) return "edges with weights were not measured";
    if (traits.words_per_node < least_words_per_node) {
        return fmt::format("{} words per node; fewer than {} were not measured",
                           number_text(traits.words_per_node), least_words_per_node);
    }
    if (traits.mean_degree < least_degree) {
        return fmt::format("mean degree {}; below {} was not measured", number_text(traits.mean_degree),
                           least_degree);
    }
    return "";
}

// What rules a gain out, whatever the number of labels.
std::vector<std::string> obstacles(const GraphTraits& traits) {
    std::vector<std::string> found;
    if (traits.mean_degree > most_degree)
        found.push_back(
            fmt::format("mean degree {}, above {}", number_text(traits.mean_degree), most_degree));
    if (traits.homophily < least_homophily)  // false for NaN
        found.push_back(fmt::format("homophily {:.2f}, below {}", traits.homophily, least_homophily));
    if (traits.words_per_node > most_words_per_node) {
        found.push_back(fmt::format("{} words per node, above {}", number_text(traits.words_per_node),
                                    most_words_per_node));
    }
    return found;
}

std::string facts(const GraphTraits& traits) {
    return fmt::format(
        "{} training labels per class, {} words per node, mean degree {}, {}",
        number_text(traits.labels_per_class), number_text(traits.words_per_node),
        number_text(traits.mean_degree),
        std::isnan(traits.homophily)
            ? fmt::format("if {:.0f} % of the edges or more stay within a class", 100 * least_homophily)
            : fmt::format("homophily {:.2f}", traits.homophily));
}

}  // namespace

GraphTraits traits_of(const Dataset& dataset, const FeatureScaling& scaling, const Graph& graph,
                      const GraphSummary& summary) {
    GraphTraits traits;
    traits.mean_degree = summary.mean_degree;
    if (summary.labelled_edges >= least_labelled_edges) traits.homophily = summary.homophily;
    traits.classes = dataset.classes();
    if (dataset.classes() > 0) traits.labels_per_class = training_labels(dataset) / dataset.classes();
    if (dataset.features.columns > 0) {
        const bool words = scaling.scale == Scale::rows;
        traits.features = words ? GraphTraits::Features::words : GraphTraits::Features::numbers;
        if (words) traits.words_per_node = static_cast<double>(dataset.features.entries()) / dataset.nodes;
    }
    traits.directed = dataset.directed;
    traits.weighted = graph.weighted();
    return traits;
}

WeightOutlook weight_outlook(const GraphTraits& traits) {
    if (std::string kind = not_measured(traits); !kind.empty()) return {Outlook::unknown, 0, std::move(kind)};
    if (const std::vector<std::string> found = obstacles(traits); !found.empty())
        return {Outlook::unlikely, 0, fmt::format("{}", fmt::join(found, "; "))};
    const int most = static_cast<int>(most_words_of_a_class / traits.words_per_node);
    if (traits.labels_per_class == 0)
        return {Outlook::unknown, most, fmt::format("no labels; likely with up to {} per class", most)};
    if (traits.labels_per_class > most) {
        return {Outlook::unlikely, most,
                fmt::format("{} training labels per class; likely with up to {}",
                            number_text(traits.labels_per_class), most)};
    }
    return {Outlook::likely, most, facts(traits)};
}

std::string_view name_of(Outlook outlook) {
    switch (outlook) {
        case Outlook::likely:
            return "likely";
        case Outlook::unlikely:
            return "unlikely";
        case Outlook::unknown:
            break;
    }
    return "unknown";
}

}  // namespace hwgcn
