#pragma once

#include <string>

#include "hwgcn/metrics/decision.hpp"
#include "hwgcn/models/prepared_graph.hpp"

namespace hwgcn {

/// Where the nodes that were added to `graph` are far from those that the model was trained with, what is
/// far, in a sentence; empty: no farther than a sample of these would be, or too few to tell. Compared are
/// degrees, scaled features, and confidence and class of the prediction; the latter two with old nodes that
/// did not train. `probabilities` are calibrated, of all nodes.
std::string warning_about_new_nodes(const PreparedGraph& graph, ConstMatrixView probabilities,
                                    const Decision& decision, const Split& split);

}  // namespace hwgcn
