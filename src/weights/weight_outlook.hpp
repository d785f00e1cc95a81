#pragma once

#include <limits>
#include <string>
#include <string_view>

#include "hwgcn/dataset/feature_scaling.hpp"

#include "graph/summary.hpp"

namespace hwgcn {

/// What is known of a graph before anything is learned on it, as far as it decides whether learned
/// higher-order weights add accuracy.
struct GraphTraits {
    enum class Features { none, words, numbers };

    double mean_degree = 0;
    /// Share of the edges within a class; NaN: too few edges with two known labels to say.
    double homophily = std::numeric_limits<double>::quiet_NaN();
    Index classes = 0;
    double labels_per_class = 0;  ///< that train, on average; 0: none
    Features features = Features::none;
    double words_per_node = 0;  ///< of Features::words
    bool directed = false;
    bool weighted = false;
};

/// `scaling` is that of the features, which may have been applied to them already. Training labels are those
/// of the published split, else all where they are few, else 60 %, as an automatic choice has them.
GraphTraits traits_of(const Dataset& dataset, const FeatureScaling& scaling, const Graph& graph,
                      const GraphSummary& summary);

enum class Outlook { likely, unlikely, unknown };

/// Whether learned weights are likely to add a point of accuracy or more.
struct WeightOutlook {
    Outlook outlook = Outlook::unknown;
    /// With up to so many training labels per class they are; 0: with any number of labels they are not, or
    /// it is not known.
    int most_labels_per_class = 0;
    std::string reason;  ///< in a few words
};

/// By the gains that were measured on synthetic graphs (docs/when-it-helps.md). Graphs of another kind, with
/// other features than words or with edges that have weights or directions, are unknown.
WeightOutlook weight_outlook(const GraphTraits& traits);

/// "likely", "unlikely", "unknown"
std::string_view name_of(Outlook outlook);

}  // namespace hwgcn
