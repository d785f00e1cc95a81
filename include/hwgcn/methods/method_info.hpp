#pragma once

#include <string>

#include "hwgcn/tensor/dense_matrix.hpp"

namespace hwgcn {

/// How a method learns.
enum class MethodKind {
    network,  ///< by gradients, epoch by epoch
    classic,  ///< in a way of its own
};

/// A row of the method table.
struct MethodInfo {
    std::string name;         ///< "hwgcn"
    std::string title;        ///< "HWGCN"
    std::string description;  ///< one line
    MethodKind kind = MethodKind::network;
    bool uses_features = true;
    bool uses_graph = true;
    /// The weights of an undirected graph, not the operator of graph convolutions.
    bool takes_weights = false;
    bool uses_edge_weights = true;  ///< where the graph has some
    bool takes_directions = false;  ///< has the operators of in- and out-neighbors
    /// A node, its neighbors (of each direction) and the orders apart, each an operator of its own.
    bool separate_operators = false;
    bool takes_given_features = false;  ///< words as they are, not with each row divided by its sum
    /// What it learned belongs to the nodes that were there: it says nothing about new ones.
    bool knows_nodes = false;
    /// All that it adds up over nodes goes block by block, so that several processes can train it together.
    bool takes_blocks = false;
    /// Labels and classes can count more or less than others in what it learns.
    bool weighs_labels = false;
    /// A network whose operations all have kernels for OpenCL devices.
    bool trains_on_devices = false;
};

/// A matrix that training changes.
struct TrainableMatrix {
    std::string name;  ///< "theta1"
    DenseMatrix value;
    bool decays = false;  ///< the L2 penalty is on it
    bool grows = false;   ///< training decides how many rows it has
};

}  // namespace hwgcn
