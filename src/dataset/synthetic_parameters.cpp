#include "dataset/synthetic_parameters.hpp"

namespace hwgcn {

const std::vector<Parameter<SyntheticOptions>>& synthetic_parameters() {
    using Options = SyntheticOptions;
    static const std::vector<Parameter<Options>> table = {
        number_parameter("nodes", &Options::nodes, Range<Index>{1}, "N", "number of nodes"),
        number_parameter("classes", &Options::classes, Range<Index>{1}, "N",
                         "number of classes, of equal size; at most one per node"),
        number_parameter("homophily", &Options::homophily, Range<double>{0, 1}, "SHARE",
                         "share of the edges that join two nodes of the same class"),
        number_parameter("mean_degree", &Options::mean_degree, Range<double>{0}, "X",
                         "neighbors of a node on average"),
        number_parameter("degree_exponent", &Options::degree_exponent, Range<double>{2.1, 100}, "X",
                         "exponent of the power law of the degrees; larger: more even"),
        number_parameter("vocabulary", &Options::vocabulary, Range<Index>{0}, "N", "number of features"),
        number_parameter("words", &Options::words, Range<Index>{0}, "N",
                         "non-zero features of a node; at most the vocabulary"),
        number_parameter("topic_share", &Options::topic_share, Range<double>{0, 1}, "SHARE",
                         "probability that a feature is drawn from the topic of the node's class"),
        number_parameter("noise_edges", &Options::noise_edges, Range<double>{0}, "X",
                         "further edges of a node on average, light ones between any two nodes; the others "
                         "are heavy then"),
        number_parameter("noise_weight", &Options::noise_weight, Range<double>{0, 1, true}, "W",
                         "weight of a light edge on average, where a heavy one has 1"),
        number_parameter("seed", &Options::seed, Range<std::uint64_t>{0}, "S",
                         "another seed, another graph of the same kind"),
    };
    return table;
}

}  // namespace hwgcn
