#pragma once

#include <string>
#include <vector>

#include "hwgcn/methods/methods.hpp"

namespace hwgcn::testing {

/// One method for every network: HWGCN and its wide variant train that of GCN.
inline std::vector<std::string> different_networks() {
    std::vector<std::string> names;
    for (const MethodInfo& method : method_table()) {
        const std::string network = MethodSettings(method.name, "").network();
        if (method.kind == MethodKind::network && (network != "gcn" || method.name == "gcn"))
            names.push_back(method.name);
    }
    return names;
}

}  // namespace hwgcn::testing
