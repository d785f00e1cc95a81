#include <utility>

#include "methods/method_definition.hpp"
#include "methods/networks/residual_network.hpp"

// A node next to the mean of its neighbors (Hamilton et al. 2017) in residual blocks (Platonov et al. 2023):
// the operators side by side are I, the means over neighbors (over in- and out-neighbors of a directed
// graph) and, on the higher-order operator, the means over the rings by the learned weights.

namespace hwgcn {
namespace {

MethodDefinition declared(MethodInfo info, Published published) {
    info.separate_operators = true;
    info.takes_given_features = true;
    return network_method<ResidualNetwork>(std::move(info), "sage", residual_parameters(), published);
}

std::vector<Setting> published_sage(std::string_view) {
    std::vector<Setting> settings = residual_training();
    settings.push_back({"order", "2"});
    return settings;
}

std::vector<Setting> published_hwsage(std::string_view dataset) {
    std::vector<Setting> settings = published_sage(dataset);
    settings.push_back({"operator", "higher-order"});
    return settings;
}

}  // namespace

MethodDefinition sage_method() {
    return declared({"sage", "SAGE", "residual blocks of a node and the mean of its neighbors, side by side"},
                    published_sage);
}

MethodDefinition hwsage_method() {
    return declared({"hwsage", "HWSAGE", "SAGE with learned higher-order neighbors as further columns"},
                    published_hwsage);
}

}  // namespace hwgcn
