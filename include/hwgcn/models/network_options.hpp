#pragma once

#include <string>
#include <vector>

#include "hwgcn/linalg/dense_matrix.hpp"
#include "hwgcn/support/parameter.hpp"

namespace hwgcn {

/// What SemiEmb's penalty on embeddings looks at.
enum class EmbeddingLayer { hidden, output };

/// Where Planetoid's embeddings come from.
enum class PlanetoidKind {
    transductive,  ///< each node has one of its own, which is learned
    inductive,     ///< they are computed from the features
};

/// The shape of a network. Each network reads the fields that its equation has; the others are ignored.
struct NetworkOptions {
    int layers = 2;
    int hidden = 16;                              ///< units of a hidden layer; GAT: per head
    double input_dropout = 0.5;                   ///< on the features
    double hidden_dropout = 0.5;                  ///< on hidden layers
    int heads = 8;                                ///< GAT: attention heads of the hidden layers
    int output_heads = 1;                         ///< GAT: of the last layer, averaged
    double attention_dropout = 0.6;               ///< GAT: on the coefficients
    std::vector<int> power_units = {20, 20, 20};  ///< MixHop: hidden units for the powers 0, 1, 2, ..
    int propagations = 2;                         ///< SGC, APPNP and GPR: multiplications with the operator
    double teleport = 0.1;  ///< APPNP: share of the own prediction in each of them; GPR: at the start
    EmbeddingLayer embedding_layer = EmbeddingLayer::hidden;  ///< SemiEmb
    double embedding_weight = 10.0;                           ///< SemiEmb: of the penalty
    double embedding_margin = 1.0;  ///< SemiEmb: distance that nodes without an edge are to have
    PlanetoidKind planetoid_kind = PlanetoidKind::transductive;  ///< Planetoid
    int embedding = 50;                                          ///< Planetoid: numbers per node
    int context_walk = 10;                                       ///< Planetoid: steps of a random walk
    int context_window = 5;         ///< Planetoid: steps of a walk between two nodes, at most
    int context_pairs = 10;         ///< Planetoid: drawn from each walk
    double context_weight = 100.0;  ///< Planetoid: of predicting the context
};

/// The parameters above, for the command line and the documentation.
const std::vector<Parameter<NetworkOptions>>& network_parameters();

/// The networks, by name.
std::vector<std::string> network_names();

/// A matrix that training changes.
struct TrainableMatrix {
    std::string name;  ///< "theta1"
    DenseMatrix value;
    bool decays = false;  ///< the L2 penalty is on it
};

}  // namespace hwgcn
