#pragma once

#include <vector>

#include "hwgcn/data/split.hpp"
#include "hwgcn/methods/prepared_graph.hpp"

namespace hwgcn {

/// The candidates for a split, preferred ones first. Where many nodes have labels (a quarter of them, or a
/// hundred per class), networks that tell a node from its neighbours are among them, and come first where
/// neighbours are hardly more alike than any two nodes. Test labels are not looked at.
std::vector<MethodSettings> candidates_for(const PreparedGraph& graph, const Automatic& automatic,
                                           const Split& split, const ExecutionControl& control);

}  // namespace hwgcn
