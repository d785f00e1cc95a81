#include "methods/method_definition.hpp"
#include "methods/networks/residual_network.hpp"

namespace hwgcn {
namespace {

std::vector<Setting> published(std::string_view) {
    return residual_training();
}

}  // namespace

// On the operator of graph convolutions, which mixes a node with its neighbors.
MethodDefinition gcn_res_method() {
    return network_method<ResidualNetwork>(
        {.name = "gcn-res",
         .title = "GCN-res",
         .description = "graph convolution in residual blocks with layer normalisation",
         .takes_directions = true,
         .takes_given_features = true},
        "gcn-res", residual_parameters(), published);
}

}  // namespace hwgcn
