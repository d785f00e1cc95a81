#pragma once

#include <vector>

#include "hwgcn/dataset/split.hpp"
#include "hwgcn/models/prepared_graph.hpp"

namespace hwgcn {

/// What is tried on a split.
struct Candidates {
    std::vector<MethodSettings> methods;  ///< preferred ones first
    bool many_labels = false;       ///< ten per class, and a quarter of the nodes or a hundred per class
    bool neighbors_differ = false;  ///< they are hardly more alike than any two nodes
};

/// The candidates for a split. With many labels, networks that tell a node from its neighbors are among
/// them, and come first where neighbors differ; with few labels and validation nodes, random propagation and
/// self-training. Test labels are not looked at.
Candidates candidates_for(const PreparedGraph& graph, const Automatic& automatic, const Split& split,
                          const ExecutionControl& control);

}  // namespace hwgcn
