#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "hwgcn/models/methods.hpp"

namespace hwgcn::testing {

/// One method for every network, the first in the table: HWGCN and its wide variant train that of GCN.
inline std::vector<std::string> different_networks() {
    std::vector<std::string> names;
    std::set<std::string> networks;
    for (const MethodInfo& method : method_table()) {
        const std::string network = MethodSettings(method.name, "").network();
        if (method.kind == MethodKind::network && networks.insert(network).second)
            names.push_back(method.name);
    }
    return names;
}

/// As tests may be called.
inline std::string test_name(std::string method) {
    std::ranges::replace(method, '-', '_');
    return method;
}

}  // namespace hwgcn::testing
